//! Sentences, as bytes of a text: ascending, not overlapping, without white space around them.
//!
//! Prose is cut at the sentence boundaries of UAX #29. On top of that, a boundary does not count
//!
//! - at a line break without a full stop before it: the author's editor wrapped the line;
//! - without white space after a Latin full stop (`Foo.Bar`, `example.org`);
//! - after an abbreviation, an initial or a single letter (`Dr. Smith`, `J. Doe`, `z. B.`, `U.S.`),
//!   which costs the rare sentence that ends in *vitamin C.*;
//! - between a number word and its number (`No. 5`, `Nr. 3`, `Abs. 2`), and inside a German date
//!   (`3. Oktober`);
//! - before a lower-case letter (`"Really?" he said`).
//!
//! List items are prose of their own; a row of a table is one sentence. A heading is none, since
//! a passage is shown under its heading anyway, unless there is nothing else. Code is kept, since it is often what is looked for, one sentence for each run of lines without a
//! blank one. Of HTML blocks scripts, styles and comments are left out. What has no letter or
//! digit is no sentence.
//!
//! A sentence of more than [`MAX_BYTES`] is cut between words, at last anywhere; after
//! [`MAX_SENTENCES`] the rest of the text has none.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::markdown;
use crate::outline::{Unit, UnitKind};

/// A text has no more sentences than this. A window of 600 words has about 40.
pub const MAX_SENTENCES: usize = 512;

/// A sentence is no longer than this: more than an encoder's window of 512 tokens holds.
pub const MAX_BYTES: usize = 4096;

/// The sentences of a text that is not part of a parsed note.
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let outline = markdown::outline(text, 0..text.len());
    in_units(text, &outline.units, &(0..text.len()))
}

/// The sentences of those parts of the units that lie in `within`, as bytes from its start.
pub(crate) fn in_units(text: &str, units: &[Unit], within: &Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut headings) = (Vec::new(), Vec::new());
    let mut free_from = within.start;
    for unit in units {
        if unit.span.start >= within.end || found.len() >= MAX_SENTENCES {
            break;
        }
        let span = unit.span.start.max(free_from)..unit.span.end.min(within.end);
        if span.start < span.end {
            free_from = span.end;
            let into = match unit.kind {
                UnitKind::Heading => &mut headings,
                _ => &mut found,
            };
            cut_unit(text, unit.kind, span, into);
        }
    }
    if found.is_empty() {
        found = headings;
    }
    found.truncate(MAX_SENTENCES);
    for sentence in &mut found {
        *sentence = sentence.start - within.start..sentence.end - within.start;
    }
    found
}

fn cut_unit(text: &str, kind: UnitKind, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    match kind {
        UnitKind::Prose => prose(text, span, found),
        UnitKind::Heading | UnitKind::Row => push(text, span, found),
        UnitKind::Code => paragraphs(text, span, found),
        UnitKind::Html => {
            let html = text[span.clone()].trim_start();
            let unread = ["<!--", "<script", "<style"];
            if !unread.iter().any(|tag| html.starts_with(tag)) {
                prose(text, span, found);
            }
        }
    }
}

/// Runs of lines between blank ones.
fn paragraphs(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let (mut start, mut at) = (span.start, span.start);
    for line in text[span.clone()].split_inclusive('\n') {
        if line.trim().is_empty() {
            push(text, start..at, found);
            start = at + line.len();
        }
        at += line.len();
    }
    push(text, start..span.end, found);
}

fn prose(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut start = span.start;
    for (offset, piece) in text[span.clone()].split_sentence_bound_indices() {
        for end in after_markup(piece).chain([piece.len()]) {
            if found.len() > MAX_SENTENCES {
                return;
            }
            let end = span.start + offset + end;
            if end == span.end || ends(&text[start..end], &text[end..span.end]) {
                push(text, start..end, found);
                start = end;
            }
        }
    }
}

/// Places inside a piece where a sentence may end that UAX #29 does not see: behind an ellipsis, or
/// where markup hides the full stop (`**Done.** Next`).
fn after_markup(piece: &str) -> impl Iterator<Item = usize> {
    let spaces = piece.match_indices(char::is_whitespace);
    spaces.filter_map(|(at, space)| {
        let marked = piece[..at].ends_with(['*', '_', '~', ']', '`', '…']);
        marked.then_some(at + space.len())
    })
}

