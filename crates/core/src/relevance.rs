//! Whether anything that was found answers the question.
//!
//! Retrieval always finds something: the ten nearest passages of a vault that does not know the
//! answer are ten strangers. An answer is said to hold nothing relevant if
//!
//! ```text
//! the greatest cosine < the model's floor   and   no identifier of the query was found literally
//! ```
//!
//! and, by words alone, if no word was found. Cosines of different models have different scales, so
//! a floor belongs to a model; one that is not listed has none, and never abstains by meaning. It
//! annotates: the ranking is the same with or without it.

use crate::bundle::Bundle;

/// The cosine below which a model's best find is a stranger, by the beginning of its name.
const FLOORS: [(&str, f64); 1] = [("bge-small-en-v1.5", 0.64)];

/// The leg of passages in which an identifier of the query stands as it was typed.
pub const LITERAL: &str = "literal";

/// Why nothing in a bundle answers its query, in a sentence; none if something may.
#[must_use]
pub fn nothing_relevant(bundle: &Bundle) -> Option<String> {
    if bundle.chunks.is_empty() {
        return Some("nothing was found".to_owned());
    }
    let literal = bundle.legs.iter().find(|leg| leg.name == LITERAL);
    if literal.is_some_and(|leg| !leg.hits.is_empty()) {
        return None;
    }
    let model = bundle.corpus.model.as_deref()?;
    let (_, floor) = FLOORS.iter().find(|(name, _)| model.starts_with(name))?;
    let nearest = bundle
        .chunks
        .iter()
        .filter_map(|chunk| chunk.cosine)
        .max()?;
    (nearest.get() < *floor).then(|| {
        let nearest = nearest.get();
        format!("the nearest passage has a cosine of {nearest:.2}, and strangers reach {floor:.2}")
    })
}
