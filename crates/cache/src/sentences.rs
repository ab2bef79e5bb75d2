//! The vectors of a chunk's sentences: a signed byte a number, all in one piece.
//!
//! ```text
//! byte = round(127 · number / greatest |number| of the vector)
//! ```
//!
//! Only their direction is kept, since only cosines are asked of them. An excerpt wants the two
//! best sentences of a chunk, and a byte a number orders them about as well as four do.

use std::borrow::Borrow;

use crate::knn::{PackedQuery, scan};

/// The vectors of a chunk's sentences, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentenceVectors {
    dimension: usize,
    steps: Vec<i8>,
}

impl SentenceVectors {
    /// Packs vectors, which all have the same length. A vector encoded just now must come through
    /// here too: then it gives the same cosine as one that was stored.
    #[must_use]
    pub fn pack<V: Borrow<Vec<f32>>>(vectors: impl IntoIterator<Item = V>) -> Self {
        let mut all = Self::default();
        for vector in vectors {
            let vector = vector.borrow();
            all.dimension = vector.len();
            all.steps.extend(steps(vector));
        }
        all
    }

    /// What [`bytes`](Self::bytes) gave for a cache of this dimension; none if it is not that.
    pub(crate) fn from_bytes(bytes: &[u8], dimension: u32) -> Option<Self> {
        let dimension = dimension as usize;
        (dimension > 0 && bytes.len().is_multiple_of(dimension)).then(|| Self {
            dimension,
            steps: bytes.iter().map(|byte| byte.cast_signed()).collect(),
        })
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.steps.iter().map(|step| step.cast_unsigned()).collect()
    }

    /// Bytes in memory.
    pub(crate) fn size(&self) -> usize {
        self.steps.len()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Whether the chunk has no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The cosine of each sentence to a query of the same dimension; 0 where either has no length.
    /// Sums are of whole numbers, so it does not depend on the machine.
    #[must_use]
    pub fn cosines(&self, query: &PackedQuery) -> Vec<f64> {
        if self.dimension == 0 || query.numbers.len() != self.dimension {
            return vec![0.0; self.len()];
        }
        let mut dots = vec![0; self.len()];
        let mut squares = vec![0; self.len()];
        scan::dots(&query.numbers, &self.steps, &mut dots);
        scan::squares(self.dimension, &self.steps, &mut squares);
        let pairs = dots.into_iter().zip(squares);
        pairs
            .map(|(dot, square)| query.cosine(dot, square))
            .collect()
    }
}

/// A vector in whole steps of 1/127 of its greatest number; a vector of zeros stays one.
#[expect(clippy::cast_possible_truncation, reason = "within ± 127")]
fn steps(vector: &[f32]) -> impl Iterator<Item = i8> {
    let greatest = vector.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
    // A float that is no number becomes 0.
    vector
        .iter()
        .map(move |number| (number * (127.0 / greatest)).round() as i8)
}
