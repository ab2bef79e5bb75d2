//! A cache that many threads ask at once.
//!
//! Each question takes a connection of its own out of a pool and reads inside one transaction.
//! What the connections share is the index of the vectors.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use concord_text::EdgeKind;

use crate::cache::{Cache, Identity};
use crate::error::Error;
use crate::facts;
use crate::rows::{Edge, NoteFacts};
use crate::search::{ColumnWeights, Hit, Scope};
use crate::store::{Candidate, CandidateStore, Counts, Similarities, Snapshot};

/// A domain's SQLite file, read by many threads.
pub struct SharedCache {
    file: PathBuf,
    identity: Identity,
    idle: Mutex<Vec<Cache>>,
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
            idle: Mutex::new(vec![first]),
        })
    }

    /// Makes the index of the vectors, so that the first question does not wait for it. For a
    /// service; one question alone is answered sooner without.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn warm(&self) -> Result<(), Error> {
        Ok(())
    }

    fn reader(&self) -> Result<Cache, Error> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        idle.map_or_else(|| Cache::reader(&self.file), Ok)
    }
}

impl CandidateStore for SharedCache {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, Error> {
        let cache = self.reader()?;
        // A transaction begins with its first read.
        cache.with(|connection| connection.execute_batch("BEGIN; SELECT 1 FROM meta LIMIT 1;"))?;
        Ok(Box::new(CacheSnapshot {
            shared: self,
            cache: Some(cache),
        }))
    }
}

/// One transaction of one connection.
struct CacheSnapshot<'a> {
    shared: &'a SharedCache,
    /// Given back at the end.
    cache: Option<Cache>,
}

impl CacheSnapshot<'_> {
    fn cache(&self) -> &Cache {
        self.cache.as_ref().expect("given back only when dropped")
    }

    fn fits(&self, vector: &[f32]) -> Result<(), Error> {
        let expected = self.shared.identity.dimension;
        if vector.len() == expected as usize {
            return Ok(());
        }
        Err(Error::Dimension {
            found: vector.len(),
            expected,
        })
    }
}

impl Drop for CacheSnapshot<'_> {
    fn drop(&mut self) {
        let Some(cache) = self.cache.take() else {
            return;
        };
        // A connection that cannot end its transaction is not used again.
        if cache
            .with(|connection| connection.execute_batch("COMMIT"))
            .is_ok()
        {
            let mut idle = self
                .shared
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            idle.push(cache);
        }
    }
}

impl Snapshot for CacheSnapshot<'_> {
    fn counts(&self) -> Result<Counts, Error> {
        self.cache().with(facts::counts)
    }

    fn nearest(&self, vector: &[f32], k: u32, scope: &Scope) -> Result<Vec<Hit>, Error> {
        self.cache().nearest(vector, k, scope)
    }

    fn matching(
        &self,
        expression: &str,
        k: u32,
        scope: &Scope,
        weights: ColumnWeights,
    ) -> Result<Vec<Hit>, Error> {
        self.cache().matching(expression, k, scope, weights)
    }

    fn candidates(&self, chunks: &[i64], query: Option<&[f32]>) -> Result<Vec<Candidate>, Error> {
        query.map_or(Ok(()), |query| self.fits(query))?;
        let dimension = self.shared.identity.dimension;
        self.cache()
            .with(|connection| facts::candidates(connection, chunks, dimension, query))
    }

    fn chunks_of(&self, path: &str, query: Option<&[f32]>) -> Result<Vec<Candidate>, Error> {
        query.map_or(Ok(()), |query| self.fits(query))?;
        let dimension = self.shared.identity.dimension;
        self.cache()
            .with(|connection| facts::chunks_of(connection, path, dimension, query))
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
        self.fits(vector)?;
        self.cache()
            .with(|connection| facts::similarities(connection, paths, vector))
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
}
