//! Links from a note to other notes, and what kind of edge each of them is.
//!
//! Read: `[[note]]`, `[[note|shown]]`, `[[note#heading]]`, `[[note#^block]]`, `![[embed]]`, and
//! markdown links and images whose destination is a path (percent-decoded, `.md` optional). What
//! names a scheme (`https:`, `mailto:`) or a host (`//…`) leads out of the vault and is no link
//! here.
//!
//! The kind does not depend on the syntax. The first rule that applies decides:
//!
//! 1. an embed is a **wikilink** (an association);
//! 2. under the innermost heading that says so: References, Sources, Bibliography → **citation**;
//!    Related, See also, Links → wikilink;
//! 3. in a footnote → citation: the sentence that carries the mark cites it;
//! 4. in a block with words of its own → citation; in one that only links → wikilink. A list item
//!    is its own block.
//!
//! In frontmatter `cites`, `sources` and `references` are citations; `related`, `up`, `parent`,
//! `next` and `prev` are wikilinks.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::frontmatter::Frontmatter;
use crate::markdown;
use crate::outline::RawLink;
use crate::section::Role;

/// The two kinds of edge between notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// The note rests on the other.
    Citation,
    /// The note stands beside the other.
    Wikilink,
}

impl EdgeKind {
    /// The name under which it is stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Citation => "citation",
            Self::Wikilink => "wikilink",
        }
    }
}

/// How a link is written, which decides how a bare path is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Syntax {
    /// `[[target]]`: a name, looked for everywhere.
    Wiki,
    /// `[text](target)`: a path, looked for from the note's folder first.
    Markdown,
}

/// A link to a note, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its bytes in the note, markup included. For a link in frontmatter the bytes of its target,
    /// or all of the frontmatter where those are not to be found (in a folded text, say).
    pub span: Range<usize>,
    /// What it names: a path, a name or an alias. Empty for the note itself.
    pub target: String,
    /// What follows `#`: a heading, or a block with its `^`.
    pub fragment: Option<String>,
    /// How it is written.
    pub syntax: Syntax,
    /// `![[…]]` or `![…](…)`.
    pub embed: bool,
    /// What kind of edge it makes.
    pub kind: EdgeKind,
}

/// The links of a note's body.
pub(crate) fn of_body(raw: Vec<RawLink>) -> Vec<Link> {
    raw.into_iter().filter_map(link).collect()
}

fn link(raw: RawLink) -> Option<Link> {
    let kind = kind(&raw);
    let (target, fragment, syntax) = if raw.wiki {
        let (target, fragment) = wiki_target(&raw.destination)?;
        (target, fragment, Syntax::Wiki)
    } else {
        let (target, fragment) = markdown_target(&raw.destination)?;
        (target, fragment, Syntax::Markdown)
    };
    Some(Link {
        span: raw.span,
        target,
        fragment,
        syntax,
        embed: raw.embed,
        kind,
    })
}

fn kind(link: &RawLink) -> EdgeKind {
    match link.role {
        _ if link.embed => EdgeKind::Wikilink,
        Role::References => EdgeKind::Citation,
        Role::Related => EdgeKind::Wikilink,
        Role::Plain if link.footnote || link.among_words => EdgeKind::Citation,
        Role::Plain => EdgeKind::Wikilink,
    }
}

/// Target and fragment of what stands in double brackets before any `|`.
fn wiki_target(inner: &str) -> Option<(String, Option<String>)> {
    // In a table the pipe is escaped, and a parser may leave the escape to us.
    let name = inner
        .split('|')
        .next()
        .unwrap_or(inner)
        .trim_end_matches('\\');
    if leads_out(name) {
        return None;
    }
    let (target, fragment) = split_fragment(name);
    let empty = target.is_empty() && fragment.is_none();
    (!empty).then_some((target, fragment))
}

fn markdown_target(destination: &str) -> Option<(String, Option<String>)> {
    if destination.is_empty() || leads_out(destination) {
        return None;
    }
    let (path, fragment) = match destination.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (destination, None),
    };
    let path = path.split('?').next().unwrap_or(path);
    let decode = |text: &str| {
        percent_decode_str(text)
            .decode_utf8_lossy()
            .trim()
            .to_owned()
    };
    let fragment = fragment.map(decode).filter(|fragment| !fragment.is_empty());
    let target = decode(path);
    let empty = target.is_empty() && fragment.is_none();
    (!empty).then_some((target, fragment))
}

