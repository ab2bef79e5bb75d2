//! The quotations in a draft: what stands between quotation marks, and blockquotes.
//!
//! Beside each, what the draft names as its source: a number (`"…" [3]`), or a note by a link
//! (`"…", see [[note]]`), in the same sentence, what follows before what precedes. The page finds
//! quotations by the same rules (`web/src/cite/quotations.ts`):
//!
//! - A straight mark opens at a word's beginning only: `6"` and `don"t` are no openings. Where
//!   German and English share a character (`“` closes `„` and opens before `”`), the mark that
//!   opened decides.
//! - No quotation runs on past a blank line: an unpaired mark must not swallow the rest of a draft.
//! - A last line of a blockquote that begins with a dash names the source and is no part of it; nor
//!   is a number at its end.

use percent_encoding::percent_decode_str;

/// A quotation, as a draft has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftQuotation {
    /// What is quoted, without its marks.
    pub quote: String,
    /// First byte in the draft, marks included.
    pub start: usize,
    /// One past its last.
    pub end: usize,
    /// The number that stands beside it.
    pub number: Option<u32>,
    /// The note that a link beside it names.
    pub cites: Option<String>,
}

/// Opening and closing marks.
const PAIRS: [(char, char); 5] = [('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('"', '"')];

/// How far after a blockquote its source may stand.
const SIGHT: usize = 200;

/// The quotations of a draft, in order.
#[must_use]
pub fn quotations(draft: &str) -> Vec<DraftQuotation> {
    let mut found = Vec::new();
    for block in blocks(draft) {
        if block.is_quoted {
            found.extend(blockquote(draft, &block));
        } else {
            marked(&draft[block.start..block.end], block.start, &mut found);
        }
    }
    found
}

struct Block {
    start: usize,
    /// Without the line's end.
    end: usize,
    is_quoted: bool,
}

/// Runs of lines that are, or are not, part of a blockquote.
fn blocks(draft: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut start = 0;
    for line in draft.split('\n') {
        let end = start + line.len();
        let is_quoted = unquoted(line).is_some();
        match blocks.last_mut() {
            Some(block) if block.is_quoted == is_quoted => block.end = end,
            _ => blocks.push(Block {
                start,
                end,
                is_quoted,
            }),
        }
        start = end + 1;
    }
    blocks
}

/// A line of a blockquote without its sign.
fn unquoted(line: &str) -> Option<&str> {
    let trimmed = line.trim_start();
    let indent = &line[..line.len() - trimmed.len()];
    let rest = trimmed.strip_prefix('>')?;
    (indent.chars().count() <= 3).then(|| rest.strip_prefix(char::is_whitespace).unwrap_or(rest))
}

fn blockquote(draft: &str, block: &Block) -> Option<DraftQuotation> {
    let text = &draft[block.start..block.end];
    let lines: Vec<&str> = text.split('\n').filter_map(unquoted).collect();
    let source = lines.iter().skip(1).position(|line| is_attribution(line));
    let (own, source) = lines.split_at(source.map_or(lines.len(), |at| at + 1));
    let own = own.join("\n");
    let (quote, number) = without_number(own.trim());
    let after = &draft[block.end..];
    let sight = after
        .char_indices()
        .nth(SIGHT)
        .map_or(after.len(), |(at, _)| at);
    let next = after[..sight]
        .split('\n')
        .find(|line| !line.trim().is_empty());
    let next = next.unwrap_or_default();
    (!quote.is_empty()).then(|| DraftQuotation {
        quote: quote.to_owned(),
        start: block.start,
        end: block.end,
        number: number
            .or_else(|| numbers(&source.join("\n")).next())
            .or_else(|| numbers(next).next()),
        cites: link_in(text).or_else(|| link_in(next)),
    })
}

fn is_attribution(line: &str) -> bool {
    let line = line.trim_start();
    let rest = ["—", "–", "--"]
        .iter()
        .find_map(|dash| line.strip_prefix(dash));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// A quotation without the number at its end.
fn without_number(quote: &str) -> (&str, Option<u32>) {
    let Some(open) = quote.rfind('[') else {
        return (quote, None);
    };
    match number_at(&quote[open..]) {
        Some((number, "")) => (quote[..open].trim_end(), Some(number)),
        _ => (quote, None),
    }
}

fn marked(text: &str, offset: usize, found: &mut Vec<DraftQuotation>) {
    let mut from = 0;
    while let Some((at, open, close)) = next_opening(text, from) {
        from = at + open.len_utf8();
        let rest = &text[from..];
        let Some(length) = rest.find(close) else {
            continue;
        };
        if paragraph_end(rest).is_some_and(|end| end < length) {
            continue;
        }
        let quote = rest[..length].trim();
        let end = from + length + close.len_utf8();
        if !quote.is_empty() {
            let after = first_paragraph(&text[end..]);
            let after = sentences_of(after).next().unwrap_or_default();
            let before = last_paragraph(&text[..at]);
            let before = sentences_of(before).last().unwrap_or_default();
            found.push(DraftQuotation {
                quote: quote.to_owned(),
                start: offset + at,
                end: offset + end,
                number: numbers(after).next().or_else(|| numbers(before).last()),
                cites: link_in(after).or_else(|| link_in(before)),
            });
        }
        from = end;
    }
}

fn next_opening(text: &str, from: usize) -> Option<(usize, char, char)> {
    text[from..].char_indices().find_map(|(at, character)| {
        let at = from + at;
        let &(open, close) = PAIRS.iter().find(|(open, _)| *open == character)?;
        let inside_word = open == '"' && text[..at].ends_with(char::is_alphanumeric);
        (!inside_word).then_some((at, open, close))
    })
}

/// Where the first blank line begins: at the end of the line before it.
fn paragraph_end(text: &str) -> Option<usize> {
    paragraph_breaks(text).next().map(|(start, _)| start)
}

/// From the end of a line to the beginning of the one after a blank line.
fn paragraph_breaks(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices('\n').filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        rest[blank..]
            .starts_with('\n')
            .then_some((at, at + 1 + blank + 1))
    })
}

fn first_paragraph(text: &str) -> &str {
    &text[..paragraph_end(text).unwrap_or(text.len())]
}

fn last_paragraph(text: &str) -> &str {
    &text[paragraph_breaks(text).last().map_or(0, |(_, end)| end)..]
}

/// Cut where a full stop, a question mark or an exclamation mark stands before white space.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.char_indices().find(|&(at, character)| {
            let after = text[at + character.len_utf8()..].chars().next();
            matches!(character, '.' | '!' | '?') && after.is_some_and(char::is_whitespace)
        });
        let Some((end, _)) = end else {
            rest = None;
            return Some(text);
        };
        rest = Some(&text[end + 1..]);
        Some(&text[..end])
    })
}

