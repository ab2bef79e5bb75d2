//! A cache that many threads ask at once.
//!
//! Each question takes a connection of its own out of a pool and reads inside one transaction.
//! What the connections share is what was read before ([`recall`](crate::recall),
//! [`words`](crate::words)), the edges ([`links`](crate::links)) and the index of the vectors
//! ([`knn`](crate::knn)). The last two have to read all edges and all vectors once, which takes longer
//! than to look up what one question needs: so the first question does that, and by sqlite-vec, and so
//! do those that begin while the index is being made.
//!
//! # The index and the snapshots
//!
//! A question takes the latest index *before* its transaction begins, and adds from its own
//! transaction what came since. Chunk numbers only grow and rows are never changed, so the index
//! then holds all that the snapshot holds; whatever more it holds, the snapshot does not find.
//! An index that grew in a later transaction is never taken up: what died in between is not in it.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::available_parallelism;

use concord_text::EdgeKind;
use rusqlite::Connection;

use crate::blob::floats;
use crate::cache::{Cache, Identity};
use crate::error::Error;
use crate::facts::{self, Chunks};
use crate::knn::{Index, Scored};
use crate::links::Links;
use crate::recall::{Known, Moment, Notes, Passages};
use crate::rows::{Edge, NoteFacts};
use crate::search::{Hit, MOST, Scope};
use crate::state;
use crate::store::{Candidate, CandidateStore, Counts, Similarities, Snapshot, State};
use crate::vector::Vector;
use crate::words::{ColumnWeights, Memory, Worth};

/// Dead rows are dropped when they are more than one in so many.
const DEAD_ARE_MANY: usize = 5;

/// A domain's SQLite file, read by many threads.
pub struct SharedCache {
    file: PathBuf,
    identity: Identity,
    /// Tells the file from another that has taken its place.
    birth: String,
    idle: Mutex<Vec<Cache>>,
    /// The latest; replaced whole, and locked no longer than that takes.
    index: Mutex<Arc<Index>>,
    /// Held by whoever makes the first index.
    making: Mutex<()>,
    /// What phrases are worth that were asked for before.
    words: Mutex<Memory>,
    passages: Mutex<Passages>,
    notes: Mutex<Notes>,
    /// The edges as of their last writing that somebody saw.
    links: Mutex<Option<(u64, Arc<Links>)>>,
    /// Which chunks there are, as of the last moment that somebody saw.
    counted: Mutex<(Moment, Option<Chunks>)>,
    /// A question came, or is certain to come: the next one is worth an index.
    was_asked: AtomicBool,
    threads: usize,
}

impl SharedCache {
    /// Opens a cache for reading.
    ///
    /// # Errors
    /// If it is not there, or cannot be read.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let first = Cache::reader(file)?;
        Ok(Self {
            file: file.to_owned(),
            identity: first.identity().clone(),
            birth: first.birth()?,
            index: Mutex::new(Arc::new(Index::new(first.identity().dimension))),
            idle: Mutex::new(vec![first]),
            making: Mutex::new(()),
            words: Mutex::default(),
            passages: Mutex::default(),
            notes: Mutex::default(),
            links: Mutex::default(),
            counted: Mutex::default(),
            was_asked: AtomicBool::new(false),
            threads: available_parallelism().map_or(1, NonZero::get),
        })
    }

    /// Lets one search use so many threads; without this, as many as there are processors.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Makes the index of the vectors and reads the edges, so that no question waits for them. For a
    /// service: one question alone is answered sooner without.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn warm(&self) -> Result<(), Error> {
        self.was_asked.store(true, Ordering::Relaxed);
        let _making = lock(&self.making);
        let snapshot = self.begin()?;
        snapshot.links()?;
        snapshot.index().map(drop)
    }

    fn begin(&self) -> Result<CacheSnapshot<'_>, Error> {
        let index = Arc::clone(&lock(&self.index));
        let idle = lock(&self.idle).pop();
        let cache = idle.map_or_else(|| self.another_reader(), Ok)?;
        // A transaction begins with its first read.
        let moment = cache.with(|connection| {
            connection.execute_batch("BEGIN")?;
            Moment::of(connection)
        })?;
        Ok(CacheSnapshot {
            shared: self,
            cache: Some(cache),
            moment,
            index: Mutex::new(index),
        })
    }

    fn another_reader(&self) -> Result<Cache, Error> {
        let cache = Cache::reader(&self.file)?;
        if cache.birth()? == self.birth {
            return Ok(cache);
        }
        Err(Error::Replaced {
            file: self.file.clone(),
        })
    }
}

impl CandidateStore for SharedCache {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, Error> {
        Ok(Box::new(self.begin()?))
    }
}

/// One transaction of one connection.
struct CacheSnapshot<'a> {
    shared: &'a SharedCache,
    /// Given back at the end.
    cache: Option<Cache>,
    /// At which it sees the file.
    moment: Moment,
    /// The latest from before the transaction, or one made in it.
    index: Mutex<Arc<Index>>,
}