/// Whether a sentence ends between two texts that UAX #29 would cut apart.
fn ends(before: &str, after: &str) -> bool {
    // What closes a quotation, a parenthesis or an emphasis belongs to the sentence it closes.
    let is_closing = |c: char| {
        matches!(
            c,
            '"' | '\''
                | ')'
                | ']'
                | '}'
                | '*'
                | '_'
                | '~'
                | '”'
                | '’'
                | '»'
                | '›'
                | '“'
                | '」'
                | '』'
                | '）'
        )
    };
    let said = before.trim_end();
    let spaced = said.len() < before.len();
    let mut bare = said.trim_end_matches(is_closing);
    // A footnote's mark stands behind the full stop: `so it is.[^1]`
    let last_word = last_word(bare);
    if let Some(mark) = last_word.rfind("[^") {
        bare = &bare[..bare.len() - last_word.len() + mark];
    }
    let Some(last) = bare.chars().next_back() else {
        return false;
    };
    if matches!(last, '。' | '！' | '？' | '｡' | '．') {
        return true;
    }
    if !is_full_stop(last) || !spaced {
        return false;
    }
    let next = after.trim_start_matches(|c: char| {
        is_closing(c) || matches!(c, '(' | '[' | '„' | '«' | '‘' | '`')
    });
    let next_word = next.split_whitespace().next().unwrap_or_default();
    if next_word.starts_with(char::is_lowercase) {
        return false;
    }
    last != '.' || !is_abbreviation(bare, next_word)
}

fn is_full_stop(character: char) -> bool {
    matches!(
        character,
        '.' | '!' | '?' | '…' | '।' | '؟' | '۔' | '։' | '‼' | '⁇' | '⁈' | '⁉'
    )
}

/// Whether the full stop at the end of `before` belongs to its last word.
fn is_abbreviation(before: &str, next_word: &str) -> bool {
    let word = last_word(before).trim_start_matches(|c: char| !c.is_alphanumeric());
    let stem = word.trim_end_matches('.');
    if word.len() - stem.len() != 1 {
        // An ellipsis.
        return false;
    }
    let numbered = next_word.starts_with(|c: char| c.is_numeric() || c == '§');
    let letters = stem.split('.');
    let initials = letters.clone().all(|part| {
        let mut characters = part.chars();
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
    });
    if initials {
        return true;
    }
    if stem.len() <= 2 && stem.bytes().all(|byte| byte.is_ascii_digit()) {
        let month = next_word.trim_end_matches(|c: char| !c.is_alphabetic());
        return GERMAN_MONTHS.contains(&month);
    }
    let lower = stem.to_lowercase();
    ABBREVIATIONS.contains(&lower.as_str())
        || numbered && BEFORE_NUMBERS.contains(&lower.as_str())
        || letters.count() > 1 && DOTTED.contains(&lower.as_str())
}

/// What follows the last white space, as far as it can matter: no abbreviation is longer, and to
/// look back any further at every boundary would be quadratic.
fn last_word(text: &str) -> &str {
    let start = text.len().saturating_sub(48);
    let start = (start..text.len()).find(|&at| text.is_char_boundary(at));
    let tail = &text[start.unwrap_or(text.len())..];
    tail.rsplit(char::is_whitespace).next().unwrap_or(tail)
}

/// Never the last word of a sentence, or so seldom that the other error is worse.
const ABBREVIATIONS: &[&str] = &[
    // English
    "dr", "mr", "mrs", "ms", "prof", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "sen", "rep",
    "gov", "st", "vs", "cf", "viz", "approx", "dept", "est", "fig", "figs", "eq", "eqs", "ed",
    "eds", "vol", "vols", "al", "ibid", "incl", "resp", "jr", "sr", // German
    "bzw", "ca", "evtl", "ggf", "hr", "hrsg", "inkl", "insb", "mio", "mrd", "sog", "vgl", "zzgl",
    "bspw", "usf", "abb", "tab", "dipl", "ing", "verf", "gem", "str",
];

/// Part of the sentence if a number follows.
const BEFORE_NUMBERS: &[&str] = &[
    "no", "nos", "p", "pp", "sec", "secs", "ch", "chap", "art", "ver", "jan", "feb", "mar", "apr",
    "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "nr", "abs", "kap", "ziff", "rn",
    "rdnr", "az", "bd", "anm", "lit", "aufl", "art",
];

/// Written with full stops inside.
const DOTTED: &[&str] = &["ph.d", "b.sc", "m.sc", "u.s.a", "i.d.r", "z.zt", "d.h"];

const GERMAN_MONTHS: &[&str] = &[
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
    "Jan",
    "Feb",
    "Aug",
    "Sep",
    "Sept",
    "Okt",
    "Nov",
    "Dez",
];

