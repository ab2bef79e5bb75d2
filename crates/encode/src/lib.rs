//! Text into vectors.
//!
//! [`Encoder`] is the one door. Behind it stand the BERT family ([`bert`]), static models
//! ([`static_model`]) and the model inside the binary ([`embedded`], feature `embedded`).
//!
//! This crate knows nothing of notes, caches or HTTP servers. What comes out of it may differ in
//! the last bits between machines, so nothing behind the bundle may depend on it.

mod asset;
pub mod bert;
mod describe;
#[cfg(feature = "embedded")]
pub mod embedded;
mod error;
pub mod hub;
mod kernel;
mod open;
#[cfg(test)]
mod reference_figures;
#[doc(hidden)]
pub mod roof;
pub mod static_model;
mod tokens;
mod weights;

pub use asset::write as write_asset;
pub use error::{Error, Fault, Result};
pub use open::{Precision, open};

/// Turns text into vectors of one length, so that near vectors mean near meanings.
///
/// Encoders are shared between threads. A query runs on the thread that asks, at once, helped by
/// others as far as they get a processor; documents are cut into small batches for threads of
/// their own, so that a query has to share the processor with them but never waits for more than
/// one such batch.
pub trait Encoder: Send + Sync {
    /// A query's vector, L2-normalised. The model's query prefix is added here.
    ///
    /// # Errors
    /// If the text cannot be turned into tokens, or the engine fails.
    fn encode_query(&self, query: &str) -> Result<Vec<f32>>;

    /// The same vector, to the last bit, while so many other questions are being answered: theirs are the
    /// processors that could have helped.
    ///
    /// # Errors
    /// As [`encode_query`](Self::encode_query).
    fn encode_query_among(&self, query: &str, others: usize) -> Result<Vec<f32>> {
        let _ = others;
        self.encode_query(query)
    }

    /// The vectors of some documents, in their order, each L2-normalised. Nothing is added to
    /// the texts. A text longer than the model's window is cut, and counted. A text has the same
    /// vector, to the last bit, whichever others it is encoded with: an index that is kept in step must
    /// be the one that would be built from nothing.
    ///
    /// # Errors
    /// If a text cannot be turned into tokens, or the engine fails.
    fn encode_documents(&self, texts: &[&str]) -> Result<Encoded>;

    /// What [`encode_query`](Self::encode_query) puts before a query; often nothing.
    fn query_prefix(&self) -> &str;

    /// How many numbers a vector has.
    fn dimension(&self) -> usize;

    /// What a person calls the model.
    fn name(&self) -> &str;

    /// Equal for two encoders whose vectors may be compared, and only then: the model's name,
    /// the beginning of its weights' SHA-256, and the precision of the arithmetic.
    fn fingerprint(&self) -> &str;
}

/// What became of some documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// One vector a text, in the order of the texts.
    pub vectors: Vec<Vec<f32>>,
    /// How many texts were longer than the model's window, and were cut.
    pub truncated: usize,
}

/// Scales to length one. A vector of zeros (a text without any known token) stays as it is.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
