//! What counts as a word when a text is measured: what stands between white space.
//!
//! Two exceptions keep a measure in words a measure of length. Scripts that put no space between
//! words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) count a word for every two characters; and
//! a run without any space (an embedded image, a dump) counts one for every 256 bytes.

use std::ops::Range;

const LONGEST: usize = 256;

/// The words of `text[range]`, as bytes of `text`.
pub(crate) fn words(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut unspaced = 0;
    for (offset, character) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        let from = *start.get_or_insert(at);
        if character.is_whitespace() {
            if from < at {
                words.push(from..at);
            }
            (start, unspaced) = (None, 0);
        } else if unspaced >= 2 || at - from >= LONGEST {
            words.push(from..at);
            (start, unspaced) = (Some(at), 0);
        }
        if needs_no_space(character) {
            unspaced += 1;
        }
    }
    if let Some(from) = start.filter(|&from| from < range.end) {
        words.push(from..range.end);
    }
    words
}

fn needs_no_space(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_between_white_space() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<_> = words(text, 0..text.len());
            let found: Vec<_> = found.into_iter().map(|word| &text[word]).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("", &[]);
        check(" \n ", &[]);
        check(" one  two\nthree", &["one", "two", "three"]);
        check("well-known, (it's)", &["well-known,", "(it's)"]);
        check("日本語です。", &["日本", "語で", "す。"]);
        check("é\u{a0}ü", &["é", "ü"]);
        let long = "x".repeat(600);
        check(&long, &[&long[..256], &long[..256], &long[..88]]);
    }
}
