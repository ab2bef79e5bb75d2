//! What a CommonMark parser sees in a note: headings, leaf texts, links, tags. One walk.
//!
//! The parser decides what is a heading, a block of code or a link; nothing here looks at lines.
//! It is a pull parser, so nesting costs heap and never stack.
//!
//! What comes of it is an [`Outline`].
//!
//! - A link belongs to a **block**: its list item; outside of lists its paragraph, heading or table
//!   row. The block knows whether it has words of its own: letters or digits outside of links,
//!   bare addresses and tags.
//! - `%%…%%` is a comment, as in Obsidian; a `%%` without a partner is text. Links and tags in
//!   comments do not exist. HTML comments need no rule: to the parser they are HTML.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::outline::{Heading, InlineTag, Outline, RawLink, Unit, UnitKind};
use crate::section::Role;

/// Walks `text[body]`; all spans are in bytes of `text`.
pub(crate) fn outline(text: &str, body: Range<usize>) -> Outline {
    let mut walk = Walk::new(text, &body);
    for (event, span) in events(&text[body.clone()]) {
        walk.take(event, span.start + body.start..span.end + body.start);
    }
    walk.finish()
}

fn events(body: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_WIKILINKS;
    Parser::new_ext(body, options).into_offset_iter()
}

/// The bytes between pairs of `%%` in running text.
fn comments(text: &str, body: &Range<usize>) -> Vec<Range<usize>> {
    if !text[body.clone()].contains("%%") {
        return Vec::new();
    }
    let mut marks = Vec::new();
    for (event, span) in events(&text[body.clone()]) {
        if let Event::Text(_) = event {
            let start = span.start + body.start;
            let found = text[body.clone()][span].match_indices("%%");
            marks.extend(found.map(|(at, _)| start + at));
        }
    }
    let pairs = marks.chunks_exact(2);
    pairs.map(|pair| pair[0]..pair[1] + 2).collect()
}

/// A leaf text that is still being read.
struct Leaf {
    kind: UnitKind,
    span: Range<usize>,
    block: usize,
    /// Only for headings: level and text so far.
    heading: Option<(u8, String)>,
}