impl CacheSnapshot<'_> {
    fn cache(&self) -> &Cache {
        self.cache.as_ref().expect("given back only when dropped")
    }

    /// An index that holds every vector of this snapshot.
    fn index(&self) -> Result<Arc<Index>, Error> {
        let last = self.chunks()?.last;
        let mut own = lock(&self.index);
        if own.last() < last {
            *own = Arc::new(self.grown(&own, last)?);
            let mut latest = lock(&self.shared.index);
            if latest.is_before(&own) {
                *latest = Arc::clone(&own);
            }
        }
        Ok(Arc::clone(&own))
    }

    /// Which chunks this snapshot has.
    fn chunks(&self) -> Result<Chunks, Error> {
        if let (of, Some(chunks)) = *lock(&self.shared.counted)
            && of == self.moment
        {
            return Ok(chunks);
        }
        let chunks = self.cache().with(facts::chunks_at_this_moment)?;
        *lock(&self.shared.counted) = (self.moment, Some(chunks));
        Ok(chunks)
    }

    /// All edges, in memory; none where one question alone is better off without.
    fn links_at_hand(&self) -> Result<Option<Arc<Links>>, Error> {
        let is_asked_often = lock(&self.index).len() > 0 || lock(&self.shared.links).is_some();
        is_asked_often.then(|| self.links()).transpose()
    }

    fn links(&self) -> Result<Arc<Links>, Error> {
        let edges = self.moment.edges;
        if let Some((of, links)) = &*lock(&self.shared.links)
            && *of == edges
        {
            return Ok(Arc::clone(links));
        }
        let links = Arc::new(self.cache().with(Links::read)?);
        let mut latest = lock(&self.shared.links);
        if latest.as_ref().is_none_or(|(of, _)| *of < edges) {
            *latest = Some((edges, Arc::clone(&links)));
        }
        Ok(links)
    }

    /// A passage that this snapshot has, kept for those who ask later.
    fn passage(&self, id: i64, known: Known) -> Result<Option<Arc<Candidate>>, Error> {
        let dimension = self.shared.identity.dimension;
        let read = |connection: &Connection| match known {
            Known::There(passage) => Ok((Some(passage), false)),
            Known::Then(passage) => {
                let is_there = facts::has_chunk(connection, id)?;
                Ok((is_there.then_some(passage), true))
            }
            Known::Nothing => {
                let read = facts::candidate(connection, id, dimension)?;
                Ok((read.map(Arc::new), true))
            }
        };
        let (passage, is_news) = self.cache().with(read)?;
        if let (Some(passage), true) = (&passage, is_news) {
            lock(&self.shared.passages).put(passage, self.moment);
        }
        Ok(passage)
    }

    /// The note of a chunk that this snapshot has, and its place there. A row never changes, so it does
    /// not matter when it was read.
    fn place(&self, id: i64) -> Result<(String, u32), Error> {
        let known = lock(&self.shared.passages).get(id, self.moment);
        if let Known::There(passage) | Known::Then(passage) = known {
            return Ok((passage.note.clone(), passage.ordinal));
        }
        self.cache().with(|connection| facts::place(connection, id))
    }

    /// Adds those of these chunks that are there and have an embedding, with its cosine to a vector.
    fn score(&self, ids: &[i64], vector: &Vector, into: &mut Vec<Scored>) -> Result<(), Error> {
        for passage in self.candidates(ids)? {
            let score = passage.cosine(vector);
            into.extend(score.map(|score| Scored { score, passage }));
        }
        Ok(())
    }

    /// What a phrase is worth, to be remembered.
    fn worth(
        &self,
        chunks: Chunks,
        phrase: &str,
        weights: ColumnWeights,
    ) -> Result<Arc<Worth>, Error> {
        let worth = Arc::new(self.cache().worth(phrase, weights)?);
        lock(&self.shared.words).put(chunks, phrase, weights, &worth);
        Ok(worth)
    }

    /// The index with what came since, and without its dead if they are many.
    fn grown(&self, index: &Index, last: i64) -> Result<Index, Error> {
        self.cache().with(|connection| {
            let mut grown = index.clone();
            facts::each_embedding_after(connection, index.last(), |id, embedding| {
                grown.push(id, &floats(embedding));
            })?;
            grown.complete_to(last);
            let alive = facts::count(connection, "vault_chunk")? as usize;
            if grown.len().saturating_sub(alive) > grown.len() / DEAD_ARE_MANY {
                grown = grown.only(&facts::chunk_numbers(connection)?);
            }
            Ok(grown)
        })
    }
}

impl Drop for CacheSnapshot<'_> {
    fn drop(&mut self) {
        let Some(cache) = self.cache.take() else {
            return;
        };
        // A connection that cannot end its transaction is not used again.
        let end = cache.with(|connection| connection.execute_batch("COMMIT"));
        if end.is_ok() {
            lock(&self.shared.idle).push(cache);
        }
    }
}

