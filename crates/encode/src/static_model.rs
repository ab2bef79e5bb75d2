//! Static models (Model2Vec): a table of token vectors and nothing else.
//!
//! ```text
//! vector = mean over the tokens of table[token] · weight[token], then L2-normalised
//! ```
//!
//! As the model2vec package does it: no marks are added; the text is cut to `512 · m` characters,
//! `m` being the median length of a token of the vocabulary, then to 512 tokens; then unknown
//! tokens are dropped. A text without any known token has the vector of zeros. The model's own
//! `normalize` is read by model2vec alone: our vectors are always normalised.

use std::path::Path;

use serde::Deserialize;

use crate::describe::required;
use crate::error::{Fault, Result};
use crate::tokens::Tokens;
use crate::weights::{WeightsFile, sha256};
use crate::{Encoded, Encoder, normalise};

/// What model2vec takes where `config.json` does not say.
const WINDOW: usize = 512;

/// A table of token vectors.
pub struct StaticModel {
    name: String,
    fingerprint: String,
    tokens: Tokens,
    unknown: Option<u32>,
    /// The longest text, in characters.
    characters: usize,
    width: usize,
    table: Vec<f32>,
    weights: Option<Vec<f32>>,
}

#[derive(Deserialize)]
struct Config {
    #[serde(default = "window")]
    max_length: usize,
}

fn window() -> usize {
    WINDOW
}

impl StaticModel {
    /// Loads a model's folder.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn open(folder: &Path, name: &str) -> Result<Self> {
        let config: Config = required(folder, "config.json")?;
        let tokens = Tokens::open(&folder.join("tokenizer.json"), config.max_length, false)?;
        let path = folder.join("model.safetensors");
        let mut file = WeightsFile::open(&path)?;
        let names = file.names();
        let has = |name: &str| names.iter().any(|known| known == name);
        let width = match file.shape("embeddings").as_deref() {
            Some(&[_, width]) if width > 0 && !has("mapping") => width,
            _ => {
                return Err(Fault::Model.because(format!(
                    "{}: not one row of `embeddings` a token; a static model whose vocabulary is \
                     clustered cannot be used",
                    path.display()
                )));
            }
        };
        let table = file.read("embeddings")?;
        let weights = has("weights").then(|| file.read("weights")).transpose()?;
        let hash = sha256(&path)?;
        Ok(Self {
            name: name.to_owned(),
            fingerprint: format!(
                "{}:{}:f32",
                name.rsplit('/').next().unwrap_or_default(),
                &hash[..16]
            ),
            unknown: tokens.unknown(),
            characters: config.max_length * median_length(&tokens.vocabulary()),
            tokens,
            width,
            table,
            weights,
        })
    }

    /// A text's vector, and whether it was cut.
    fn encode(&self, text: &str) -> Result<(Vec<f32>, bool)> {
        let (head, cut) = match text.char_indices().nth(self.characters) {
            Some((end, _)) => (&text[..end], true),
            None => (text, false),
        };
        let tokens = self.tokens.ids(head)?;
        let mut vector = vec![0.0; self.width];
        for &id in tokens.ids.iter().filter(|&&id| Some(id) != self.unknown) {
            let id = id as usize;
            let Some(row) = self.table.get(id * self.width..(id + 1) * self.width) else {
                continue;
            };
            let weight = match &self.weights {
                Some(weights) => weights.get(id).copied().unwrap_or(1.0),
                None => 1.0,
            };
            for (sum, x) in vector.iter_mut().zip(row) {
                *sum += x * weight;
            }
        }
        normalise(&mut vector);
        Ok((vector, cut || tokens.truncated))
    }
}

fn median_length(vocabulary: &[String]) -> usize {
    let mut lengths: Vec<usize> = vocabulary
        .iter()
        .map(|token| token.chars().count())
        .collect();
    lengths.sort_unstable();
    match (lengths.len() / 2, lengths.len() % 2) {
        (0, 0) => 1,
        (half, 0) => (lengths[half - 1] + lengths[half]) / 2,
        (half, _) => lengths[half],
    }
}

impl Encoder for StaticModel {
    fn encode_query(&self, query: &str) -> Result<Vec<f32>> {
        Ok(self.encode(query)?.0)
    }

    fn encode_documents(&self, texts: &[&str]) -> Result<Encoded> {
        let mut encoded = Encoded {
            vectors: Vec::with_capacity(texts.len()),
            truncated: 0,
        };
        for text in texts {
            let (vector, cut) = self.encode(text)?;
            encoded.vectors.push(vector);
            encoded.truncated += usize::from(cut);
        }
        Ok(encoded)
    }

    fn query_prefix(&self) -> &'static str {
        ""
    }

    fn dimension(&self) -> usize {
        self.width
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_figures::{Figures, cosine, models};

    #[test]
    fn potion_is_what_model2vec_makes_of_it() {
        let Some(folder) = models("potion-base-8M") else {
            return;
        };
        let model = StaticModel::open(&folder, "potion-base-8M").expect("a model");
        let figures = Figures::read();
        let texts: Vec<&str> = figures.texts.iter().map(String::as_str).collect();
        let encoded = model.encode_documents(&texts).expect("vectors");
        for ((text, got), expected) in texts.iter().zip(&encoded.vectors).zip(&figures.potion) {
            let cosine = cosine(got, expected);
            assert!(cosine >= 0.99999, "{text:?}: {cosine}");
        }
        assert!(encoded.truncated > 0, "the long texts are counted");
    }

    #[test]
    fn the_median_is_pythons() {
        let vocabulary = |lengths: &[usize]| -> Vec<String> {
            lengths.iter().map(|&length| "é".repeat(length)).collect()
        };
        assert_eq!(median_length(&vocabulary(&[1, 9, 4])), 4);
        assert_eq!(median_length(&vocabulary(&[1, 9, 4, 7])), 5);
    }
}
