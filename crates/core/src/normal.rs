//! The form in which quotations and sources are compared, with the way back to the original.
//!
//! In this order: NFKC, which already turns non-breaking spaces into spaces; smart punctuation
//! (curly quotes and primes → straight, hyphens, dashes and minus → `-`); full Unicode case
//! folding; runs of white space → one space. All tables come from pinned crates or stand here, never from the standard
//! library or the browser, whose versions differ.
//!
//! To know where a normalised byte came from, the text is cut before every character that NFKC
//! can neither combine with what precedes it nor move before it; each piece is normalised alone.
//! Every byte of the result is traced to the piece that it came from.

use std::borrow::Cow;
use std::iter;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

/// A normalised text and where each of its bytes came from.
pub(crate) struct Normal {
    pub(crate) text: String,
    /// By byte of `text`: the bytes of the original that it came from.
    origin: Vec<(u32, u32)>,
}

impl Normal {
    /// Normalises a text. White space at its ends goes.
    pub(crate) fn of(original: &str) -> Self {
        let mut normal = Self {
            text: String::with_capacity(original.len()),
            origin: Vec::with_capacity(original.len()),
        };
        let mut rest = original;
        while let Some(piece) = first_piece(rest) {
            let start = original.len() - rest.len();
            rest = &rest[piece.len()..];
            normal.push_piece(piece, (offset(start), offset(start + piece.len())));
        }
        if normal.text.ends_with(' ') {
            normal.text.pop();
            normal.origin.pop();
        }
        normal
    }

    /// The bytes of the original that a non-empty range of normalised bytes came from.
    pub(crate) fn original(&self, start: usize, end: usize) -> (u32, u32) {
        (self.origin[start].0, self.origin[end - 1].1)
    }

    fn push_piece(&mut self, piece: &str, origin: (u32, u32)) {
        // Of one byte, and so of ASCII, in which only capital letters and white space have another form.
        if let [byte] = piece.as_bytes() {
            self.push_folded(char::from(byte.to_ascii_lowercase()), origin);
            return;
        }
        for character in piece.nfkc() {
            let mut buffer = [0; 4];
            let plain = straightened(character).encode_utf8(&mut buffer);
            for folded in fold_case(plain).chars() {
                self.push_folded(folded, origin);
            }
        }
    }

    fn push_folded(&mut self, character: char, origin: (u32, u32)) {
        if !is_space(character) {
            self.text.push(character);
            self.origin.resize(self.text.len(), origin);
        } else if self.text.ends_with(' ') {
            // The one space stands for the whole run.
            if let Some(run) = self.origin.last_mut() {
                run.1 = origin.1;
            }
        } else if !self.text.is_empty() {
            self.text.push(' ');
            self.origin.push(origin);
        }
    }
}

/// Up to the next place at which the text can be cut without changing what NFKC makes of it.
fn first_piece(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    // Most text: an ASCII character before another one, which no rule can join.
    if bytes.first()?.is_ascii() && bytes.get(1).is_none_or(u8::is_ascii) {
        return Some(&text[..1]);
    }
    let mut characters = text.char_indices().skip(1);
    let end = characters.find(|&(_, character)| starts_afresh(character));
    Some(&text[..end.map_or(text.len(), |(at, _)| at)])
}

/// Whether NFKC treats what starts with this character apart from what precedes it.
fn starts_afresh(character: char) -> bool {
    let mut first = None;
    decompose_compatible(character, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(character);
    canonical_combining_class(first) == 0 && is_nfc_quick(iter::once(first)) != IsNormalized::Maybe
}

/// Full case folding, as in Unicode's `CaseFolding.txt` (statuses C and F).
pub(crate) fn fold_case(text: &str) -> Cow<'_, str> {
    CASE.fold_string(text)
}

/// Typographic quotes and dashes, as typed on a keyboard. NFKC has seen to the rest: to double
/// primes, non-breaking hyphens and all spaces.
fn straightened(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    }
}

/// Unicode's `White_Space`, and the four separators that Python splits at as well.
pub(crate) fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | '\u{1c}'..=' '
            | '\u{85}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

