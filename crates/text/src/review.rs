//! `_review-queue.md`: tags that were proposed for notes and wait for a person.
//!
//! ```markdown
//! - [ ] Research/Margins.md: margins, risk
//! - [x] a note that was agreed with.md: thesis/bull
//! ```
//!
//! People edit this page, so much is forgiven: any list mark, `[X]`, a box without its space, links
//! instead of paths, `#` before tags, commas too many. Only reading; [`crate::edit`] changes it. A line
//! that cannot be used is a [`Problem`], never a note's change.

use std::ops::Range;

use crate::frontmatter::Problem;
use crate::listing::{Item, items, trimmed};
use crate::taxonomy::{bare, why_no_tag};

/// What waits, and what was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewQueue {
    /// In the order of the page.
    pub entries: Vec<ReviewEntry>,
    /// What could not be used, by line.
    pub problems: Vec<Problem>,
}

/// Tags that were proposed for a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewEntry {
    /// Whether a person agreed.
    pub ticked: bool,
    /// The note, from the vault's root.
    pub path: String,
    /// The tags that are left of the proposal.
    pub tags: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
    /// Where it is written, from the box to the last tag.
    pub span: Range<usize>,
    /// All of it, with what a person wrote below it.
    pub(crate) whole: Range<usize>,
    /// What stands in the box.
    pub(crate) mark: Range<usize>,
    /// What follows the colon.
    pub(crate) list: Range<usize>,
    /// Where each tag is written, also one that stands twice.
    pub(crate) written: Vec<Range<usize>>,
}

/// Reads a `_review-queue.md`.
#[must_use]
pub fn review_queue(text: &str) -> ReviewQueue {
    let mut queue = ReviewQueue::default();
    for item in items(text) {
        match entry(text, &item) {
            Ok(entry) => queue.entries.push(entry),
            Err(message) => queue.problems.push(Problem {
                line: item.line,
                key: None,
                message,
            }),
        }
    }
    queue
}

fn entry(text: &str, item: &Item) -> Result<ReviewEntry, String> {
    let span = trimmed(text, item.span.clone());
    let words = &text[span.clone()];
    let (ticked, rest) = unboxed(words).ok_or("there is no box: `- [ ] path.md: tags`")?;
    let (path, tags) = path_and_tags(rest).ok_or("there is no `path.md:` before the tags")?;
    let list = span.end - tags.len()..span.end;
    let mut names: Vec<String> = Vec::new();
    let mut written = Vec::new();
    let mut at = list.start;
    for part in tags.split(',') {
        let place = bare(text, at..at + part.len());
        at += part.len() + 1;
        if part.trim().is_empty() {
            continue;
        }
        let name = &text[place.clone()];
        if let Some(message) = why_no_tag(name) {
            return Err(message);
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        written.push(place);
    }
    let end_of_mark = words.len() - rest.len() - 1;
    Ok(ReviewEntry {
        ticked,
        path: path.to_owned(),
        tags: names,
        line: item.line,
        mark: span.start + 1..span.start + end_of_mark,
        whole: item.whole.start..item.whole.end.max(span.end),
        span,
        list,
        written,
    })
}

/// Whether the box is ticked, and what follows it.
fn unboxed(words: &str) -> Option<(bool, &str)> {
    // A link at the beginning is no box.
    let inside = words.strip_prefix('[').filter(|it| !it.starts_with('['))?;
    let (mark, rest) = inside.split_once(']')?;
    match mark.trim() {
        "" => Some((false, rest)),
        "x" | "X" | "✓" | "✔" => Some((true, rest)),
        _ => None,
    }
}

/// The first colon after the ending of a note's name: a colon may stand in the name itself.
fn path_and_tags(rest: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while let Some(found) = rest[from..].find(':') {
        let at = from + found;
        let path = unlinked(rest[..at].trim());
        let lower = path.to_ascii_lowercase();
        if [".md", ".markdown"].iter().any(|end| lower.ends_with(end)) {
            return Some((path, &rest[at + 1..]));
        }
        from = at + 1;
    }
    None
}

/// `[[path]]` and `` `path` `` as `path`.
fn unlinked(path: &str) -> &str {
    let between = |start, end| path.strip_prefix(start)?.strip_suffix(end);
    between("[[", "]]")
        .or_else(|| between("`", "`"))
        .unwrap_or(path)
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line tick path: tags`, then the problems.
    fn check(text: &str, expected: &[&str]) {
        let queue = review_queue(text);
        let mut lines: Vec<String> = Vec::new();
        for entry in &queue.entries {
            let tick = if entry.ticked { 'x' } else { '-' };
            let tags = entry.tags.join(" ");
            lines.push(format!("{} {tick} {}: {tags}", entry.line, entry.path));
            assert!(text[entry.span.clone()].starts_with('['), "{entry:?}");
            assert_eq!(!text[entry.mark.clone()].trim().is_empty(), entry.ticked);
            for place in &entry.written {
                assert!(entry.tags.iter().any(|tag| *tag == text[place.clone()]));
            }
        }
        lines.extend(queue.problems.iter().map(ToString::to_string));
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_line_proposes_tags_for_a_note() {
        check(
            "# Queue\n\nSome words: not an entry.\n\n- [ ] a b.md: x, y/z\n- [x] c.md: w\n",
            &["5 - a b.md: x y/z", "6 x c.md: w"],
        );
        check("", &[]);
    }

    #[test]
    fn what_people_do_to_it_is_forgiven() {
        check("* [X]  a.md :  x ,, #y, x,\n", &["1 x a.md: x y"]);
        check("- []a.md: x\n", &["1 - a.md: x"]);
        check("+ [ x ] `a.md`: `x`\n", &["1 x a.md: x"]);
        check("1. [ ] [[d/a.md]]: x\n", &["1 - d/a.md: x"]);
        check("- [ ] Re: margins.md: x\n", &["1 - Re: margins.md: x"]);
        check("- [ ] A.MARKDOWN:\n", &["1 - A.MARKDOWN: "]);
        check(
            "- [x] _under_ *star*.md: x\n",
            &["1 x _under_ *star*.md: x"],
        );
        check(
            "- [ ] 🏃 run.md: x\n\n    More words.\n",
            &["1 - 🏃 run.md: x"],
        );
    }

    #[test]
    fn what_cannot_be_used_is_reported_by_line_and_the_rest_goes_on() {
        check(
            "- a.md: x\n- [?] a.md: x\n- [ ] nothing\n- [ ] a.md: two words\n- [ ] b.md: y\n",
            &[
                "5 - b.md: y",
                "line 1: there is no box: `- [ ] path.md: tags`",
                "line 2: there is no box: `- [ ] path.md: tags`",
                "line 3: there is no `path.md:` before the tags",
                "line 4: `two words` is no tag: it has ' ' in it",
            ],
        );
    }
}
