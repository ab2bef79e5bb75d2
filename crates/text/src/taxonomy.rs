//! `_taxonomy.md`: the tags that a domain allows, and what each is for.
//!
//! ```markdown
//! ## Sectors                       a group
//! - sector/freight: moving goods   a tag, a colon, what it is for
//! - sector                         what it is for may be missing
//!     - energy: selling power      below another: sector/energy
//! ```
//!
//! Only reading; [`crate::edit`] changes it. A line that cannot be used is a [`Problem`], and the
//! rest goes on.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::fold;
use crate::frontmatter::Problem;
use crate::listing::{items, trimmed};

/// The tags of a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taxonomy {
    /// In the order of the page.
    pub tags: Vec<TaxonomyTag>,
    /// What could not be used, by line.
    pub problems: Vec<Problem>,
}

/// A tag that a domain allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaxonomyTag {
    /// Its whole name: `sector/energy`.
    pub name: String,
    /// What it is for, on one line; may be empty.
    pub description: String,
    /// The heading that it stands under.
    pub group: Option<String>,
    /// Its line, from 1.
    pub line: usize,
    /// Where the name is written, which below another tag may be only its last part.
    pub span: Range<usize>,
    /// All of it, with what stands below it.
    pub(crate) whole: Range<usize>,
}

impl Taxonomy {
    /// The tag of this name, whatever its case.
    #[must_use]
    pub fn allows(&self, name: &str) -> Option<&TaxonomyTag> {
        let wanted = fold::key(name);
        self.tags.iter().find(|tag| fold::key(&tag.name) == wanted)
    }
}

/// Reads a `_taxonomy.md`.
#[must_use]
pub fn taxonomy(text: &str) -> Taxonomy {
    let mut found = Taxonomy::default();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    // The names of the items around the one at hand; none where one could not be used.
    let mut above: Vec<Option<String>> = Vec::new();
    for item in items(text) {
        above.truncate(item.depth);
        let words = &text[item.span.clone()];
        let colon = words.find(':').unwrap_or(words.len());
        let name_span = bare(text, item.span.start..item.span.start + colon);
        let written = &text[name_span.clone()];
        let mut problem = |message: String| {
            found.problems.push(Problem {
                line: item.line,
                key: None,
                message,
            });
        };
        if let Some(message) = why_no_tag(written) {
            problem(message);
            above.push(None);
            continue;
        }
        let name = match above.last() {
            Some(Some(parent)) if !is_below(written, parent) => format!("{parent}/{written}"),
            _ => written.to_owned(),
        };
        above.push(Some(name.clone()));
        if let Some(first) = seen.insert(fold::key(&name), item.line) {
            problem(format!("`{name}` stands on line {first} already"));
            continue;
        }
        let description = words.get(colon + 1..).unwrap_or_default();
        found.tags.push(TaxonomyTag {
            name,
            description: description.split_whitespace().collect::<Vec<_>>().join(" "),
            group: item.heading,
            line: item.line,
            span: name_span,
            whole: item.whole,
        });
    }
    found
}

/// What is wrong with a tag's name, if anything is.
pub(crate) fn why_no_tag(name: &str) -> Option<String> {
    let strange = |c: char| c.is_whitespace() || c.is_control() || "#,;:|\"'`[](){}<>*".contains(c);
    if name.is_empty() {
        Some("there is no tag".to_owned())
    } else if let Some(found) = name.chars().find(|&c| strange(c)) {
        Some(format!("`{name}` is no tag: it has {found:?} in it"))
    } else if name.split('/').any(str::is_empty) {
        Some(format!("`{name}` is no tag: a part of it is empty"))
    } else {
        None
    }
}

/// A name without white space, code marks and the `#` that people put before tags.
pub(crate) fn bare(text: &str, span: Range<usize>) -> Range<usize> {
    let mut span = trimmed(text, span);
    let is_code = |it: &str| it.len() > 2 && it.starts_with('`') && it.ends_with('`');
    if is_code(&text[span.clone()]) {
        span = trimmed(text, span.start + 1..span.end - 1);
    }
    if text[span.clone()].starts_with('#') {
        span.start += 1;
    }
    span
}

fn is_below(name: &str, parent: &str) -> bool {
    let (name, parent) = (fold::key(name), fold::key(parent));
    name.strip_prefix(parent.as_str())
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line group name: description`, then the problems.
    fn check(text: &str, expected: &[&str]) {
        let found = taxonomy(text);
        let mut lines: Vec<String> = Vec::new();
        for tag in &found.tags {
            let group = tag.group.as_deref().unwrap_or("-");
            lines.push(format!(
                "{} {group} {}: {}",
                tag.line, tag.name, tag.description
            ));
            assert!(tag.name.ends_with(&text[tag.span.clone()]), "{tag:?}");
        }
        lines.extend(found.problems.iter().map(ToString::to_string));
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_line_is_a_tag_and_what_it_is_for() {
        check(
            "- a: one\n- b:two\n- c\n",
            &["1 - a: one", "2 - b: two", "3 - c: "],
        );
        check("* `a/b`: x: y\n+ #c : z\n", &["1 - a/b: x: y", "2 - c: z"]);
        check(
            "- a: one\n  two\n\n  A paragraph more.\n",
            &["1 - a: one two"],
        );
        check("- a: see [[b]] and *c*\n", &["1 - a: see [[b]] and *c*"]);
        check("1. a: numbered\n", &["1 - a: numbered"]);
        check("", &[]);
    }

    #[test]
    fn the_sample_vaults_pages_are_read_without_a_problem() {
        let tags = taxonomy(include_str!("../../../native/sample-vault/_taxonomy.md"));
        assert_eq!((tags.tags.len(), tags.problems), (22, Vec::new()));
        let queue = include_str!("../../../native/sample-vault/_review-queue.md");
        let queue = crate::review::review_queue(queue);
        assert_eq!((queue.entries.len(), queue.problems), (4, Vec::new()));
    }

    #[test]
    fn headings_are_groups_and_titles_are_not() {
        let text = "# Title\n\n- a: x\n\n## One\n\n- b: y\n\n### `Two` more\n\n- c: z\n";
        check(text, &["3 - a: x", "7 One b: y", "11 `Two` more c: z"]);
    }

    #[test]
    fn a_tag_below_another_is_a_part_of_it() {
        let text = "- sector: s\n  - energy: e\n    - oil: o\n  - sector/freight: f\n- other\n";
        check(
            text,
            &[
                "1 - sector: s",
                "2 - sector/energy: e",
                "3 - sector/energy/oil: o",
                "4 - sector/freight: f",
                "5 - other: ",
            ],
        );
    }

    #[test]
    fn what_cannot_be_used_is_reported_by_line_and_the_rest_goes_on() {
        check(
            "- two words: x\n- a: y\n- A: again\n- : nothing\n-\n- a//b: z\n- b: w\n",
            &[
                "2 - a: y",
                "7 - b: w",
                "line 1: `two words` is no tag: it has ' ' in it",
                "line 3: `A` stands on line 2 already",
                "line 4: there is no tag",
                "line 5: there is no tag",
                "line 6: `a//b` is no tag: a part of it is empty",
            ],
        );
    }

    #[test]
    fn code_and_frontmatter_are_no_list() {
        check(
            "---\ntags:\n- x\n---\n```\n- y: code\n```\n\n- a: z\n",
            &["9 - a: z"],
        );
    }
}
