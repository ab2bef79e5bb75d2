//! What was read of a file before, for whoever asks again.
//!
//! Reading a passage out of SQLite takes many times as long as ranking it, and the passages that
//! answer one question are mostly those that answer the next. What is kept here is never older than
//! the snapshot that asks:
//!
//! - A chunk's row never changes and its number is never given again. So a passage is kept whatever
//!   is written, and a snapshot of another moment only looks whether it has that row.
//! - A passage whose sentences have no vectors yet may get them, and a note's facts may change: both
//!   hold for the moment at which they were read and for no other.
//!
//! A moment is known by how often the file had been written to ([`Moment`]).

use std::sync::Arc;

use ahash::AHashMap;
use rusqlite::Connection;

use crate::rows::NoteFacts;
use crate::store::Candidate;

/// So many bytes of passages are kept. What is asked for in turns stays if it fits into half of this;
/// 60 questions to 12,000 passages take some 55 MB, and with 96 MB here a fifth fewer were answered.
const MOST_BYTES: usize = 128 << 20;

/// So many notes are kept.
const MOST_NOTES: usize = 20_000;

/// How often anything was written to a file, and how often its edges were. Two snapshots of the same
/// moment hold the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) writes: u64,
    pub(crate) edges: u64,
}

const WRITES: &str = "writes";
const EDGES: &str = "edge_writes";

impl Moment {
    pub(crate) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let mut moment = Self::default();
        let mut statement =
            connection.prepare_cached("SELECT key, value FROM meta WHERE key IN (?1, ?2)")?;
        let mut rows = statement.query([WRITES, EDGES])?;
        while let Some(row) = rows.next()? {
            let count = row.get_ref(1)?.as_str()?.parse().unwrap_or(0);
            match row.get_ref(0)?.as_str()? {
                WRITES => moment.writes = count,
                _ => moment.edges = count,
            }
        }
        Ok(moment)
    }
}

/// Counts a transaction that writes; to be called inside it.
pub(crate) fn count_write(connection: &Connection) -> rusqlite::Result<()> {
    count(connection, WRITES)
}

/// Counts a writing of all edges; to be called inside its transaction.
pub(crate) fn count_edges(connection: &Connection) -> rusqlite::Result<()> {
    count(connection, EDGES)
}

fn count(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO meta (key, value) VALUES (?1, '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
    )?;
    statement.execute([key]).map(drop)
}

/// Passages by number, in two halves: what is used moves to the new half, and when that is full the
/// old one is forgotten.
#[derive(Default)]
pub(crate) struct Passages {
    new: AHashMap<i64, Kept>,
    old: AHashMap<i64, Kept>,
    /// Of the new half.
    bytes: usize,
}

struct Kept {
    passage: Arc<Candidate>,
    /// When it was last seen in the file.
    seen: Moment,
}

impl Kept {
    fn known(&self, now: Moment) -> Known {
        if self.seen == now {
            Known::There(Arc::clone(&self.passage))
        } else if self.passage.sentence_vectors.is_some() {
            Known::Then(Arc::clone(&self.passage))
        } else {
            Known::Nothing
        }
    }
}

/// What is known of a number.
pub(crate) enum Known {
    /// The snapshot has it.
    There(Arc<Candidate>),
    /// It was there at another moment; if it is there now, it is the same.
    Then(Arc<Candidate>),
    /// It must be read.
    Nothing,
}

impl Passages {
    pub(crate) fn get(&mut self, id: i64, now: Moment) -> Known {
        if let Some(kept) = self.new.get(&id) {
            return kept.known(now);
        }
        let Some(kept) = self.old.remove(&id) else {
            return Known::Nothing;
        };
        let known = kept.known(now);
        self.keep(kept);
        known
    }

    /// Keeps a passage that a snapshot of this moment has.
    pub(crate) fn put(&mut self, passage: &Arc<Candidate>, now: Moment) {
        let passage = Arc::clone(passage);
        self.keep(Kept { passage, seen: now });
    }

    fn keep(&mut self, kept: Kept) {
        let size = size(&kept.passage);
        if let Some(before) = self.new.insert(kept.passage.id, kept) {
            self.bytes -= self::size(&before.passage);
        }
        self.bytes += size;
        if self.bytes > MOST_BYTES / 2 {
            self.old = std::mem::take(&mut self.new);
            self.bytes = 0;
        }
    }
}

/// About how many bytes a passage takes.
fn size(passage: &Candidate) -> usize {
    let vectors = passage.sentence_vectors.as_ref();
    size_of::<Candidate>()
        + passage.note.len()
        + passage.section.len()
        + passage.text.len()
        + size_of_val(&passage.sentences[..])
        + passage
            .embedding
            .as_ref()
            .map_or(0, |it| size_of_val(it.numbers()))
        + vectors.map_or(0, crate::SentenceVectors::size)
}

/// The facts of notes by path, as they were at one moment.
#[derive(Default)]
pub(crate) struct Notes {
    of: Moment,
    facts: AHashMap<String, Arc<NoteFacts>>,
}

impl Notes {
    pub(crate) fn get(&self, path: &str, now: Moment) -> Option<Arc<NoteFacts>> {
        let facts = self.facts.get(path).filter(|_| self.of == now);
        facts.cloned()
    }

    /// Keeps a note of this moment, unless those of a later one are kept.
    pub(crate) fn put(&mut self, facts: &Arc<NoteFacts>, now: Moment) {
        if self.of > now {
            return;
        }
        if self.of < now || self.facts.len() >= MOST_NOTES {
            *self = Self {
                of: now,
                facts: AHashMap::new(),
            };
        }
        self.facts.insert(facts.path.clone(), Arc::clone(facts));
    }
}
