//! A note: what its frontmatter says of it, and what its body is made of.
//!
//! | fact | keys, the first usable one counts |
//! |---|---|
//! | title | `title`; else the first H1; else the file's stem |
//! | author | `author`, `authors`: one text or a list, joined `A; B` in the note's order |
//! | published_at | `published_at`, `date`, `created` |
//! | tags | `tags`, `tag`, and `#tags` in the body; without `#`, each once whatever its case |
//! | aliases | `aliases`, `alias` |
//! | kind | `kind`, `type` |
//! | evergreen | `evergreen`, or a tag of that name |
//! | valid_from, valid_until | the keys of that name |
//! | permalink | `permalink`, `url` |
//!
//! An author is not cut at commas or at *and*: `Doe, Jane` is one person. A tag in a list may have
//! spaces; one text is cut at commas and spaces.
//!
//! Scrub a text *before* it is parsed: every span below is in bytes of the text that is given here.

use std::ops::Range;

use serde_norway::Value;

use crate::chunk::{self, Chunk, ChunkRules};
use crate::date::{self, Edge};
use crate::fold::key;
use crate::frontmatter::{self, Frontmatter, Problem, scalar};
use crate::links::{self, Link};
use crate::markdown;
use crate::outline::{Heading, InlineTag, Unit};
use crate::sentence;

/// A note that has been read. Spans are bytes of its text.
#[derive(Debug)]
pub struct ParsedNote<'t> {
    /// Its path in the vault.
    pub path: String,
    /// Never empty, unless the path is.
    pub title: String,
    /// Who wrote it; several are joined by `; `.
    pub author: Option<String>,
    /// When it was published, in unix seconds.
    pub published_at: Option<i64>,
    /// Frontmatter first, then the body's, each once.
    pub tags: Vec<String>,
    /// Other names of the note.
    pub aliases: Vec<String>,
    /// What sort of note it is.
    pub kind: Option<String>,
    /// It does not age.
    pub evergreen: bool,
    /// From when it holds, in unix seconds.
    pub valid_from: Option<i64>,
    /// Until when it holds, in unix seconds.
    pub valid_until: Option<i64>,
    /// Where it is published.
    pub permalink: Option<String>,
    /// Frontmatter first, then in the order of the body.
    pub links: Vec<Link>,
    /// At the top level of the body.
    pub headings: Vec<Heading>,
    /// What could not be used. The rest of the note was.
    pub problems: Vec<Problem>,
    /// The text without its frontmatter.
    pub body: Range<usize>,
    pub(crate) text: &'t str,
    pub(crate) blocks: Vec<Range<usize>>,
    pub(crate) units: Vec<Unit>,
}

impl<'t> ParsedNote<'t> {
    /// The text that was parsed.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Its chunks, in the order of the note.
    #[must_use]
    pub fn chunks(&self, rules: ChunkRules) -> Vec<Chunk<'t>> {
        chunk::chunks(self, rules)
    }

    /// The sentences of one of its chunks, as bytes of the chunk's text.
    #[must_use]
    pub fn sentences(&self, chunk: &Chunk<'_>) -> Vec<Range<usize>> {
        let first = self
            .units
            .partition_point(|unit| unit.span.end <= chunk.span.start);
        sentence::in_units(self.text, &self.units[first..], &chunk.span)
    }

    /// What is searched beside the text of a chunk: title, breadcrumb, kind, tags and aliases.
    #[must_use]
    pub fn heading_context(&self, chunk: &Chunk<'_>) -> String {
        // The note's H1 usually repeats its title; weighing it twice would be an accident.
        let crumbs = &chunk.breadcrumb;
        let repeated = crumbs.first().is_some_and(|first| *first == self.title);
        let breadcrumb = crumbs[usize::from(repeated)..].join(" › ");
        let kind = self.kind.clone().unwrap_or_default();
        let parts = [
            self.title.clone(),
            breadcrumb,
            kind,
            self.tags.join(", "),
            self.aliases.join(", "),
        ];
        let said: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        said.join(" | ")
    }
}

/// Reads a note. `path` is its path in the vault, with `/` between folders.
#[must_use]
pub fn parse<'t>(path: &str, text: &'t str) -> ParsedNote<'t> {
    let mut front = frontmatter::read(text);
    let body = front.end..text.len();
    let outline = markdown::outline(text, body.clone());

    let title = front.first(&["title"], "a text", scalar);
    let first_h1 = || outline.headings.iter().find(|heading| heading.level == 1);
    let title = title
        .or_else(|| first_h1().map(|heading| heading.label.clone()))
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| stem(path).to_owned());
    let tags = tags(&front, &outline.tags);
    let evergreen = front.first(&["evergreen"], "true or false", flag);
    let mut links = links::of_frontmatter(text, &front);
    links.extend(links::of_body(outline.links));

    ParsedNote {
        path: path.to_owned(),
        title,
        author: author(&front),
        published_at: front.first(&["published_at", "date", "created"], A_DATE, |value| {
            date::seconds(&scalar(value)?, Edge::First)
        }),
        evergreen: evergreen.unwrap_or_else(|| tags.iter().any(|tag| key(tag) == "evergreen")),
        tags,
        aliases: aliases(&front),
        kind: front.first(&["kind", "type"], "a text", scalar),
        valid_from: front.first(&["valid_from"], A_DATE, |value| {
            date::seconds(&scalar(value)?, Edge::First)
        }),
        valid_until: front.first(&["valid_until"], A_DATE, |value| {
            date::seconds(&scalar(value)?, Edge::Last)
        }),
        permalink: front
            .first(&["permalink", "url"], "a text", |value| match value {
                // Some site generators take `permalink: false` for "has none".
                Value::Bool(_) => Some(None),
                value => scalar(value).map(Some),
            })
            .flatten(),
        links,
        headings: outline.headings,
        problems: front.problems,
        body,
        text,
        blocks: outline.blocks,
        units: outline.units,
    }
}