fn split_fragment(name: &str) -> (String, Option<String>) {
    let (target, fragment) = match name.split_once('#') {
        Some((target, fragment)) => (target, Some(fragment.trim())),
        None => (name, None),
    };
    let fragment = fragment.filter(|fragment| !fragment.is_empty());
    (target.trim().to_owned(), fragment.map(str::to_owned))
}

/// Whether a destination names a scheme or a host. A single letter is a drive or a heading
/// (`C: notes`), no scheme.
fn leads_out(destination: &str) -> bool {
    if destination.starts_with("//") {
        return true;
    }
    let Some((scheme, rest)) = destination.split_once(':') else {
        return false;
    };
    let named = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    // A note may be called `Rust: the book`; a scheme is followed by something at once.
    named && !rest.starts_with(' ')
}

const CITED: [&str; 3] = ["cites", "sources", "references"];
const RELATED: [&str; 5] = ["related", "up", "parent", "next", "prev"];

/// The links of a note's frontmatter.
pub(crate) fn of_frontmatter(text: &str, front: &Frontmatter) -> Vec<Link> {
    let cited = CITED.iter().map(|&key| (key, EdgeKind::Citation));
    let related = RELATED.iter().map(|&key| (key, EdgeKind::Wikilink));
    let mut links = Vec::new();
    for (key, kind) in cited.chain(related) {
        let mut places = Places::of_key(text, front, key);
        for value in front.texts(key) {
            for (target, fragment, syntax) in named_in(&value) {
                links.push(Link {
                    span: places.next(&target),
                    target,
                    fragment,
                    syntax,
                    embed: false,
                    kind,
                });
            }
        }
    }
    links
}

/// What a text in frontmatter names: the links in it, or else all of it.
fn named_in(value: &str) -> Vec<(String, Option<String>, Syntax)> {
    let found = markdown::outline(value, 0..value.len()).links;
    if found.is_empty() {
        let target = wiki_target(value).filter(|(target, _)| !target.is_empty());
        let named = target.map(|(target, fragment)| (target, fragment, Syntax::Wiki));
        return named.into_iter().collect();
    }
    let links = found.into_iter().filter_map(link);
    links
        .map(|link| (link.target, link.fragment, link.syntax))
        .collect()
}

/// Finds targets in the text of the frontmatter, each after the one before.
struct Places<'t> {
    text: &'t str,
    all: Range<usize>,
    from: usize,
}

impl<'t> Places<'t> {
    fn of_key(text: &'t str, front: &Frontmatter, key: &str) -> Self {
        let all = front.span.clone();
        let mut at = all.start;
        for line in text[all.clone()].split_inclusive('\n') {
            if line
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(':'))
            {
                at += key.len();
                return Self {
                    text,
                    all,
                    from: at,
                };
            }
            at += line.len();
        }
        let from = all.end;
        Self { text, all, from }
    }

    fn next(&mut self, target: &str) -> Range<usize> {
        let found = self.text[self.from..self.all.end].find(target);
        let Some(at) = found.filter(|_| !target.is_empty()) else {
            // What is not found once would be searched for in vain each time.
            self.from = self.all.end;
            return self.all.clone();
        };
        let start = self.from + at;
        self.from = start + target.len();
        start..self.from
    }
}

#[cfg(test)]
mod tests {
    use super::EdgeKind::{Citation, Wikilink};
    use super::*;
    use crate::parse;

