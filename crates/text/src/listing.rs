//! The list items of a page that people keep by hand: where each one stands and what it says.
//!
//! As everywhere, the CommonMark parser alone says what is an item, a heading or code; of an item it
//! gives the place of its own words, which are then read as they are written.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::frontmatter;

/// An item of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its own words, without its mark and without items below it; empty if it has none.
    pub(crate) span: Range<usize>,
    /// All of it, with what stands below it, from its mark to the end of its last word.
    pub(crate) whole: Range<usize>,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// In how many other items it lies.
    pub(crate) depth: usize,
    /// The heading that it stands under; a title (an H1) is none.
    pub(crate) heading: Option<String>,
}

impl Item {
    fn grow(&mut self, range: &Range<usize>) {
        if self.span.start == self.span.end {
            self.span = range.clone();
        }
        self.span.end = self.span.end.max(range.end);
    }
}

/// All items of a page, in their order.
pub(crate) fn items(text: &str) -> Vec<Item> {
    let start = frontmatter::read(text).end;
    let mut items: Vec<Item> = Vec::new();
    // The items around where we are, and whether their own words are over.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut heading: Option<String> = None;
    let mut lines = Lines::new(text);
    for (event, range) in Parser::new(&text[start..]).into_offset_iter() {
        let range = start + range.start..start + range.end;
        if !matches!(
            event,
            Event::Start(Tag::Item | Tag::List(_)) | Event::End(_)
        ) {
            let end = end_of_words(text, &range);
            for &(item, _) in &open {
                items[item].whole.end = items[item].whole.end.max(end);
            }
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) if open.is_empty() => {
                let is_group = level != HeadingLevel::H1;
                heading = is_group.then(|| {
                    text[range]
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .trim_matches(['#', ' '])
                        .to_owned()
                });
            }
            Event::Start(Tag::Item) => {
                // What follows an item inside another is no longer the outer one's name.
                if let Some((_, is_over)) = open.last_mut() {
                    *is_over = true;
                }
                open.push((items.len(), false));
                items.push(Item {
                    span: range.start..range.start,
                    whole: range.start..range.start,
                    line: lines.of(range.start),
                    depth: open.len() - 1,
                    heading: heading.clone(),
                });
            }
            Event::End(TagEnd::Item) => {
                open.pop();
            }
            Event::End(TagEnd::Paragraph)
            | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::BlockQuote(_)) => {
                if let Some((_, is_over)) = open.last_mut() {
                    *is_over = true;
                }
            }
            // Emphasis and links count with the marks around them.
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. }) => {
                if let Some(&(item, false)) = open.last() {
                    items[item].grow(&range);
                }
            }
            _ => {}
        }
    }
    items
}

/// Where the last word of a part ends.
fn end_of_words(text: &str, range: &Range<usize>) -> usize {
    range.start + text[range.clone()].trim_end().len()
}

/// The lines of growing positions.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    fn of(&mut self, position: usize) -> usize {
        let passed = &self.text.as_bytes()[self.at..position.max(self.at)];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        self.at = position.max(self.at);
        self.line
    }
}

/// A part of a text without the white space around it.
pub(crate) fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
