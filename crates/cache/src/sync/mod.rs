//! Keeping a cache in step with its vault.
//!
//! Size and time of a file are asked first; where they are as recorded, it is not opened. Else its
//! content's hash decides. A file that was changed a moment before it was read may be changed again
//! without its time showing it, so its time is not recorded, and the next run looks into it.
//!
//! A note's old rows go and its new rows come in one transaction, so that, killed at any moment,
//! the next run finishes the work and the cache equals one built from nothing. What was encoded is
//! not encoded again: a chunk whose text stood in the note before, or in another note with the same
//! content, keeps its vector.
//!
//! Every file ends in exactly one of indexed, unchanged, skipped and failed. One bad note never
//! stops the rest.

mod edges;
mod read;
mod select;
mod sentences;
mod walk;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use concord_text::ChunkRules;

use crate::cache::Cache;
use crate::error::Error;
use crate::rows::{Fate, FileRow, NoteRows};
use crate::sync::read::Content;
use crate::sync::walk::{Seen, State};

pub use select::Selection;
pub(crate) use sentences::FILLED_TO;
pub use sentences::SentenceProgress;
pub use walk::{Inventory, Territory};

/// A note larger than this is data and no note, and would take memory in proportion.
pub const LARGEST_NOTE: u64 = 16 << 20;

/// Turns texts into vectors, in order. It is not called while there is nothing to encode, so it
/// may open its model when it is. Its error ends the run; what was written stays.
pub type Encode<'a> = dyn Fn(&[&str]) -> Result<Vec<Vec<f32>>, String> + 'a;

/// A file's time is believed once it is so old: the coarsest clock of a file system ticks every
/// two seconds.
const SETTLED_NS: i64 = 2_000_000_000;

/// Stands for the time of a file that was not believed; no file has it.
const UNSETTLED: i64 = i64::MIN;

/// So many texts are encoded at a time: enough to form batches of like length, little enough
/// that a run can be ended between two.
const TEXTS_AT_A_TIME: usize = 64;

/// What is kept in step with what.
pub struct Sync<'a> {
    /// The vault's files.
    pub vault: &'a Inventory,
    /// The part of them that the cache's domain covers.
    pub territory: &'a Territory,
    /// How notes are cut.
    pub rules: ChunkRules,
    /// Bytes of the largest note that is read; [`LARGEST_NOTE`] unless the owner says otherwise.
    pub largest_note: u64,
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
    /// Could not be read: path and reason.
    pub failed: Vec<(String, String)>,
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

/// What is recorded of the files.
struct Known {
    files: BTreeMap<String, FileRow>,
    /// Where content that may have moved can be found; made when it is first asked for, which
    /// is never where nothing has changed.
    by_hash: OnceCell<BTreeMap<[u8; 32], String>>,
}

impl Known {
    fn new(files: BTreeMap<String, FileRow>) -> Self {
        Self {
            files,
            by_hash: OnceCell::new(),
        }
    }

    /// A note that had this content.
    fn with_content(&self, hash: &[u8; 32]) -> Option<&str> {
        let by_hash = self.by_hash.get_or_init(|| {
            let indexed = self.files.values().filter(|it| it.fate == Fate::Indexed);
            indexed.map(|it| (it.hash, it.path.clone())).collect()
        });
        by_hash.get(hash).map(String::as_str)
    }
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
        let seen = sync.vault.below(sync.territory);
        let known = Known::new(self.files()?);
        let mut report = Report::default();
        let mut waiting: Vec<Pending> = Vec::new();
        let mut at = Progress {
            done: 0,
            files: seen.len(),
            encoded: 0,
        };
        for &file in &seen {
            if sync.stop.load(Ordering::Relaxed) {
                report.stopped = true;
                break;
            }
            self.look_at(sync, file, &known, &mut waiting, &mut report)?;
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
        for gone in known
            .files
            .keys()
            .filter(|path| !paths.contains(path.as_str()))
        {
            self.forget(gone)?;
            report.removed += 1;
        }
        self.settle_edges(sync.vault)?;
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
        known: &Known,
        waiting: &mut Vec<Pending>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let before = known.files.get(&seen.path);
        let read_at = walk::nanoseconds(SystemTime::now());
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
                let too_large = size > sync.largest_note;
                let as_recorded = before
                    .filter(|before| (before.size, before.modified_ns) == (size, modified_ns));
                match as_recorded.map(|before| &before.fate) {
                    _ if too_large => read::too_large(sync.largest_note),
                    Some(Fate::Indexed) => {
                        report.unchanged += 1;
                        return Ok(());
                    }
                    Some(Fate::Skipped(reason)) if reason == read::BINARY => {
                        Content::Skipped(reason.clone())
                    }
                    // What could not be read may be readable now, and what was too large may
                    // have become small enough.
                    _ => read::read(&sync.vault.root.join(&seen.path), sync.largest_note),
                }
            }
        };
        match content {
            Content::Skipped(reason) => {
                file.fate = Fate::Skipped(reason);
                report.skipped += 1;
            }
            Content::Failed(reason) => {
                report.failed.push((file.path.clone(), reason.clone()));
                file.fate = Fate::Failed(reason);
            }
            Content::Text { text, hash } => {
                file.hash = hash;
                let is_settled = file.modified_ns < read_at - SETTLED_NS;
                let same =
                    before.filter(|before| before.hash == hash && before.fate == Fate::Indexed);
                if same.is_some() {
                    if is_settled {
                        self.touch(&file)?;
                    }
                    report.unchanged += 1;
                    return Ok(());
                }
                let scrubbed = read::scrubbed(&text, &mut report.redacted);
                let mut rows = read::rows(&seen.path, &scrubbed, &file, sync.rules);
                let missing = if sync.encode.is_some() {
                    let sources = [Some(seen.path.as_str()), known.with_content(&hash)];
                    self.reuse_vectors(&mut rows, sources, report)?
                } else {
                    Vec::new()
                };
                if !is_settled {
                    file.modified_ns = UNSETTLED;
                }
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
