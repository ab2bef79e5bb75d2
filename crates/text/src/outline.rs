//! What a note is made of, in the order of its text.
//!
//! - **Headings** structure a note only at its top level: one inside a quotation or a list item is
//!   part of that quotation or item.
//! - **Units** are the leaf texts from which sentences are cut, without their markers (`- `, `## `).

use std::ops::Range;

use crate::section::Role;

/// A heading at the top level of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub label: String,
    /// Its bytes in the note, markers included.
    pub span: Range<usize>,
}

/// What a leaf text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A paragraph or the text of a list item: prose, to be cut into sentences.
    Prose,
    /// A heading: whole.
    Heading,
    /// A row of a table: whole.
    Row,
    /// A block of code.
    Code,
    /// A block of HTML.
    Html,
}

/// A leaf text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    pub(crate) span: Range<usize>,
}

/// A link before its target is understood.
#[derive(Debug)]
pub(crate) struct RawLink {
    pub(crate) span: Range<usize>,
    pub(crate) destination: String,
    pub(crate) wiki: bool,
    pub(crate) embed: bool,
    /// The innermost heading above it that says what its links are.
    pub(crate) role: Role,
    /// Its block says something besides linking.
    pub(crate) among_words: bool,
    /// It stands in a footnote.
    pub(crate) footnote: bool,
}

/// What the walk found, in the order of the note.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) headings: Vec<Heading>,
    /// Top-level blocks.
    pub(crate) blocks: Vec<Range<usize>>,
    pub(crate) units: Vec<Unit>,
    pub(crate) links: Vec<RawLink>,
    pub(crate) tags: Vec<InlineTag>,
}

/// A `#tag` in running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InlineTag {
    /// Without `#`.
    pub(crate) name: String,
    /// Where the name is written.
    pub(crate) span: Range<usize>,
}