struct Walk<'t> {
    text: &'t str,
    comments: Vec<Range<usize>>,
    found: Outline,
    /// By link: the block it stands in.
    block_of_link: Vec<usize>,
    /// By block: whether it has words of its own.
    words: Vec<bool>,
    /// Blocks of the list items around this place.
    items: Vec<usize>,
    /// Quotations, lists, items, tables and footnotes around this place.
    depth: usize,
    footnotes: usize,
    /// Links and images around this place.
    linked: usize,
    leaf: Option<Leaf>,
    /// Text that has been read and not yet looked at, adjacent in the note.
    run: Range<usize>,
    /// The headings above this place that say what their links are.
    roles: Vec<(u8, Role)>,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, body: &Range<usize>) -> Self {
        Self {
            text,
            comments: comments(text, body),
            found: Outline::default(),
            block_of_link: Vec::new(),
            words: Vec::new(),
            items: Vec::new(),
            depth: 0,
            footnotes: 0,
            linked: 0,
            leaf: None,
            run: 0..0,
            roles: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, span: Range<usize>) {
        match event {
            Event::Text(content) => self.take_text(&content, span),
            Event::Code(content) => {
                self.flush();
                self.extend_leaf(&span);
                self.extend_label(&content);
                self.mark_words(span.start);
            }
            Event::SoftBreak | Event::HardBreak => {
                self.flush();
                self.extend_label(" ");
            }
            Event::InlineHtml(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                self.flush();
                self.extend_leaf(&span);
            }
            Event::FootnoteReference(_) => {
                self.flush();
                self.extend_leaf(&span);
            }
            Event::TaskListMarker(_) => self.flush(),
            Event::Html(_) => self.extend_leaf(&span),
            Event::Rule => {
                self.close_leaf();
                self.top_level(&span);
            }
            Event::Start(tag) => self.start(tag, span),
            Event::End(tag) => self.end(tag, &span),
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript => {
                self.flush();
                self.extend_leaf(&span);
                return;
            }
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => return self.link(link_type, &dest_url, false, span),
            Tag::Image {
                link_type,
                dest_url,
                ..
            } => return self.link(link_type, &dest_url, true, span),
            // The row is the leaf.
            Tag::TableCell => return,
            _ => {}
        }
        self.close_leaf();
        self.top_level(&span);
        match tag {
            Tag::Paragraph => self.open_leaf(UnitKind::Prose, None),
            Tag::Heading { level, .. } => {
                self.open_leaf(UnitKind::Heading, Some((level as u8, String::new())));
            }
            Tag::CodeBlock(_) => self.open_leaf(UnitKind::Code, None),
            Tag::HtmlBlock => self.open_leaf(UnitKind::Html, None),
            Tag::TableHead | Tag::TableRow => {
                let block = self.new_block();
                self.leaf = Some(Leaf {
                    kind: UnitKind::Row,
                    span: 0..0,
                    block,
                    heading: None,
                });
            }
            Tag::Item => {
                let block = self.new_block();
                self.items.push(block);
                self.depth += 1;
            }
            Tag::FootnoteDefinition(_) => {
                self.footnotes += 1;
                self.depth += 1;
            }
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Table(_) => self.depth += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, span: &Range<usize>) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => self.flush(),
            TagEnd::Link | TagEnd::Image => {
                self.flush();
                self.linked = self.linked.saturating_sub(1);
            }
            TagEnd::TableCell => {
                self.flush();
                self.extend_label(" ");
            }
            TagEnd::Heading(_) => self.close_heading(span),
            TagEnd::Item => {
                self.close_leaf();
                self.items.pop();
                self.depth -= 1;
            }
            TagEnd::FootnoteDefinition => {
                self.close_leaf();
                self.footnotes -= 1;
                self.depth -= 1;
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Table => {
                self.close_leaf();
                self.depth -= 1;
            }
            _ => self.close_leaf(),
        }
    }

    fn take_text(&mut self, content: &str, span: Range<usize>) {
        self.extend_leaf(&span);
        self.extend_label(content);
        let code = self
            .leaf
            .as_ref()
            .is_some_and(|leaf| matches!(leaf.kind, UnitKind::Code | UnitKind::Html));
        if code || self.linked > 0 {
            return;
        }
        // Escapes and entities stand in the note as something else than they mean: words, but
        // never a tag.
        if self.text[span.clone()] != *content {
            self.flush();
            if content.contains(char::is_alphanumeric) {
                self.mark_words(span.start);
            }
        } else if self.run.end == span.start && !self.run.is_empty() {
            self.run.end = span.end;
        } else {
            self.flush();
            self.run = span;
        }
    }

    /// Looks at the text read so far: does it have words, does it have tags?
    fn flush(&mut self) {
        let run = std::mem::take(&mut self.run);
        let mut rest = &self.text[run.clone()];
        while let Some(piece) = rest.split_whitespace().next() {
            // The piece lies inside `rest`: its place is the difference of their starts.
            let skipped = rest.len() - rest.trim_start().len();
            let start = run.end - rest.len() + skipped;
            rest = &rest[skipped + piece.len()..];
            if self.in_comment(start) {
                continue;
            }
            let tag = self.starts_word(start).then(|| tag_at(piece)).flatten();
            if let Some(tag) = tag {
                // A tag may be written `#/a`.
                let before = piece.len() - piece.trim_start_matches(['#', '/']).len();
                let from = start + before;
                self.found.tags.push(InlineTag {
                    name: tag.to_owned(),
                    span: from..from + tag.len(),
                });
            } else if !piece.contains("://") && piece.contains(char::is_alphanumeric) {
                self.mark_words(start);
            }
        }
    }

    /// Whether what stands at `start` follows white space or begins its leaf.
    fn starts_word(&self, start: usize) -> bool {
        let first = self
            .leaf
            .as_ref()
            .is_some_and(|leaf| leaf.span.start == start);
        let before = self.text[..start].chars().next_back();
        before.is_none_or(|before| {
            before.is_whitespace() || matches!(before, '|') || first && before != '\\'
        })
    }

    fn in_comment(&self, at: usize) -> bool {
        let after = self.comments.partition_point(|comment| comment.end <= at);
        let comment = self.comments.get(after);
        comment.is_some_and(|comment| comment.start <= at)
    }

    fn mark_words(&mut self, at: usize) {
        if self.linked == 0
            && !self.in_comment(at)
            && let Some(leaf) = &self.leaf
        {
            self.words[leaf.block] = true;
        }
    }

    fn link(&mut self, kind: LinkType, destination: &str, embed: bool, span: Range<usize>) {
        self.flush();
        self.extend_leaf(&span);
        self.linked += 1;
        let Some(leaf) = &self.leaf else { return };
        if self.in_comment(span.start) {
            return;
        }
        let named = self.roles.iter().rev();
        let role = named
            .map(|&(_, role)| role)
            .find(|&role| role != Role::Plain);
        self.block_of_link.push(leaf.block);
        self.found.links.push(RawLink {
            span,
            destination: destination.to_owned(),
            wiki: matches!(kind, LinkType::WikiLink { .. }),
            embed,
            role: role.unwrap_or(Role::Plain),
            among_words: false,
            footnote: self.footnotes > 0,
        });
    }

    fn new_block(&mut self) -> usize {
        self.words.push(false);
        self.words.len() - 1
    }

    fn open_leaf(&mut self, kind: UnitKind, heading: Option<(u8, String)>) {
        let block = match self.items.last() {
            Some(&item) => item,
            None => self.new_block(),
        };
        self.leaf = Some(Leaf {
            kind,
            span: 0..0,
            block,
            heading,
        });
    }

    /// Takes inline content into the leaf; the text of a tight list item has none until now.
    fn extend_leaf(&mut self, span: &Range<usize>) {
        if self.leaf.is_none() {
            self.open_leaf(UnitKind::Prose, None);
        }
        if let Some(leaf) = &mut self.leaf {
            if leaf.span.is_empty() {
                leaf.span = span.clone();
            } else {
                leaf.span.end = leaf.span.end.max(span.end);
            }
        }
    }

    fn extend_label(&mut self, content: &str) {
        if let Some(Leaf {
            heading: Some((_, label)),
            ..
        }) = &mut self.leaf
        {
            label.push_str(content);
        }
    }

    fn top_level(&mut self, span: &Range<usize>) {
        if self.depth == 0 {
            self.found.blocks.push(span.clone());
        }
    }

    fn close_leaf(&mut self) {
        self.flush();
        if let Some(leaf) = self.leaf.take()
            && !leaf.span.is_empty()
        {
            self.found.units.push(Unit {
                kind: leaf.kind,
                span: leaf.span,
            });
        }
    }

    fn close_heading(&mut self, span: &Range<usize>) {
        self.flush();
        let heading = self.leaf.as_mut().and_then(|leaf| leaf.heading.take());
        self.close_leaf();
        let Some((level, label)) = heading else {
            return;
        };
        if self.depth > 0 {
            return;
        }
        let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
        while self.roles.last().is_some_and(|&(above, _)| above >= level) {
            self.roles.pop();
        }
        self.roles.push((level, Role::of(&label)));
        self.found.headings.push(Heading {
            level,
            label,
            span: span.clone(),
        });
    }

    fn finish(mut self) -> Outline {
        self.close_leaf();
        for (link, &block) in self.found.links.iter_mut().zip(&self.block_of_link) {
            link.among_words = self.words[block];
        }
        self.found
    }
}