/// The numbers in square brackets of a text; several in one pair (`[1, 3]`) count each.
fn numbers(text: &str) -> impl Iterator<Item = u32> {
    let pairs = text.match_indices('[').filter_map(|(open, _)| {
        let inside = &text[open + 1..];
        let close = inside.find(']')?;
        // `[3](address)` is a link, and `[[3]]` another.
        let is_link = inside[close + 1..].starts_with(['(', ']']) || text[..open].ends_with('[');
        (!is_link).then(|| &inside[..close])
    });
    pairs.flat_map(|inside| {
        let all: Option<Vec<u32>> = inside.split([',', ';']).map(small_number).collect();
        all.unwrap_or_default()
    })
}

/// A number in square brackets at the beginning, and what follows it.
fn number_at(text: &str) -> Option<(u32, &str)> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    Some((small_number(inside)?, rest))
}

fn small_number(text: &str) -> Option<u32> {
    let text = text.trim();
    let is_number = (1..=4).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// The target of the first link to a note, without heading and alias.
fn link_in(text: &str) -> Option<String> {
    wiki_target(text).or_else(|| markdown_target(text))
}

fn wiki_target(text: &str) -> Option<String> {
    text.match_indices("[[").find_map(|(open, _)| {
        let inside = &text[open + 2..];
        let inside = &inside[..inside.find("]]")?];
        let target = inside.split(['|', '#']).next().unwrap_or_default().trim();
        let is_plain = !target.is_empty() && !target.contains(']');
        is_plain.then(|| target.to_owned())
    })
}

fn markdown_target(text: &str) -> Option<String> {
    text.match_indices("](").find_map(|(open, _)| {
        let inside = &text[open + 2..];
        let inside = &inside[..inside.find(')')?];
        let target = inside.split('#').next().unwrap_or_default();
        let is_note = target.ends_with(".md") && !target.contains(char::is_whitespace);
        is_note.then(|| percent_decode_str(target).decode_utf8_lossy().into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found<'a> = (&'a str, Option<u32>, Option<&'a str>);

    fn check(draft: &str, expected: &[Found<'_>]) {
        let found = quotations(draft);
        let told: Vec<Found<'_>> = found
            .iter()
            .map(|it| (it.quote.as_str(), it.number, it.cites.as_deref()))
            .collect();
        assert_eq!(told, expected, "{draft}");
        for it in &found {
            assert!(draft[it.start..it.end].contains(it.quote.lines().next().unwrap()));
        }
    }

    #[test]
    fn what_stands_between_marks_is_a_quotation() {
        check(
            "He said “one thing”, „ein anderes“, «une troisième», »viertes« and \"a fifth\".",
            &[
                ("one thing", None, None),
                ("ein anderes", None, None),
                ("une troisième", None, None),
                ("viertes", None, None),
                ("a fifth", None, None),
            ],
        );
        check("A 6\" pipe and don\"t.", &[]);
        check(
            "An “unpaired mark\n\nand a “pair”.",
            &[("pair", None, None)],
        );
        check("Nothing: \"\" and “ ”.", &[]);
    }

    #[test]
    fn the_source_stands_in_the_same_sentence() {
        check(
            "It “fell by 210 points” [3]. Then “rose again” [4], see [[notes/b#Part|that]].",
            &[
                ("fell by 210 points", Some(3), None),
                ("rose again", Some(4), Some("notes/b")),
            ],
        );
        check(
            "As [2] has it, “first” and “second” [5]. “Third.” Fourth [6].",
            &[
                ("first", Some(5), None),
                ("second", Some(5), None),
                ("Third.", Some(6), None),
            ],
        );
        check(
            "Of [the note](a%20b/c.md#x) it says “so it is”.",
            &[("so it is", None, Some("a b/c.md"))],
        );
        check(
            "See [[a]]. “Nothing beside it.”\n\n[7] stands elsewhere.",
            &[("Nothing beside it.", None, None)],
        );
        check(
            "“Both of them” [1, 3] and “no number” [x] or [9](http://a.example).",
            &[
                ("Both of them", Some(1), None),
                ("no number", Some(3), None),
            ],
        );
    }

    #[test]
    fn a_blockquote_is_one_quotation() {
        check(
            "Before:\n> The first line\n> and the second.\n> — [[source]]\n\nAfter.",
            &[("The first line\nand the second.", None, Some("source"))],
        );
        check("> All of it. [2]\n", &[("All of it.", Some(2), None)]);
        check(
            "> All of it.\n\n[[source]] says so.",
            &[("All of it.", None, Some("source"))],
        );
        check("> All of it.\n> -- [4]", &[("All of it.", Some(4), None)]);
        check("    > four spaces are code", &[]);
    }

    #[test]
    fn no_draft_is_too_odd() {
        for draft in [
            "",
            "“",
            "\"",
            ">",
            "> ",
            "[",
            "“a” [",
            "“a” [[",
            "“a” [1",
            "“ü” ](",
            "\n\n>\n",
        ] {
            for it in quotations(draft) {
                assert!(it.start < it.end && it.end <= draft.len(), "{draft}");
            }
        }
    }
}