/// Adds a sentence if it says something, in pieces if it is too long.
fn push(text: &str, span: Range<usize>, found: &mut Vec<Range<usize>>) {
    let inner = text[span.clone()].trim_start();
    let mut start = span.end - inner.len();
    let end = start + inner.trim_end().len();
    while start < end && found.len() <= MAX_SENTENCES {
        let mut cut = end;
        if end - start > MAX_BYTES {
            let limit = start + MAX_BYTES;
            let limit = (start + 1..=limit)
                .rev()
                .find(|&at| text.is_char_boundary(at));
            let limit = limit.unwrap_or(end);
            let space = text[start..limit].rfind(char::is_whitespace);
            cut = space.map_or(limit, |at| start + at);
        }
        let piece = text[start..cut].trim_end();
        if piece.contains(char::is_alphanumeric) {
            found.push(start..start + piece.len());
        }
        start = cut + (text[cut..end].len() - text[cut..end].trim_start().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = sentences(text)
            .into_iter()
            .map(|span| &text[span])
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn prose_is_cut_at_full_stops() {
        check("", &[]);
        check("One. Two! Three?", &["One.", "Two!", "Three?"]);
        check("No stop", &["No stop"]);
        check(
            "Wrapped\nby an editor. Next\none.",
            &["Wrapped\nby an editor.", "Next\none."],
        );
        check(
            "It is 3.5 or v1.2.3. Yes.",
            &["It is 3.5 or v1.2.3.", "Yes."],
        );
        check(
            "See Foo.Bar and e.org?Q=1 now.",
            &["See Foo.Bar and e.org?Q=1 now."],
        );
        check(
            "He said \"Go.\" Then he went.",
            &["He said \"Go.\"", "Then he went."],
        );
        check(
            "\"Really?\" he asked. (Yes.) **Bold.** End.",
            &["\"Really?\" he asked.", "(Yes.)", "**Bold.**", "End."],
        );
        check(
            "So it is.[^1] And so. *It* is.",
            &["So it is.[^1]", "And so.", "*It* is."],
        );
        check(
            "Well... Then it rained… And so on.",
            &["Well...", "Then it rained…", "And so on."],
        );
        check(
            "今日は。元気ですか？はい！終",
            &["今日は。", "元気ですか？", "はい！", "終"],
        );
        check("Line one.\r\nLine two.", &["Line one.", "Line two."]);
    }

    #[test]
    fn abbreviations_end_no_sentence() {
        for whole in [
            "Ask Dr. Smith of the U.S. Army.",
            "Some, e.g. Paris, i.e. The City.",
            "Read No. 5 and pp. 3 of Fig. 2.",
            "By J. R. R. Tolkien et al. Paris.",
            "Das ist z. B. Kaffee bzw. Tee.",
            "Nach § 3 Abs. 2 Nr. 4 gilt es.",
            "Am 3. Oktober 2026 war es so.",
            "In Nr. 12 steht d. h. Ja.",
        ] {
            check(whole, &[whole]);
        }
        check("Say no. Then go.", &["Say no.", "Then go."]);
        check("It was 2026. Then more.", &["It was 2026.", "Then more."]);
    }

    #[test]
    fn blocks_are_units() {
        check("## Only a heading\n\n---\n", &["Only a heading"]);
        check(
            "# Title\nText one. Two.\n\n- item one\n- item two. More\n",
            &["Text one.", "Two.", "item one", "item two.", "More"],
        );
        check(
            "| a | b. C |\n|---|---|\n| 1. | X |\n",
            &["a | b. C", "1. | X"],
        );
        check(
            "```sh\nrun it. Now\nagain\n\nlast\n```\n",
            &["run it. Now\nagain", "last"],
        );
        check("---\n\n***\n\n- \n", &[]);
        check(
            "<!-- no -->\n\n<p>Yes. It is.</p>\n",
            &["<p>Yes.", "It is.</p>"],
        );
        check(
            "> Quoted one. Two\n> goes on.",
            &["Quoted one.", "Two\n> goes on."],
        );
    }

    #[test]
    fn there_is_a_cap_on_count_and_on_length() {
        let many = "One two. ".repeat(2000);
        assert_eq!(sentences(&many).len(), MAX_SENTENCES);
        let long = "é".repeat(10_000);
        let spans = sentences(&long);
        assert_eq!(spans.len(), 5);
        assert!(spans.iter().all(|span| span.len() <= MAX_BYTES));
    }
}
