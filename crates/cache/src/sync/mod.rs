//! Keeping a cache in step with its vault.
//!
//! Size and time of a file are asked first; where they are as recorded, it is not opened. Else its
//! content's hash decides. A note's old rows go and its new rows come in one transaction, so
//! that, killed at any moment, the next run finishes the work and the cache equals one built from
//! nothing. What was encoded is not encoded again: a chunk whose text stood in the note before, or
//! in another note with the same content, keeps its vector.
//!
//! Every file ends in exactly one of indexed, unchanged, skipped and failed. One bad note never
//! stops the rest.

mod edges;
mod read;
mod sentences;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use concord_text::ChunkRules;

use crate::cache::Cache;
use crate::error::Error;
use crate::rows::{Fate, FileRow, NoteRows};
use crate::sync::read::Content;
use crate::sync::walk::{Seen, State};

pub use sentences::SentenceProgress;
pub use walk::Territory;

/// Turns texts into vectors, in order. Its error ends the run; what was written stays.
pub type Encode<'a> = dyn Fn(&[&str]) -> Result<Vec<Vec<f32>>, String> + 'a;

/// So many texts are encoded at a time: enough to form batches of like length, little enough
/// that a run can be ended between two.
const TEXTS_AT_A_TIME: usize = 64;

/// What is kept in step with what.
pub struct Sync<'a> {
    /// The vault's folder.
    pub root: &'a Path,
    /// The part of it that the cache's domain covers.
    pub territory: &'a Territory,
    /// How notes are cut.
    pub rules: ChunkRules,
    /// The encoder; none for a cache of words alone.
    pub encode: Option<&'a Encode<'a>>,
    /// Set by another thread to end the run after the notes at hand.
    pub stop: &'a AtomicBool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files looked at.
    pub done: usize,
    /// Files in all.
    pub files: usize,
    /// Texts encoded.
    pub encoded: usize,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Read and written.
    pub indexed: usize,
    /// As they were.
    pub unchanged: usize,
    /// Left out on purpose.
    pub skipped: usize,
    /// Could not be read.
    pub failed: usize,
    /// No longer there.
    pub removed: usize,
    /// Texts that were encoded.
    pub encoded: usize,
    /// Texts whose vector was known.
    pub reused: usize,
    /// Credentials that were struck out, by the pattern's name.
    pub redacted: BTreeMap<String, usize>,
    /// It was ended before all was done; the next run goes on.
    pub stopped: bool,
}

/// A note that waits for its vectors.
struct Pending {
    rows: NoteRows,
    file: FileRow,
    /// The chunks that have none yet.
    missing: Vec<usize>,
}

