//! Quotation checks on 100,000 random pairs from an alphabet chosen to hurt: nothing panics, and
//! what is said about spans is true.
//!
//! About half of the quotations are cut from their chunk and then mutated, so that many verify.
//! The random numbers are seeded: a failure names its round, and comes back in the next run.

#![expect(
    clippy::disallowed_methods,
    reason = "runs natively only, and is meant to look at the core with other eyes"
)]

use concord_core::cite::{CitationReason, Quotation, verify};
use unicode_normalization::UnicodeNormalization;

const ROUNDS: u64 = 100_000;

/// Plain, so that quotations reach the twelve characters that they need.
const PLAIN: &[&str] = &[
    "a", "e", "f", "i", "s", "S", "the ", "fall ", "of ", "margins ", "7",
];

#[rustfmt::skip]
const NASTY: &[&str] = &[
    // combining marks, in and out of canonical order
    "\u{301}", "\u{323}", "\u{308}", "\u{345}", "e\u{301}\u{323}", "é", "\u{34f}", "\u{315}",
    // Hangul: jamo that compose, compatibility and halfwidth jamo
    "\u{1100}", "\u{1161}", "\u{11a8}", "가", "각", "\u{3131}", "\u{ffa1}", "\u{ffc2}",
    // halfwidth katakana with marks that join what precedes them
    "ｶ", "ﾊ", "\u{ff9e}", "\u{ff9f}", "\u{3099}", "ガ", "パ",
    // one character that becomes several, or several that become one
    "ﬁ", "ﬃ", "ﬅ", "ß", "ẞ", "İ", "ı", "ς", "Σ", "σ", "ŉ", "ǰ", "ΐ", "㎏", "℡", "Å", "ſ", "ﷺ",
    // elisions, brackets and what becomes them
    "…", "...", "....", "..", ".", "‥", "․", "．", "︙", "[…]", "[...]", "[ … ]", "[", "]", "［",
    "］", "(…)",
    // spaces of all kinds, and what looks like one
    " ", "  ", "\t", "\n", "\r\n", "\u{a0}", "\u{2007}", "\u{202f}", "\u{3000}", "\u{200b}",
    "\u{2028}", "\u{1c}", "\u{85}", "\u{feff}", "\u{ad}", "\u{a8}",
    // quotes and dashes
    "\"", "'", "“", "”", "‘", "’", "„", "′", "″", "‴", "«", "-", "–", "—", "−", "‑", "\u{2015}",
    // emoji, joined, coloured and flagged
    "👩\u{200d}🚀", "👍🏽", "🇩🇪", "❤\u{fe0f}", "\u{200d}",
    // Indic and Thai signs, a noncharacter, the last code point, a control
    "ক\u{9be}", "\u{9c7}", "\u{9d7}", "\u{e33}", "\u{fffe}", "\u{10ffff}", "\u{0}",
];

/// SplitMix64: small, seeded and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("below a usize")
    }

    fn text(&mut self, longest: usize) -> String {
        let count = self.below(longest);
        (0..count).map(|_| self.piece()).collect()
    }

    fn piece(&mut self) -> &'static str {
        let alphabet = if self.below(3) == 0 { PLAIN } else { NASTY };
        alphabet[self.below(alphabet.len())]
    }

    /// Two characters' positions, in order.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let (a, b) = (self.below(length + 1), self.below(length + 1));
        (a.min(b), a.max(b))
    }

    /// A part of the chunk, changed in up to two places.
    fn cut_and_mutated(&mut self, chunk: &str) -> String {
        let characters: Vec<char> = chunk.chars().collect();
        let (start, end) = self.range(characters.len());
        let mut quote = characters[start..end].to_vec();
        for _ in 0..self.below(3) {
            let (start, end) = self.range(quote.len());
            let some = self.piece();
            match self.below(5) {
                0 => drop(quote.drain(start..end)),
                1 => drop(quote.splice(start..end, "…".chars())),
                2 => drop(quote.splice(start..end, " [...] ".chars())),
                3 => drop(quote.splice(start..start, some.chars())),
                _ => {
                    let upper: Vec<char> = quote[start..end]
                        .iter()
                        .flat_map(|c| c.to_uppercase())
                        .collect();
                    drop(quote.splice(start..end, upper));
                }
            }
        }
        quote.into_iter().collect()
    }
}

/// How many fragments a quotation has, worked out apart from the code under test: from left to
/// right, character by character, over the NFKC of the whole.
fn fragment_count(quote: &str) -> usize {
    let normal: Vec<char> = quote.nfkc().collect();
    let is_space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let mut pieces: Vec<Vec<char>> = vec![Vec::new()];
    let mut at = 0;
    while at < normal.len() {
        let dots = normal[at..].iter().take_while(|&&c| c == '.').count();
        let piece = pieces.last_mut().expect("there is always one");
        if dots < 3 {
            piece.push(normal[at]);
            at += 1;
            continue;
        }
        at += dots;
        let opened = piece
            .iter()
            .rposition(|&c| !is_space(c))
            .filter(|&i| piece[i] == '[');
        let closed = (at..normal.len())
            .find(|&i| !is_space(normal[i]))
            .filter(|&i| normal[i] == ']');
        if let (Some(opened), Some(closed)) = (opened, closed) {
            piece.truncate(opened);
            at = closed + 1;
        }
        pieces.push(Vec::new());
    }
    let has_text = |piece: &&Vec<char>| piece.iter().any(|&c| !is_space(c));
    pieces.iter().filter(has_text).count()
}

#[test]
fn no_pair_of_texts_breaks_a_check_and_spans_are_true() {
    let mut random = Random(0xc0_4c_0d);
    let mut verified = 0;
    let mut with_elision = 0;
    for round in 0..ROUNDS {
        let chunk = random.text(48);
        let quote = match random.below(2) {
            0 => random.text(24),
            _ => random.cut_and_mutated(&chunk),
        };
        let check = verify(&Quotation {
            quote: Some(quote.clone()),
            chunk: Some(chunk.clone()),
        });
        let case = || format!("round {round}: {quote:?} in {chunk:?} gave {check:?}");

        let is_match = check.citation_reason == CitationReason::Match;
        assert_eq!(check.citation_verified, is_match, "{}", case());
        if !is_match {
            assert!(check.spans.is_empty(), "{}", case());
            continue;
        }
        verified += 1;
        with_elision += usize::from(check.spans.len() > 1);
        assert_eq!(check.spans.len(), fragment_count(&quote), "{}", case());
        let mut last = (0, 0);
        for &(start, end) in &check.spans {
            assert!(start < end, "empty: {}", case());
            let part = chunk.get(start as usize..end as usize);
            assert!(part.is_some(), "off a character: {}", case());
            assert!(last.0 <= start && last.1 <= end, "descending: {}", case());
            last = (start, end);
        }
        // What the spans enclose is enough to verify the quotation again.
        let (first, last) = (check.spans[0].0 as usize, last.1 as usize);
        let again = verify(&Quotation {
            quote: Some(quote.clone()),
            chunk: Some(chunk[first..last].to_owned()),
        });
        assert!(again.citation_verified, "not by its spans: {}", case());
    }
    // Otherwise the alphabet has stopped testing what it is meant to test.
    assert!(verified > 8_000, "only {verified} verified, {with_elision}");
    assert!(with_elision > 800, "only {with_elision} with an elision");
}
