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
    /// The square of each one's length, in steps.
    squares: Vec<i32>,
}

impl SentenceVectors {
    /// Packs vectors, which all have the same length. A vector encoded just now must come through
    /// here too: then it gives the same cosine as one that was stored.
    #[must_use]
    pub fn pack<V: Borrow<Vec<f32>>>(vectors: impl IntoIterator<Item = V>) -> Self {
        let (mut dimension, mut all) = (0, Vec::new());
        for vector in vectors {
            let vector = vector.borrow();
            dimension = vector.len();
            all.extend(steps(vector));
        }
        Self::new(dimension, all)
    }

    fn new(dimension: usize, steps: Vec<i8>) -> Self {
        let mut squares = vec![0; steps.len().checked_div(dimension).unwrap_or(0)];
        scan::squares(dimension.max(1), &steps, &mut squares);
        Self {
            dimension,
            steps,
            squares,
        }
    }

    /// What [`bytes`](Self::bytes) gave for a cache of this dimension; none if it is not that.
    pub(crate) fn from_bytes(bytes: &[u8], dimension: u32) -> Option<Self> {
        let dimension = dimension as usize;
        (dimension > 0 && bytes.len().is_multiple_of(dimension)).then(|| {
            let steps = bytes.iter().map(|byte| byte.cast_signed());
            Self::new(dimension, steps.collect())
        })
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.steps.iter().map(|step| step.cast_unsigned()).collect()
    }

    /// Bytes in memory.
    pub(crate) fn size(&self) -> usize {
        self.steps.len() + size_of_val(&self.squares[..])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// Whether the chunk has no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.squares.is_empty()
    }

    /// The cosine of each sentence to a query of the same dimension; 0 where either has no length.
    /// Sums are of whole numbers, so it does not depend on the machine.
    #[must_use]
    pub fn cosines(&self, query: &PackedQuery) -> Vec<f64> {
        if self.dimension == 0 || query.numbers.len() != self.dimension {
            return vec![0.0; self.len()];
        }
        let mut dots = vec![0; self.len()];
        scan::dots(&query.numbers, &self.steps, &mut dots);
        let pairs = dots.into_iter().zip(&self.squares);
        pairs
            .map(|(dot, &square)| query.cosine(dot, square))
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
