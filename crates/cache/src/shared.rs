//! A cache that many threads ask at once.
//!
//! Each question takes a connection of its own out of a pool and reads inside one transaction.
//! What the connections share is the memory of phrases ([`words`](crate::words)), and the index of
//! the vectors ([`knn`](crate::knn)). The latter has to read them
//! all once, which takes longer than one question by sqlite-vec does: so the first is answered
//! that way, and so are those that begin while the index is being made.
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
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::available_parallelism;

use concord_text::EdgeKind;

use crate::blob::floats;
use crate::cache::{Cache, Identity};
use crate::error::Error;
use crate::facts::{self, Chunks};
use crate::knn::{Index, Scored};
use crate::rows::{Edge, NoteFacts};
use crate::search::{Hit, MOST, Scope};
use crate::state;
use crate::store::{Candidate, CandidateStore, Counts, Similarities, Snapshot, State};
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
            was_asked: AtomicBool::new(false),
            threads: available_parallelism().map_or(1, NonZero::get),
        })
    }

    /// Lets one search use so many threads; without this, as many as there are processors.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Makes the index of the vectors, so that no question waits for it. For a service: one
    /// question alone is answered sooner without it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn warm(&self) -> Result<(), Error> {
        self.was_asked.store(true, Ordering::Relaxed);
        let _making = lock(&self.making);
        self.begin()?.index().map(drop)
    }

    fn begin(&self) -> Result<CacheSnapshot<'_>, Error> {
        let index = Arc::clone(&lock(&self.index));
        let idle = lock(&self.idle).pop();
        let cache = idle.map_or_else(|| self.another_reader(), Ok)?;
        // A transaction begins with its first read.
        cache.with(|connection| connection.execute_batch("BEGIN; SELECT 1 FROM meta LIMIT 1;"))?;
        Ok(CacheSnapshot {
            shared: self,
            cache: Some(cache),
            index: Mutex::new(index),
            chunks: OnceLock::new(),
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
    /// The latest from before the transaction, or one made in it.
    index: Mutex<Arc<Index>>,
    /// Once they were counted.
    chunks: OnceLock<Chunks>,
}

impl CacheSnapshot<'_> {
    fn cache(&self) -> &Cache {
        self.cache.as_ref().expect("given back only when dropped")
    }

    /// An index that holds every vector of this snapshot.
    fn index(&self) -> Result<Arc<Index>, Error> {
        let mut own = lock(&self.index);
        let last = self.cache().with(facts::last_chunk)?;
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
        if let Some(&chunks) = self.chunks.get() {
            return Ok(chunks);
        }
        let chunks = self.cache().with(facts::chunks_at_this_moment)?;
        Ok(*self.chunks.get_or_init(|| chunks))
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
        let found = index.nearest(
            vector,
            k as usize,
            allowed.as_deref(),
            shared.threads,
            |ids, found| cache.with(|connection| facts::score(connection, ids, vector, found)),
        )?;
        Ok(found.iter().map(hit).collect())
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
        cache.best(&worth, k, scope)
    }

    fn nearest_of(&self, chunks: &[i64], vector: &[f32]) -> Result<Vec<Hit>, Error> {
        let cache = self.cache();
        cache.fits(vector)?;
        let mut found = Vec::with_capacity(chunks.len());
        cache.with(|connection| facts::score(connection, chunks, vector, &mut found))?;
        found.sort_by(Scored::compare);
        Ok(found.iter().map(hit).collect())
    }

    fn embeddings(&self, chunks: &[i64]) -> Result<Vec<Vec<f32>>, Error> {
        self.cache()
            .with(|connection| facts::embeddings(connection, chunks))
    }

    fn candidates(&self, chunks: &[i64], query: Option<&[f32]>) -> Result<Vec<Candidate>, Error> {
        let cache = self.cache();
        query.map_or(Ok(()), |query| cache.fits(query))?;
        let dimension = self.shared.identity.dimension;
        cache.with(|connection| facts::candidates(connection, chunks, dimension, query))
    }

    fn chunks_of(&self, path: &str, query: Option<&[f32]>) -> Result<Vec<Candidate>, Error> {
        let cache = self.cache();
        query.map_or(Ok(()), |query| cache.fits(query))?;
        let dimension = self.shared.identity.dimension;
        cache.with(|connection| facts::chunks_of(connection, path, dimension, query))
    }

    fn notes(&self, paths: &[&str]) -> Result<Vec<NoteFacts>, Error> {
        self.cache()
            .with(|connection| facts::notes(connection, paths))
    }

    fn edges_touching(&self, paths: &[&str]) -> Result<Vec<Edge>, Error> {
        self.cache()
            .with(|connection| facts::edges_touching(connection, paths))
    }

    fn edges_among(&self, paths: &[&str]) -> Result<Vec<(u32, u32, EdgeKind)>, Error> {
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

fn hit(scored: &Scored) -> Hit {
    Hit {
        chunk: scored.id,
        score: scored.score,
    }
}

/// Whoever panicked with a lock in hand left what it guards whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