impl Snapshot for CacheSnapshot<'_> {
    fn counts(&self) -> Result<Counts, Error> {
        self.cache().with(facts::counts)
    }

    fn passages(&self) -> Result<u32, Error> {
        Ok(self.chunks()?.count)
    }

    fn nearest(&self, vector: &[f32], k: u32, scope: &Scope) -> Result<Vec<Hit>, Error> {
        let cache = self.cache();
        cache.fits(vector)?;
        if vector.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let shared = self.shared;
        let is_without = lock(&self.index).len() == 0;
        let making = is_without.then(|| shared.making.try_lock());
        if is_without && k <= MOST {
            let is_first = !shared.was_asked.swap(true, Ordering::Relaxed);
            let is_being_made = matches!(making, Some(Err(TryLockError::WouldBlock)));
            let was_made_since = lock(&shared.index).len() > 0;
            if is_first || is_being_made || was_made_since {
                return cache.nearest(vector, k, scope);
            }
        }
        let allowed = cache.within(scope)?;
        let index = self.index()?;
        let measured = Vector::from(vector.to_vec());
        let found = index.nearest(
            vector,
            k as usize,
            allowed.as_deref(),
            shared.threads,
            |ids, found| self.score(ids, &measured, found),
        )?;
        Ok(found.iter().map(Scored::hit).collect())
    }

    fn matching(
        &self,
        phrases: &[String],
        k: u32,
        scope: &Scope,
        weights: ColumnWeights,
    ) -> Result<Vec<Hit>, Error> {
        let cache = self.cache();
        let chunks = self.chunks()?;
        let worth = phrases.iter().map(|phrase| {
            let known = lock(&self.shared.words).get(chunks, phrase, weights);
            known.map_or_else(|| self.worth(chunks, phrase, weights), Ok)
        });
        let worth = worth.collect::<Result<Vec<_>, _>>()?;
        cache.best(&worth, k, scope, |chunk| self.place(chunk))
    }

    fn remembers(&self, phrases: &[String], weights: ColumnWeights) -> Result<bool, Error> {
        let chunks = self.chunks()?;
        let words = lock(&self.shared.words);
        let is_known = |phrase: &String| words.get(chunks, phrase, weights).is_some();
        Ok(phrases.iter().all(is_known))
    }

    fn candidates(&self, chunks: &[i64]) -> Result<Vec<Arc<Candidate>>, Error> {
        let known: Vec<Known> = {
            let mut passages = lock(&self.shared.passages);
            let known = chunks.iter().map(|&id| passages.get(id, self.moment));
            known.collect()
        };
        let mut found = Vec::with_capacity(chunks.len());
        for (&id, known) in chunks.iter().zip(known) {
            found.extend(self.passage(id, known)?);
        }
        Ok(found)
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<Arc<Candidate>>, Error> {
        let chunks = self.cache().chunks_of(path)?;
        Ok(chunks.into_iter().map(Arc::new).collect())
    }

    fn notes(&self, paths: &[&str]) -> Result<Vec<Arc<NoteFacts>>, Error> {
        let mut found = Vec::with_capacity(paths.len());
        for path in paths {
            let known = lock(&self.shared.notes).get(path, self.moment);
            if known.is_some() {
                found.extend(known);
                continue;
            }
            let read = self
                .cache()
                .with(|connection| facts::note_at(connection, path))?;
            if let Some(facts) = read.map(Arc::new) {
                lock(&self.shared.notes).put(&facts, self.moment);
                found.push(facts);
            }
        }
        Ok(found)
    }

    fn edges_touching(&self, paths: &[&str]) -> Result<Vec<Edge>, Error> {
        self.cache()
            .with(|connection| facts::edges_touching(connection, paths))
    }

    fn neighbours(&self, paths: &[&str]) -> Result<Vec<(String, u32)>, Error> {
        if let Some(links) = self.links_at_hand()? {
            return Ok(links.neighbours(paths));
        }
        self.cache()
            .with(|connection| facts::neighbours(connection, paths))
    }

    fn edges_among(&self, paths: &[&str]) -> Result<Vec<(u32, u32, EdgeKind)>, Error> {
        if let Some(links) = self.links_at_hand()? {
            return Ok(links.among(paths));
        }
        self.cache()
            .with(|connection| facts::edges_among(connection, paths))
    }

    fn similarities(&self, paths: &[&str], vector: &[f32]) -> Result<Similarities, Error> {
        let cache = self.cache();
        cache.fits(vector)?;
        cache.with(|connection| facts::similarities(connection, paths, vector))
    }

    fn embeddings_of(&self, path: &str) -> Result<Vec<Vec<f32>>, Error> {
        let mut embeddings = Vec::new();
        self.cache().with(|connection| {
            facts::each_embedding_of(connection, path, |embedding| {
                embeddings.push(embedding.to_vec());
            })
        })?;
        Ok(embeddings)
    }

    fn hashes(&self, paths: &[&str]) -> Result<Vec<(String, String)>, Error> {
        self.cache()
            .with(|connection| state::hashes(connection, paths))
    }

    fn state(&self) -> Result<State, Error> {
        let identity = &self.shared.identity;
        self.cache()
            .with(|connection| state::state(connection, identity))
    }
}

/// Whoever panicked with a lock in hand left what it guards whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
