//! How like every note is to some texts.

use std::collections::BTreeMap;

use concord_cache::CandidateStore as _;
use concord_text::lexical;

use super::Collection;
use crate::refusal::Refusal;

impl Collection {
    /// How like every note of the index is to each of these texts, by path: the cosine of the mean
    /// of its passages' vectors, which are stored, so that only the texts are encoded. Without an
    /// encoder, by the words that the text shares with its best passage. A note without passages is
    /// left out.
    pub(crate) fn likeness(&self, texts: &[String]) -> Result<BTreeMap<String, Vec<f64>>, Refusal> {
        let store = self.store.get()?;
        let snapshot = store.snapshot()?;
        let vectors = match &self.encoder {
            None => None,
            Some(encoder) => {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                Some(encoder.encode_documents(&texts)?.vectors)
            }
        };
        let mut like = BTreeMap::new();
        for note in self.notes()? {
            let cosines: Vec<f64> = match &vectors {
                Some(vectors) => {
                    let Some(mean) = mean(&snapshot.embeddings_of(&note.path)?) else {
                        continue;
                    };
                    vectors.iter().map(|vector| cosine(vector, &mean)).collect()
                }
                None => {
                    let passages = snapshot.chunks_of(&note.path)?;
                    if passages.is_empty() {
                        continue;
                    }
                    let best = |text: &String| {
                        let each = passages
                            .iter()
                            .map(|passage| lexical::likeness(text, &passage.text));
                        each.fold(0.0, f64::max)
                    };
                    texts.iter().map(best).collect()
                }
            };
            like.insert(note.path, cosines);
        }
        Ok(like)
    }

    /// Whether likeness is by meaning, and not by words alone.
    pub(crate) fn has_encoder(&self) -> bool {
        self.encoder.is_some()
    }
}

fn mean(vectors: &[Vec<f32>]) -> Option<Vec<f64>> {
    let mut sum = vec![0.0; vectors.first()?.len()];
    for vector in vectors {
        for (sum, x) in sum.iter_mut().zip(vector) {
            *sum += f64::from(*x);
        }
    }
    Some(sum)
}

fn cosine(one: &[f32], other: &[f64]) -> f64 {
    let (mut dot, mut a, mut b) = (0.0, 0.0, 0.0);
    for (x, y) in one.iter().zip(other) {
        let x = f64::from(*x);
        dot += x * y;
        a += x * x;
        b += y * y;
    }
    if a > 0.0 && b > 0.0 {
        dot / (a * b).sqrt()
    } else {
        0.0
    }
}
