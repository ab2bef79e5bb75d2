//! The BERT family: bge, MiniLM, e5, gte and their kin.
//!
//! Two engines compute the same function. [`fused`] is the one that is used: weights in 8 bits,
//! packed once, everything between two matrix products done in one pass. [`reference`] is
//! candle's BERT in f32: the measure of the first, and what runs a model that the first cannot
//! (an activation other than GELU, widths that 4 does not divide).

mod batch;
mod channels;
mod fused;
mod packed;
mod reference;
mod rounds;
mod rows;
mod seeded;
mod waiting;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::thread;

use crate::describe::{Description, Pooling};
use crate::error::Result;
use crate::tokens::{Ids, Tokens};
use crate::weights::{WeightsFile, sha256};
use crate::{Encoded, Encoder, Precision, normalise};

pub(crate) use fused::Fused;
#[cfg(feature = "embedded")]
pub(crate) use fused::Layer;
#[cfg(feature = "embedded")]
pub(crate) use packed::{Bytes, Table};
pub(crate) use packed::{Linear, Norm};
use reference::Reference;

/// A BERT that encodes text.
pub struct Bert {
    description: Description,
    fingerprint: String,
    tokens: Tokens,
    engine: Engine,
    threads: usize,
}

enum Engine {
    Fused(Fused),
    Reference(Reference),
}

/// The threads for one sequence. How it is cut decides the last bits of its vector, and who is at work
/// does not.
#[derive(Clone, Copy)]
struct Crew {
    /// For so many threads the sequence is cut.
    cut_for: usize,
    /// So many of them work.
    at_work: usize,
}

impl Crew {
    fn of(threads: usize) -> Self {
        Self {
            cut_for: threads,
            at_work: threads,
        }
    }

    fn at_most(self, threads: usize) -> Self {
        Self {
            cut_for: self.cut_for.min(threads),
            at_work: self.at_work.min(threads),
        }
    }
}

impl Bert {
    /// Loads a model's folder.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the model is of a kind that cannot be run.
    pub fn open(folder: &Path, name: &str, precision: Precision) -> Result<Self> {
        let description = Description::read(folder, name)?;
        let tokens = Tokens::open(&folder.join("tokenizer.json"), description.window, true)?;
        let path = folder.join("model.safetensors");
        let mut weights = WeightsFile::open(&path)?;
        let engine = match precision {
            Precision::Int8 if Fused::can_run(&description.shape) => {
                Engine::Fused(Fused::pack(&description.shape, &mut weights)?)
            }
            _ => Engine::Reference(Reference::load(&description.shape, &mut weights)?),
        };
        Ok(Self::new(description, &sha256(&path)?, tokens, engine))
    }

    /// A model that is packed already.
    #[cfg(feature = "embedded")]
    pub(crate) fn packed(
        description: Description,
        weights_sha256: &str,
        tokens: Tokens,
        model: Fused,
    ) -> Self {
        Self::new(description, weights_sha256, tokens, Engine::Fused(model))
    }

    fn new(description: Description, sha256: &str, tokens: Tokens, engine: Engine) -> Self {
        let precision = match engine {
            Engine::Fused(_) => "int8",
            Engine::Reference(_) => "f32",
        };
        Self {
            fingerprint: fingerprint(&description.name, sha256, precision),
            description,
            tokens,
            engine,
            threads: thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// How many threads work on documents; as many as the machine has processors unless said
    /// otherwise here.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The instruction set in use, for a person to read.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        match &self.engine {
            Engine::Fused(model) => model.kernel().name(),
            Engine::Reference(_) => "candle f32",
        }
    }

    /// The vector of one sequence of tokens, cut for as many threads as its length is worth.
    fn encode_one(&self, ids: &[u32], crew: Crew) -> Result<Vec<f32>> {
        let mut vector = match &self.engine {
            Engine::Fused(model) => model.encode_split(ids, self.description.pooling, crew),
            Engine::Reference(model) => model.encode(ids, self.description.pooling)?,
        };
        normalise(&mut vector);
        Ok(vector)
    }

