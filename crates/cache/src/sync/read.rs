//! From a file to the rows of its note.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use concord_text::{ChunkRules, parse, scrub};

use crate::rows::{ChunkRow, FileRow, LinkRow, NoteFacts, NoteRows};

/// Why a file is skipped that looks like no text.
pub(super) const BINARY: &str = "binary: it holds a NUL byte";

/// What a file turned out to hold.
pub(super) enum Content {
    /// A text, and the hash of its bytes.
    Text { text: String, hash: [u8; 32] },
    /// Something that is left out on purpose.
    Skipped(String),
    /// Something that cannot be read.
    Failed(String),
}

/// Reads a file, unless it has more than `largest` bytes.
pub(super) fn read(path: &Path, largest: u64) -> Content {
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(largest + 1).read_to_end(&mut bytes));
    if let Err(error) = opened {
        return Content::Failed(error.to_string());
    }
    if bytes.len() as u64 > largest {
        return too_large(largest);
    }
    if bytes.contains(&0) {
        return Content::Skipped(BINARY.to_owned());
    }
    let hash = *blake3::hash(&bytes).as_bytes();
    match String::from_utf8(bytes) {
        Ok(text) => Content::Text { text, hash },
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Content::Failed(format!("byte {at} is not UTF-8; save it as UTF-8"))
        }
    }
}

pub(super) fn too_large(largest: u64) -> Content {
    Content::Skipped(format!("larger than {} MiB", largest >> 20))
}

/// The text without credentials; which patterns fired is counted.
pub(super) fn scrubbed<'t>(text: &'t str, redacted: &mut BTreeMap<String, usize>) -> Cow<'t, str> {
    let scrubbed = scrub(text);
    for (name, count) in &scrubbed.fired {
        *redacted.entry((*name).to_owned()).or_default() += count;
    }
    scrubbed.text
}

/// The rows of a note, without vectors. The text must have been scrubbed.
pub(super) fn rows(path: &str, text: &str, file: &FileRow, rules: ChunkRules) -> NoteRows {
    let note = parse(path, text);
    let chunks = note.chunks(rules).into_iter().map(|chunk| ChunkRow {
        heading_context: note.heading_context(&chunk),
        sentences: note
            .sentences(&chunk)
            .into_iter()
            .map(|sentence| (offset(sentence.start), offset(sentence.end)))
            .collect(),
        text: chunk.text.to_owned(),
        section: chunk.section,
        page: None,
        embedding: None,
        sentence_vectors: None,
    });
    NoteRows {
        chunks: chunks.collect(),
        links: note
            .links
            .iter()
            .map(|link| LinkRow {
                target: link.target.clone(),
                syntax: link.syntax,
                kind: link.kind,
            })
            .collect(),
        facts: NoteFacts {
            path: note.path.clone(),
            title: note.title.clone(),
            author: note.author.clone(),
            published_at: note.published_at,
            modified_at: Some(file.modified_at()),
            valid_from: note.valid_from,
            valid_until: note.valid_until,
            kind: note.kind.clone(),
            tags: note.tags.clone(),
            aliases: note.aliases.clone(),
            evergreen: note.evergreen,
            permalink: note.permalink.clone(),
            problems: note.problems.iter().map(ToString::to_string).collect(),
        },
    }
}

/// Offsets are u32: no chunk comes near their end.
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
