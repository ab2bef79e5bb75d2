//! One note, to be read: its text, its facts, and what it is linked with.

use std::fs::{self, File};
use std::io::Read as _;

use concord_cache::{CandidateStore as _, EdgeKind};
use serde::Serialize;

use super::Collection;
use crate::refusal::{Code, Refusal};

/// A note that grew past this since it was indexed is not shown.
const LARGEST: u64 = 16 << 20;

/// A note.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct NoteView {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) author: Option<String>,
    /// Unix seconds.
    pub(crate) published_at: Option<i64>,
    /// Unix seconds.
    pub(crate) modified_at: Option<i64>,
    pub(crate) kind: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) evergreen: bool,
    /// The whole note, without the credentials in it.
    pub(crate) text: String,
    pub(crate) chunks: Vec<ChunkPlace>,
    /// Notes that it links to.
    pub(crate) links: Vec<LinkView>,
    /// Notes that link to it.
    pub(crate) backlinks: Vec<LinkView>,
    /// What of it could not be used.
    pub(crate) problems: Vec<String>,
}

/// Where a passage stands in its note.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ChunkPlace {
    ordinal: u32,
    section: String,
    /// First unit of UTF-16 in `text`; none if the note has changed since it was indexed.
    start: Option<u32>,
    /// One past its last.
    end: Option<u32>,
}

/// A linked note.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct LinkView {
    pub(crate) path: String,
    /// None for a note of another domain.
    pub(crate) title: Option<String>,
    /// `citation` or `wikilink`.
    pub(crate) kind: &'static str,
}

impl Collection {
    /// A note of this domain. Only what is in the index can be read, whatever the path says.
    pub(crate) fn note(&self, path: &str) -> Result<NoteView, Refusal> {
        let store = self.store.get()?;
        let snapshot = store.snapshot()?;
        let facts = snapshot.notes(&[path])?.into_iter().next();
        let facts = facts.ok_or_else(|| Self::no_such_note(path))?;
        let text = self.text_of(path)?;

        let mut from = 0;
        let mut chunks = Vec::new();
        for chunk in snapshot.chunks_of(path)? {
            let found = text[from..].find(&*chunk.text).map(|at| from + at);
            let place = |at: usize| utf16(&text, at);
            chunks.push(ChunkPlace {
                ordinal: chunk.ordinal,
                section: chunk.section.clone(),
                start: found.map(place),
                end: found.map(|at| place(at + chunk.text.len())),
            });
            // Passages of a long section overlap, so the next may begin inside this one.
            from = found.map_or(from, |at| next_boundary(&text, at));
        }

        let edges = snapshot.edges_touching(&[path])?;
        let mut others: Vec<&str> = edges
            .iter()
            .map(|(source, target, _)| if source == path { target } else { source })
            .map(String::as_str)
            .collect();
        others.sort_unstable();
        others.dedup();
        let titles: std::collections::BTreeMap<String, String> = snapshot
            .notes(&others)?
            .into_iter()
            .map(|note| (note.path.clone(), note.title.clone()))
            .collect();
        let view = |path: &str, kind: EdgeKind| LinkView {
            path: path.to_owned(),
            title: titles.get(path).cloned(),
            kind: kind.name(),
        };
        let links = edges.iter().filter(|(source, ..)| source == path);
        let links = links.map(|(_, target, kind)| view(target, *kind)).collect();
        let backlinks = edges.iter().filter(|(_, target, _)| target == path);
        let backlinks = backlinks
            .map(|(source, _, kind)| view(source, *kind))
            .collect();
        Ok(NoteView {
            path: facts.path.clone(),
            title: facts.title.clone(),
            author: facts.author.clone(),
            published_at: facts.published_at,
            modified_at: facts.modified_at,
            kind: facts.kind.clone(),
            tags: facts.tags.clone(),
            aliases: facts.aliases.clone(),
            evergreen: facts.evergreen,
            text,
            chunks,
            links,
            backlinks,
            problems: facts.problems.clone(),
        })
    }

    /// The text of a note that is in the index. A file that was since replaced by a link out of
    /// the vault is not followed.
    fn text_of(&self, path: &str) -> Result<String, Refusal> {
        let gone = |why: String| {
            let message = format!("`{path}` is in the index, but cannot be read now: {why}");
            Refusal::new(Code::NotFound, message).hint("run `concord index`")
        };
        let file = self.root.join(path);
        let real = fs::canonicalize(&file).map_err(|error| gone(error.to_string()))?;
        let root = fs::canonicalize(&self.root).map_err(|error| gone(error.to_string()))?;
        if !real.starts_with(&root) || real != root.join(path) {
            return Err(gone("it leads elsewhere".to_owned()));
        }
        let mut text = String::new();
        let read = File::open(&real).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
        read.map_err(|error| gone(error.to_string()))?;
        Ok(concord_text::scrub(&text).text.into_owned())
    }
}

/// Units of UTF-16 before a byte of a text.
fn utf16(text: &str, at: usize) -> u32 {
    u32::try_from(text[..at].encode_utf16().count()).unwrap_or(u32::MAX)
}

fn next_boundary(text: &str, at: usize) -> usize {
    let next = text[at..].chars().next().map_or(0, char::len_utf8);
    at + next
}
