//! The door to whatever finds candidates: ranked lists, vectors of touched notes, links, note facts.
//!
//! Nothing behind it ranks, and nothing in front of it knows SQL. All that one question asks comes
//! from one [`Snapshot`], so that a hit can always be looked up and a link never leads to a note
//! that was replaced meanwhile. [`SharedCache`](crate::SharedCache) is the SQLite one.

use std::sync::Arc;

use concord_core::Text;
use concord_text::EdgeKind;

use crate::cache::Identity;
use crate::error::Error;
use crate::knn::Scored;
use crate::rows::{Edge, NoteFacts};
use crate::search::{Hit, Scope};
use crate::sentences::SentenceVectors;
use crate::vector::Vector;
use crate::words::ColumnWeights;

/// What finds candidates. Shared by threads; each question takes a snapshot of its own.
pub trait CandidateStore: Send + Sync {
    /// What its vectors are.
    fn identity(&self) -> &Identity;

    /// The store as it is now; what is written later does not show in it.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, Error>;
}

/// A store at one moment. Every method fails only if the store cannot be read, or where it says so.
pub trait Snapshot {
    /// How much there is.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn counts(&self) -> Result<Counts, Error>;

    /// How many passages there are: the one count that every question needs.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn passages(&self) -> Result<u32, Error>;

    /// The `k` chunks of the scope nearest to a vector by the cosine of the float32 vectors, nearest
    /// first, equal ones by note and place. Empty where there is no encoder.
    ///
    /// # Errors
    /// If the vector has the wrong length.
    fn nearest(&self, vector: &[f32], k: u32, scope: &Scope) -> Result<Vec<Hit>, Error>;

    /// The `k` chunks of the scope that match any of these phrases best, best first, equal ones by
    /// note and place. Nothing in a phrase is syntax; one that is given twice counts twice.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn matching(
        &self,
        phrases: &[String],
        k: u32,
        scope: &Scope,
        weights: ColumnWeights,
    ) -> Result<Vec<Hit>, Error>;

    /// Whether [`matching`](Self::matching) these phrases takes no reading.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn remembers(&self, phrases: &[String], weights: ColumnWeights) -> Result<bool, Error>;

    /// The chunks of these numbers, in this order; a number that there is not is left out.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn candidates(&self, chunks: &[i64]) -> Result<Vec<Arc<Candidate>>, Error>;

    /// The chunks of a note, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn chunks_of(&self, path: &str) -> Result<Vec<Arc<Candidate>>, Error>;

    /// What is known of these notes, in this order; a path that there is not is left out.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn notes(&self, paths: &[&str]) -> Result<Vec<Arc<NoteFacts>>, Error>;

    /// The edges that have one of these notes at either end, each once, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn edges_touching(&self, paths: &[&str]) -> Result<Vec<Edge>, Error>;

    /// The notes at the other end of these notes' edges that are not themselves among these, by path,
    /// each with the number of such edges.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn neighbours(&self, paths: &[&str]) -> Result<Vec<(String, u32)>, Error>;

    /// The edges that have these notes at both ends, as places in `paths`, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn edges_among(&self, paths: &[&str]) -> Result<Vec<(u32, u32, EdgeKind)>, Error>;

    /// How similar notes are to a vector; only their own embeddings are read. A note without any
    /// is left out.
    ///
    /// # Errors
    /// If the vector has the wrong length.
    fn similarities(&self, paths: &[&str], vector: &[f32]) -> Result<Similarities, Error>;

    /// The embeddings of a note's chunks, in order.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn embeddings_of(&self, path: &str) -> Result<Vec<Vec<f32>>, Error>;

    /// The hash of each of these notes' files as it was indexed, in this order and in hex; a path
    /// that there is not is left out.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn hashes(&self, paths: &[&str]) -> Result<Vec<(String, String)>, Error>;

    /// What tells this store from itself at another time, and when its newest note was changed.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn state(&self) -> Result<State, Error>;
}

/// What tells a store from itself at another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Equal as long as every question gets the same answer.
    pub mark: String,
    /// When the note that was changed last was changed, in unix seconds; none where no note says.
    pub newest: Option<i64>,
}

/// How much a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Notes.
    pub notes: u32,
    /// Passages.
    pub chunks: u32,
    /// Distinct edges between notes.
    pub edges: u32,
}

/// A passage, with what the core wants to know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its number in this store; never given to another chunk.
    pub id: i64,
    /// The note's path.
    pub note: String,
    /// Its place in the note, from 0.
    pub ordinal: u32,
    /// The heading that it stands under.
    pub section: String,
    /// The page or slide, where the source has any.
    pub page: Option<u32>,
    /// Verbatim.
    pub text: Text,
    /// None where there is no encoder.
    pub embedding: Option<Vector>,
    /// Bytes of its sentences in `text`.
    pub sentences: Vec<(u32, u32)>,
    /// One a sentence, once they were stored.
    pub sentence_vectors: Option<SentenceVectors>,
}

impl Candidate {
    /// The cosine of its embedding to a vector of the same length, computed from float32.
    #[must_use]
    pub fn cosine(&self, vector: &Vector) -> Option<f64> {
        let embedding = self.embedding.as_ref();
        embedding.map(|embedding| embedding.cosine(vector))
    }
}

/// Those of these passages that have an embedding, nearest to a vector of the same length first, equal
/// ones by note and place.
pub fn nearest_first<'a>(
    passages: impl IntoIterator<Item = &'a Arc<Candidate>>,
    to: &Vector,
) -> Vec<Hit> {
    let scored = |passage: &Arc<Candidate>| {
        Some(Scored {
            score: passage.cosine(to)?,
            passage: Arc::clone(passage),
        })
    };
    let mut found: Vec<Scored> = passages.into_iter().filter_map(scored).collect();
    found.sort_by(Scored::compare);
    found.iter().map(Scored::hit).collect()
}

/// How similar some notes are to a vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Similarities {
    /// The best cosine of each note's chunks, in the order of the paths.
    pub notes: Vec<(String, f64)>,
    /// How many embeddings were read.
    pub read: u32,
}