    #[test]
    fn a_link_is_what_the_parser_calls_one() {
        let check = |text: &str, expected: &[(&str, &str, Option<&str>)]| {
            let note = parse("a.md", text);
            let found: Vec<_> = note
                .links
                .iter()
                .map(|l| {
                    (
                        &text[l.span.clone()],
                        l.target.as_str(),
                        l.fragment.as_deref(),
                    )
                })
                .collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("x [[note]] y", &[("[[note]]", "note", None)]);
        check("[[a b/c|shown]]", &[("[[a b/c|shown]]", "a b/c", None)]);
        check(
            "[[note#A heading]]",
            &[("[[note#A heading]]", "note", Some("A heading"))],
        );
        check("[[note#^b1]]", &[("[[note#^b1]]", "note", Some("^b1"))]);
        check("[[#here]]", &[("[[#here]]", "", Some("here"))]);
        check("![[pic.png|100]]", &[("![[pic.png|100]]", "pic.png", None)]);
        check(
            "[[snake_case_name]] [[2*3*4]]",
            &[
                ("[[snake_case_name]]", "snake_case_name", None),
                ("[[2*3*4]]", "2*3*4", None),
            ],
        );
        check(
            "[t](../b%20c.md#x%20y)",
            &[("[t](../b%20c.md#x%20y)", "../b c.md", Some("x y"))],
        );
        check("[t](<b c.md>)", &[("[t](<b c.md>)", "b c.md", None)]);
        check(
            "[t][r]\n\n[r]: /docs/x/ \"title\"",
            &[("[t][r]", "/docs/x/", None)],
        );
        check(
            "[t](https://e.org) <https://e.org> [m](mailto:a@b.c) [h](//e.org/x)",
            &[],
        );
        check(
            "`[[no]]` `` [no](x.md) ``\n\n```\n[[no]]\n```\n\n    [[no]]\n",
            &[],
        );
        check("<!-- [[no]] -->\n\na <!-- [no](x.md) --> b", &[]);
        check("%% [[no]] %% [[yes]]", &[("[[yes]]", "yes", None)]);
        check("%%\n\n[[no]]\n\n%%\n\n[[yes]]", &[("[[yes]]", "yes", None)]);
        check(
            "| a |\n|---|\n| [[n\\|shown]] |\n",
            &[("[[n\\|shown]]", "n", None)],
        );
        check("[[]] [[ ]] [[|x]] []()", &[]);
        check(
            "[[Rust: the book]]",
            &[("[[Rust: the book]]", "Rust: the book", None)],
        );
        check(
            "[[日本語 ノート]]",
            &[("[[日本語 ノート]]", "日本語 ノート", None)],
        );
    }

    #[test]
    fn the_block_and_its_heading_say_what_a_link_is() {
        let check = |text: &str, expected: &[EdgeKind]| {
            let note = parse("a.md", text);
            let found: Vec<_> = note.links.iter().map(|link| link.kind).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("As [[a]] shows.", &[Citation]);
        check("[[a]], [[b]] · [c](c.md)", &[Wikilink; 3]);
        check("[[a]] https://e.org #tag [w](https://e.org)", &[Wikilink]);
        check(
            "- [[a]]\n- see [[b]]\n- [ ] [[c]]\n",
            &[Wikilink, Citation, Wikilink],
        );
        check(
            "- words\n  - [[a]]\n- [[b]]\n  - words\n",
            &[Wikilink, Wikilink],
        );
        check("- [[a]]\n\n  words\n", &[Citation]);
        check("Look: ![[a]]", &[Wikilink]);
        check(
            "## References\n- [[a]]\n### Books\n- [[b]]\n## Other\n- [[c]]",
            &[Citation, Citation, Wikilink],
        );
        check("## See also\nRead [[a]] as well.\n", &[Wikilink]);
        check(
            "# Related\n## Sources\n[[a]]\n## B\n[[b]] words",
            &[Citation, Wikilink],
        );
        check("x[^1]\n\n[^1]: [[a]]\n", &[Citation]);
        check("> [[a]]\n\n> words [[b]]\n", &[Wikilink, Citation]);
        check(
            "| a | b |\n|---|---|\n| [[a]] | words |\n| [[b]] | [[c]] |\n",
            &[Citation, Wikilink, Wikilink],
        );
        check("`code` [[a]]", &[Citation]);
        check("%% words %% [[a]]", &[Wikilink]);
    }

    #[test]
    fn frontmatter_links_by_their_key() {
        let text = "---\nup: [[Parent]]\ncites:\n  - \"[[A|a]]\"\n  - B\n  - https://e.org\nrelated: \"[[A]], [c](c.md#x)\"\n---\n[[Z]]";
        let note = parse("a.md", text);
        let found: Vec<_> = note
            .links
            .iter()
            .map(|l| (l.target.as_str(), l.kind, &text[l.span.clone()]))
            .collect();
        assert_eq!(
            found,
            [
                ("A", Citation, "A"),
                ("B", Citation, "B"),
                ("A", Wikilink, "A"),
                ("c.md", Wikilink, "c.md"),
                ("Parent", Wikilink, "Parent"),
                ("Z", Wikilink, "[[Z]]"),
            ]
        );
    }
}