/// Offsets into texts are u32: a chunk of 4 GiB does not exist.
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normal(text: &str) -> String {
        Normal::of(text).text
    }

    /// `XXXX;YYYY ZZZZ` by code point, as Python has it.
    fn table(text: &str) -> std::collections::BTreeMap<char, String> {
        let hex = |digits: &str| {
            let code = u32::from_str_radix(digits, 16).unwrap();
            char::from_u32(code).unwrap()
        };
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        rows.map(|row| {
            let (from, to) = row.split_once(';').unwrap();
            (hex(from), to.split(' ').map(hex).collect())
        })
        .collect()
    }

    /// Every code point that Python's Unicode version assigns.
    fn assigned() -> impl Iterator<Item = char> {
        let text = include_str!("../../../tests/reference/assigned.txt");
        let hex = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        rows.flat_map(move |row| {
            let (first, last) = row.split_once("..").unwrap();
            hex(first)..=hex(last)
        })
        .filter_map(char::from_u32)
    }

    #[test]
    fn case_folding_is_pythons_for_every_assigned_code_point() {
        let folds = table(include_str!("../../../tests/reference/casefold.txt"));
        let mut count = 0;
        for character in assigned() {
            let text = character.to_string();
            let expected = folds.get(&character).unwrap_or(&text);
            assert_eq!(fold_case(&text), expected.as_str(), "{character:?}");
            count += 1;
        }
        assert!(count > 100_000, "only {count} code points");
    }

    #[test]
    fn nfkc_is_pythons_for_every_assigned_code_point() {
        let forms = table(include_str!("../../../tests/reference/nfkc.txt"));
        for character in assigned() {
            let text = character.to_string();
            let expected = forms.get(&character).unwrap_or(&text);
            assert_eq!(&text.nfkc().to_string(), expected, "{character:?}");
        }
    }

    #[test]
    fn normal_form_is_pythons_for_texts_in_many_scripts() {
        let lines = include_str!("../../../tests/reference/normalised.jsonl").lines();
        let mut count = 0;
        for line in lines {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = case["text"].as_str().unwrap();
            assert_eq!(
                normal(text),
                case["normalised"].as_str().unwrap(),
                "{text:?}"
            );
            count += 1;
        }
        assert_eq!(count, 400);
    }

    #[test]
    fn folding_can_undo_a_composition_so_texts_are_normalised_once() {
        // ß followed by a dot above folds to "ss" and the dot, which a second NFKC would compose.
        assert_eq!(normal("ß\u{307}"), "ss\u{307}");
        assert_eq!(normal("ss\u{307}"), "sṡ");
    }

    /// Text from characters that combine, decompose, fold and vanish in every way there is.
    fn nasty() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            4 => proptest::char::range(' ', '~'),
            1 => proptest::char::range('\u{a0}', '\u{24f}'),
            2 => proptest::char::range('\u{300}', '\u{36f}'),
            1 => proptest::char::range('\u{1100}', '\u{11ff}'),
            1 => proptest::char::range('\u{ac00}', '\u{ac40}'),
            1 => proptest::char::range('\u{1e00}', '\u{1fff}'),
            1 => proptest::char::range('\u{2000}', '\u{206f}'),
            1 => proptest::char::range('\u{3040}', '\u{30ff}'),
            1 => proptest::char::range('\u{ff00}', '\u{ffef}'),
            1 => proptest::char::range('\u{1d15e}', '\u{1d1c0}'),
            1 => any::<char>(),
        ];
        proptest::collection::vec(character, 0..40).prop_map(|list| list.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn normalising_piece_by_piece_is_normalising_the_whole(text in nasty()) {
            let mut pieces = String::new();
            let mut rest = text.as_str();
            while let Some(piece) = first_piece(rest) {
                pieces.extend(piece.nfkc());
                rest = &rest[piece.len()..];
            }
            prop_assert_eq!(pieces, text.nfkc().to_string());
        }

        #[test]
        fn normalising_is_idempotent_unless_folding_undid_a_composition(text in nasty()) {
            let once = normal(&text);
            let stable: String = once.nfkc().collect();
            if stable == once {
                prop_assert_eq!(normal(&once), once);
            }
        }

        #[test]
        fn every_normalised_byte_comes_from_whole_characters_in_order(text in nasty()) {
            let normal = Normal::of(&text);
            prop_assert_eq!(normal.text.len(), normal.origin.len());
            let mut last = (0, 0);
            for &(start, end) in &normal.origin {
                prop_assert!(text.get(start as usize..end as usize).is_some_and(|part| !part.is_empty()));
                prop_assert!(start >= last.0 && end >= last.1);
                last = (start, end);
            }
        }
    }
}
