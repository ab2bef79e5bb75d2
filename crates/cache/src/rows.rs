//! What goes into a cache and comes out of it, as plain values.

use concord_text::{EdgeKind, Syntax};

use crate::sentences::SentenceVectors;

/// A note with all that hangs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoteRows {
    /// What is known of it.
    pub facts: NoteFacts,
    /// Its passages, in order.
    pub chunks: Vec<ChunkRow>,
    /// Its links, in order, as they are written.
    pub links: Vec<LinkRow>,
}

/// What is known of a note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoteFacts {
    /// From the vault's root, with `/`.
    pub path: String,
    /// For display.
    pub title: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// Unix seconds.
    pub published_at: Option<i64>,
    /// Unix seconds.
    pub modified_at: Option<i64>,
    /// Unix seconds.
    pub valid_from: Option<i64>,
    /// Unix seconds.
    pub valid_until: Option<i64>,
    /// What it is.
    pub kind: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Other names that links may use.
    pub aliases: Vec<String>,
    /// Exempt from decay.
    pub evergreen: bool,
    /// Where it is published, which links may use too.
    pub permalink: Option<String>,
    /// What of it could not be used, each with its line; the rest was.
    pub problems: Vec<String>,
}

/// A passage to store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChunkRow {
    /// The heading that it stands under.
    pub section: String,
    /// Title, breadcrumb, kind, tags and aliases: searched with less weight.
    pub heading_context: String,
    /// Verbatim.
    pub text: String,
    /// The page or slide, where the source has any.
    pub page: Option<u32>,
    /// Of unit length; none where there is no encoder.
    pub embedding: Option<Vec<f32>>,
    /// Bytes of its sentences.
    pub sentences: Vec<(u32, u32)>,
    /// Their vectors, where they are known already.
    pub sentence_vectors: Option<SentenceVectors>,
}

/// A link between two notes, by path: source, target, kind.
pub type Edge = (String, String, EdgeKind);

/// A link as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkRow {
    /// What it says it points to.
    pub target: String,
    /// How it is written, which decides where its target is looked for.
    pub syntax: Syntax,
    /// What it means.
    pub kind: EdgeKind,
}

/// The kind of that name.
pub(crate) fn kind_named(name: &str) -> EdgeKind {
    if name == EdgeKind::Citation.name() {
        EdgeKind::Citation
    } else {
        EdgeKind::Wikilink
    }
}

pub(crate) fn syntax_name(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Wiki => "wiki",
        Syntax::Markdown => "markdown",
    }
}

pub(crate) fn syntax_named(name: &str) -> Syntax {
    if name == "wiki" {
        Syntax::Wiki
    } else {
        Syntax::Markdown
    }
}

/// What became of a file when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// From the vault's root.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified_ns: i64,
    /// Of its content.
    pub hash: [u8; 32],
    /// What became of it.
    pub fate: Fate,
}

impl FileRow {
    /// When it was changed, in whole unix seconds.
    #[must_use]
    pub fn modified_at(&self) -> i64 {
        self.modified_ns.div_euclid(1_000_000_000)
    }
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is in the cache.
    Indexed,
    /// It was left out on purpose, and why.
    Skipped(String),
    /// It could not be read, and why.
    Failed(String),
}

impl Fate {
    /// Its name, and the reason if there is one.
    #[must_use]
    pub fn parts(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Indexed => ("indexed", None),
            Self::Skipped(reason) => ("skipped", Some(reason)),
            Self::Failed(reason) => ("failed", Some(reason)),
        }
    }

    pub(crate) fn from_parts(name: &str, reason: Option<String>) -> Self {
        match name {
            "indexed" => Self::Indexed,
            "skipped" => Self::Skipped(reason.unwrap_or_default()),
            _ => Self::Failed(reason.unwrap_or_default()),
        }
    }
}