const A_DATE: &str = "a date such as 2026-03-05 or 2026-03-05T12:00:00+01:00";

/// The name of a file without folders and extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.len() - markdown_extension(name).len();
    &name[..extension]
}

/// `.md` or `.markdown` with its dot, whatever its case, or nothing.
pub(crate) fn markdown_extension(name: &str) -> &str {
    let Some(dot) = name.rfind('.') else {
        return "";
    };
    let extension = &name[dot..];
    let known = [".md", ".markdown"];
    if known
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
    {
        extension
    } else {
        ""
    }
}

fn flag(value: &Value) -> Option<bool> {
    match scalar(value)?.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn author(front: &Frontmatter) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for listed in ["author", "authors"]
        .iter()
        .flat_map(|key| front.texts(key))
    {
        for name in listed.split(';') {
            let name = shown(name);
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    (!names.is_empty()).then(|| names.join("; "))
}

/// A name without the brackets of a wikilink: what the link shows.
fn shown(name: &str) -> String {
    let name = name.trim();
    let inner = name
        .strip_prefix("[[")
        .and_then(|name| name.strip_suffix("]]"));
    let inner = inner.unwrap_or(name);
    inner.rsplit('|').next().unwrap_or(inner).trim().to_owned()
}

fn tags(front: &Frontmatter, inline: &[InlineTag]) -> Vec<String> {
    let mut tags = Distinct::default();
    for tag in frontmatter_tags(front) {
        tags.add(&tag);
    }
    inline.iter().for_each(|tag| tags.add(&tag.name));
    tags.names
}

/// The tags of the frontmatter alone, each once.
pub(crate) fn frontmatter_tags(front: &Frontmatter) -> Vec<String> {
    let mut tags = Distinct::default();
    for name in ["tags", "tag"] {
        let texts = front.texts(name);
        if front.is_scalar(name) {
            let cut = texts.iter().flat_map(|text| text.split([',', ' ']));
            cut.for_each(|tag| tags.add(tag.trim().trim_start_matches('#')));
        } else {
            texts
                .iter()
                .for_each(|tag| tags.add(tag.trim_start_matches('#')));
        }
    }
    tags.names
}

fn aliases(front: &Frontmatter) -> Vec<String> {
    let mut aliases = Distinct::default();
    for name in ["aliases", "alias"] {
        let texts = front.texts(name);
        if front.is_scalar(name) {
            let cut = texts.iter().flat_map(|text| text.split(','));
            cut.for_each(|alias| aliases.add(alias.trim()));
        } else {
            texts.iter().for_each(|alias| aliases.add(alias));
        }
    }
    aliases.names
}

/// Names in the order in which they came, each once whatever its case.
#[derive(Default)]
struct Distinct {
    names: Vec<String>,
    seen: std::collections::BTreeSet<String>,
}

impl Distinct {
    fn add(&mut self, name: &str) {
        if !name.is_empty() && self.seen.insert(key(name)) {
            self.names.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_found_somewhere() {
        let check = |path: &str, text: &str, expected: &str| {
            assert_eq!(parse(path, text).title, expected, "{text:?}");
        };
        check("a/b.md", "---\ntitle: T\n---\n# H", "T");
        check("a/b.md", "---\ntitle: 2026\n---\n# H", "2026");
        check("a/b.md", "---\ntitle:\n---\n## Two\n# *H*", "H");
        check("a/b c.v2.md", "text", "b c.v2");
        check("B.MD", "#", "B");
    }

    #[test]
    fn frontmatter_says_what_a_note_is() {
        let text = "---\nauthors: [\"[[Ann|Ann B]]\", Carl; Doe, \"Ann B\"]\ndate: soon\ncreated: 1970-01-02\ntags: '#a, b/c evergreen'\naliases: One, Two\ntype: Filing\nvalid_until: 1970-01-01\nurl: /x/\nevergreen: maybe\n---\nText #A #d\n";
        let note = parse("n.md", text);
        assert_eq!(note.author.as_deref(), Some("Ann B; Carl; Doe"));
        assert_eq!(note.published_at, Some(86_400));
        assert_eq!(note.tags, ["a", "b/c", "evergreen", "d"]);
        assert_eq!(note.aliases, ["One", "Two"]);
        assert_eq!(note.kind.as_deref(), Some("Filing"));
        assert_eq!(note.valid_until, Some(86_399));
        assert_eq!(note.permalink.as_deref(), Some("/x/"));
        assert!(note.evergreen, "by its tag");
        let keys: Vec<_> = note
            .problems
            .iter()
            .map(|p| (p.line, p.key.as_deref()))
            .collect();
        assert_eq!(keys, [(10, Some("evergreen")), (3, Some("date"))]);
    }

    #[test]
    fn heading_context_says_each_thing_once() {
        let text = "---\nkind: memo\ntags: [x, y]\naliases: [Z]\n---\n# T\n## S\nwords\n";
        let note = parse("n.md", text);
        let chunks = note.chunks(ChunkRules::SECTIONS);
        assert_eq!(note.heading_context(&chunks[1]), "T | S | memo | x, y | Z");
    }
}
