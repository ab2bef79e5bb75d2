//! The vectors of a chunk's sentences: a signed byte a number, all in one piece.
//!
//! ```text
//! byte = round(127 · number / greatest |number| of the vector)
//! ```
//!
//! Only their direction is kept, since only cosines are asked of them. An excerpt wants the two
//! best sentences of a chunk, and a byte a number orders them about as well as four do.

use std::borrow::Borrow;

/// The vectors of a chunk's sentences, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentenceVectors {
    dimension: usize,
    bytes: Vec<u8>,
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
            all.bytes.extend(steps(vector).map(i8::cast_unsigned));
        }
        all
    }

    /// What [`bytes`](Self::bytes) gave for a cache of this dimension; none if it is not that.
    pub(crate) fn from_bytes(bytes: &[u8], dimension: u32) -> Option<Self> {
        let dimension = dimension as usize;
        (dimension > 0 && bytes.len().is_multiple_of(dimension)).then(|| Self {
            dimension,
            bytes: bytes.to_vec(),
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len().checked_div(self.dimension).unwrap_or(0)
    }

    /// Whether the chunk has no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The cosine of each sentence to a query; 0 where either has no length.
    #[must_use]
    pub fn cosines(&self, query: &[f32]) -> Vec<f64> {
        let sentences = self.bytes.chunks_exact(self.dimension.max(1));
        let of_query = length(query.iter().map(|&number| f64::from(number)));
        sentences
            .map(|sentence| {
                let steps = sentence.iter().map(|&step| f64::from(step.cast_signed()));
                let mut dot = 0.0;
                for (step, &number) in steps.clone().zip(query) {
                    dot += step * f64::from(number);
                }
                let length = of_query * length(steps);
                if length > 0.0 { dot / length } else { 0.0 }
            })
            .collect()
    }
}

/// In order, so that it does not depend on the machine.
fn length(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut square = 0.0;
    for number in numbers {
        square += number * number;
    }
    square.sqrt()
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