    /// The vectors of sequences of tokens that were tokenised elsewhere, one as a query is encoded and
    /// several as documents are: what a benchmark times.
    ///
    /// # Errors
    /// If the reference engine fails.
    #[doc(hidden)]
    pub fn encode_ids(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        match sequences {
            [ids] => Ok(vec![self.encode_one(ids, Crew::of(self.threads))?]),
            several => self.encode_apart(several),
        }
    }

    /// The vectors of sequences, each made by one thread: shared between several, the last bits of its
    /// sums would be others.
    fn encode_apart(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let Engine::Fused(model) = &self.engine else {
            return sequences
                .iter()
                .map(|ids| self.encode_one(ids, Crew::of(1)))
                .collect();
        };
        let lengths: Vec<usize> = sequences.iter().map(Vec::len).collect();
        let batches = batch::by_length(&lengths);
        batch::in_parallel(self.threads, &batches, sequences.len(), |batch| {
            let ids: Vec<&[u32]> = batch.iter().map(|&i| sequences[i].as_slice()).collect();
            let mut vectors = model.encode_batch(&ids, self.description.pooling);
            vectors.iter_mut().for_each(|vector| normalise(vector));
            Ok(vectors)
        })
    }
}

/// What tells this model from any other, see [`Encoder::fingerprint`].
pub(crate) fn fingerprint(name: &str, sha256: &str, precision: &str) -> String {
    // The folder's name without the organisation: a copy elsewhere is the same model.
    let name = name.rsplit('/').next().unwrap_or_default();
    format!("{name}:{}:{precision}", &sha256[..16.min(sha256.len())])
}

impl Encoder for Bert {
    fn encode_query(&self, query: &str) -> Result<Vec<f32>> {
        self.encode_query_among(query, 0)
    }

    fn encode_query_among(&self, query: &str, others: usize) -> Result<Vec<f32>> {
        let ids = if self.description.query_prefix.is_empty() {
            self.tokens.ids(query)?
        } else {
            let prefix = &self.description.query_prefix;
            self.tokens.ids(&format!("{prefix}{query}"))?
        };
        let crew = Crew {
            cut_for: self.threads,
            at_work: self.threads.saturating_sub(others).max(1),
        };
        self.encode_one(&ids.ids, crew)
    }

    fn encode_documents(&self, texts: &[&str]) -> Result<Encoded> {
        let chunks = batch::even(texts.len(), self.threads);
        let tokenised = batch::in_parallel(self.threads, &chunks, texts.len(), |chunk| {
            chunk.iter().map(|&i| self.tokens.ids(texts[i])).collect()
        })?;
        let truncated = tokenised.iter().filter(|ids| ids.truncated).count();
        let sequences: Vec<Vec<u32>> = tokenised.into_iter().map(|Ids { ids, .. }| ids).collect();
        Ok(Encoded {
            vectors: self.encode_apart(&sequences)?,
            truncated,
        })
    }

    fn query_prefix(&self) -> &str {
        &self.description.query_prefix
    }

    fn dimension(&self) -> usize {
        self.description.shape.hidden_size
    }

    fn name(&self) -> &str {
        &self.description.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// A text's vector from its tokens' vectors.
fn pool(hidden: &[f32], width: usize, pooling: Pooling) -> Vec<f32> {
    match pooling {
        Pooling::Cls => hidden[..width].to_vec(),
        Pooling::Mean => {
            let mut mean = vec![0.0; width];
            for row in hidden.chunks_exact(width) {
                for (mean, x) in mean.iter_mut().zip(row) {
                    *mean += x;
                }
            }
            let count = (hidden.len() / width) as f32;
            for mean in &mut mean {
                *mean /= count;
            }
            mean
        }
    }
}