impl Cache {
    /// Brings the cache in step with the vault.
    ///
    /// # Errors
    /// If the cache cannot be written or a text cannot be encoded; what was written stays.
    pub fn sync(
        &mut self,
        sync: &Sync<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, Error> {
        if !sync.root.is_dir() {
            let source =
                std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such folder");
            return Err(Error::Io {
                file: sync.root.to_owned(),
                source,
            });
        }
        let seen = walk::walk(sync.root, sync.territory);
        let known = self.files()?;
        // Where content that may have moved can be found.
        let by_hash: BTreeMap<[u8; 32], &str> = known
            .values()
            .filter(|file| file.fate == Fate::Indexed)
            .map(|file| (file.hash, file.path.as_str()))
            .collect();

        let mut report = Report::default();
        let mut waiting: Vec<Pending> = Vec::new();
        let mut at = Progress {
            done: 0,
            files: seen.len(),
            encoded: 0,
        };
        for file in &seen {
            if sync.stop.load(Ordering::Relaxed) {
                report.stopped = true;
                break;
            }
            self.look_at(sync, file, &known, &by_hash, &mut waiting, &mut report)?;
            let missing: usize = waiting.iter().map(|pending| pending.missing.len()).sum();
            if missing >= TEXTS_AT_A_TIME || waiting.len() >= TEXTS_AT_A_TIME {
                self.flush(sync, &mut waiting, &mut report)?;
            }
            at = Progress {
                done: at.done + 1,
                encoded: report.encoded,
                ..at
            };
            progress(at);
        }
        self.flush(sync, &mut waiting, &mut report)?;
        if report.stopped {
            return Ok(report);
        }

        let paths: BTreeSet<&str> = seen.iter().map(|file| file.path.as_str()).collect();
        for gone in known.keys().filter(|path| !paths.contains(path.as_str())) {
            self.forget(gone)?;
            report.removed += 1;
        }
        if self.edges_are_stale()? {
            self.settle_edges(sync)?;
        }
        progress(Progress {
            encoded: report.encoded,
            ..at
        });
        Ok(report)
    }

    /// One file: as it was, to be written, or set aside.
    fn look_at(
        &mut self,
        sync: &Sync<'_>,
        seen: &Seen,
        known: &BTreeMap<String, FileRow>,
        by_hash: &BTreeMap<[u8; 32], &str>,
        waiting: &mut Vec<Pending>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let before = known.get(&seen.path);
        let mut file = FileRow {
            path: seen.path.clone(),
            size: 0,
            modified_ns: 0,
            hash: [0; 32],
            fate: Fate::Indexed,
        };
        let content = match &seen.state {
            State::Skipped(reason) => Content::Skipped(reason.clone()),
            State::Failed(reason) => Content::Failed(reason.clone()),
            &State::File { size, modified_ns } => {
                file.size = size;
                file.modified_ns = modified_ns;
                let as_recorded = before
                    .filter(|before| (before.size, before.modified_ns) == (size, modified_ns));
                match as_recorded.map(|before| &before.fate) {
                    Some(Fate::Indexed) => {
                        report.unchanged += 1;
                        return Ok(());
                    }
                    Some(Fate::Skipped(reason)) => Content::Skipped(reason.clone()),
                    // What could not be read may be readable now.
                    Some(Fate::Failed(_)) | None => read::read(&sync.root.join(&seen.path)),
                }
            }
        };
        match content {
            Content::Skipped(reason) => {
                file.fate = Fate::Skipped(reason);
                report.skipped += 1;
            }
            Content::Failed(reason) => {
                file.fate = Fate::Failed(reason);
                report.failed += 1;
            }
            Content::Text { text, hash } => {
                file.hash = hash;
                let same =
                    before.filter(|before| before.hash == hash && before.fate == Fate::Indexed);
                if same.is_some() {
                    self.touch(&file)?;
                    report.unchanged += 1;
                    return Ok(());
                }
                let scrubbed = read::scrubbed(&text, &mut report.redacted);
                let mut rows = read::rows(&seen.path, &scrubbed, &file, sync.rules);
                let missing = if sync.encode.is_some() {
                    let sources = [Some(seen.path.as_str()), by_hash.get(&hash).copied()];
                    self.reuse_vectors(&mut rows, sources, report)?
                } else {
                    Vec::new()
                };
                waiting.push(Pending {
                    rows,
                    file,
                    missing,
                });
                return Ok(());
            }
        }
        // Told anew on every run, but written only if it is news.
        if before != Some(&file) {
            self.set_aside(&file)?;
        }
        Ok(())
    }

    /// Gives chunks the vectors that their texts had in one of these notes; the others' places
    /// come back.
    fn reuse_vectors(
        &self,
        rows: &mut NoteRows,
        sources: [Option<&str>; 2],
        report: &mut Report,
    ) -> Result<Vec<usize>, Error> {
        let mut missing = Vec::new();
        for (place, chunk) in rows.chunks.iter_mut().enumerate() {
            for source in sources.into_iter().flatten() {
                if chunk.embedding.is_none() {
                    self.reuse_vectors_of(source, chunk)?;
                }
            }
            if chunk.embedding.is_some() {
                report.reused += 1;
            } else {
                missing.push(place);
            }
        }
        Ok(missing)
    }

    /// Encodes what waits for it, and writes the notes.
    fn flush(
        &mut self,
        sync: &Sync<'_>,
        waiting: &mut Vec<Pending>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let texts: Vec<&str> = waiting
            .iter()
            .flat_map(|pending| {
                pending
                    .missing
                    .iter()
                    .map(|&place| pending.rows.chunks[place].text.as_str())
            })
            .collect();
        let count = texts.len();
        let mut vectors = match sync.encode {
            Some(encode) if count > 0 => encode(&texts).map_err(Error::Encoder)?,
            _ => Vec::new(),
        }
        .into_iter();
        report.encoded += count;
        for mut pending in waiting.drain(..) {
            for place in pending.missing {
                pending.rows.chunks[place].embedding = vectors.next();
            }
            self.put_note(&pending.rows, &pending.file)?;
            report.indexed += 1;
        }
        Ok(())
    }
}