/// Whether a name can stand in running text as a tag.
pub(crate) fn is_tag(name: &str) -> bool {
    tag_at(&format!("#{name}")) == Some(name)
}

/// The tag that a piece of text begins with, without its `#`: letters, digits, `_`, `-` and `/`,
/// and at least one that is no digit.
fn tag_at(piece: &str) -> Option<&str> {
    let rest = piece.strip_prefix('#')?;
    let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let end = rest.find(|c| !is_tag(c)).unwrap_or(rest.len());
    let tag = rest[..end].trim_matches('/');
    let named = tag.contains(|c: char| !c.is_numeric() && c != '/');
    named.then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Outline {
        outline(text, 0..text.len())
    }

    #[test]
    fn only_the_parser_says_what_a_heading_is() {
        let check = |text: &str, expected: &[(u8, &str)]| {
            let found = seen(text).headings;
            let found: Vec<_> = found.iter().map(|h| (h.level, h.label.as_str())).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("# One\n## Two *it* `c`\n", &[(1, "One"), (2, "Two it c")]);
        check("```\n## no\n```\n## yes", &[(2, "yes")]);
        check("<div>\n## no\n</div>\n\n## yes", &[(2, "yes")]);
        check("    ## no\n", &[]);
        check("Two\nlines\n---\n", &[(2, "Two lines")]);
        check("> ## quoted\n\n- ## item\n", &[]);
        check("## Named {#anchor}\n", &[(2, "Named")]);
        check("## [[a|shown]] and [text](x.md)", &[(2, "shown and text")]);
        check("##no\n#also-no", &[]);
    }

    #[test]
    fn tags_are_found_as_obsidian_finds_them() {
        let check = |text: &str, expected: &[&str]| {
            let found = seen(text).tags;
            let names: Vec<&str> = found.iter().map(|tag| tag.name.as_str()).collect();
            assert_eq!(names, expected, "{text:?}");
            for tag in found {
                assert_eq!(text[tag.span.clone()], tag.name, "{text:?}");
            }
        };
        check("#one two #three/four, #5 #5a", &["one", "three/four", "5a"]);
        check(
            "#snake_case_tag #kebab-tag.",
            &["snake_case_tag", "kebab-tag"],
        );
        check("`#no` x#no https://e.org/#no [#no](b.md)", &[]);
        check("```\n#no\n```\n\n    #no\n", &[]);
        check("# Heading #yes\n", &["yes"]);
        check(r"\#no &#35;no", &[]);
        check("- #Größe\n- #日本語", &["Größe", "日本語"]);
        check(
            "a %% #hidden\n\n#hidden %% #seen 100%% #seen2",
            &["seen", "seen2"],
        );
        check("| a |\n|---|\n|#cell|\n", &["cell"]);
        check("#a/ #/ #-", &["a", "-"]);
    }

    #[test]
    fn units_are_leaf_texts_without_their_markers() {
        let text = "# H\n\npara\nline\n\n- [ ] one\n  - two\n\n> quoted\n\n| a | b |\n|---|---|\n| c | d |\n\n```rs\nlet x;\n```\n";
        let units = seen(text).units;
        let units: Vec<_> = units.iter().map(|unit| &text[unit.span.clone()]).collect();
        let expected = [
            "H",
            "para\nline",
            "one",
            "two",
            "quoted",
            "a | b",
            "c | d",
            "let x;\n",
        ];
        assert_eq!(units, expected);
    }
}
