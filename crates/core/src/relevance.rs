//! Whether anything that was found answers the question.
//!
//! Retrieval always finds something: the ten nearest passages of a vault that does not know the
//! answer are ten strangers. An answer is said to hold nothing relevant if
//!
//! ```text
//! no identifier of the query was found literally, and
//! the greatest cosine < the model's floor, and
//! no candidate has two thirds of the query's longer words
//! ```
//!
//! and, by words alone, if nothing was found. Cosines of different models have different scales, so
//! a floor belongs to a model; one that is not listed has none, and never abstains. It annotates: the
//! ranking is the same with or without it.
//!
//! bge-small's floor was chosen on questions put to their own collection and to two others
//! (Cranfield, Medline, CACM; 110 and 220): at 0.62, 0.9 % of the first and 59 % of the second are
//! said to have no answer; at 0.66 these are 0.9 % and 84 %, but three of 25 short questions to the
//! sample vault, whose notes do answer them, fall below it.

use std::collections::BTreeSet;

use crate::bundle::Bundle;
use crate::normal::Normal;

/// The cosine below which a model's best find is most likely a stranger, by the beginning of its
/// name.
const FLOORS: [(&str, f64); 1] = [("bge-small-en-v1.5", 0.62)];

/// Shorter words are mostly those that every text has.
const LONGER: usize = 5;

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
    if nearest.get() >= *floor || has_most_words(bundle) {
        return None;
    }
    let nearest = nearest.get();
    Some(format!(
        "the nearest passage is {nearest:.2} near to the question, and what answers one is mostly nearer than {floor:.2}"
    ))
}

/// Whether one candidate has at least two thirds of the query's longer words.
fn has_most_words(bundle: &Bundle) -> bool {
    let query = Normal::of(&bundle.query);
    let words: BTreeSet<&str> = query
        .text
        .split(' ')
        .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()))
        .filter(|word| word.chars().count() >= LONGER)
        .collect();
    if words.is_empty() {
        return false;
    }
    bundle.chunks.iter().any(|chunk| {
        let text = Normal::of(&chunk.text);
        let found = words.iter().filter(|word| text.text.contains(**word));
        found.count() * 3 >= words.len() * 2
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bundle of one passage.
    fn bundle(query: &str, model: Option<&str>, cosine: f64, text: &str, leg: &str) -> Bundle {
        let bundle = serde_json::json!({
            "schema": 1, "query": query, "now": 0, "domain": "d",
            "legs": [{ "name": leg, "hits": [{ "chunk": 0, "score": 1 }] }],
            "chunks": [{ "id": 0, "note": "a.md", "ordinal": 0, "section": "", "page": null, "text": text,
                         "cosine": cosine, "cross": null, "sentences": [] }],
            "notes": [{ "path": "a.md", "title": "", "author": null, "published_at": null,
                        "modified_at": null, "valid_from": null, "valid_until": null, "kind": null,
                        "tags": [], "evergreen": false, "tier": null, "signals": {} }],
            "graph": { "nodes": [], "citations": [], "wikilinks": [] },
            "corpus": { "chunks": 1, "model": model, "dimension": 384 },
        });
        Bundle::from_json(&bundle.to_string()).expect("a bundle")
    }

    #[test]
    fn a_stranger_is_told_from_an_answer() {
        const BGE: Option<&str> = Some("bge-small-en-v1.5:0123:int8");
        let check = |expected: bool, bundle: &Bundle| {
            let found = nothing_relevant(bundle);
            assert_eq!(found.is_some(), expected, "{}: {found:?}", bundle.query);
        };
        let far = "Bread wants time.";
        check(
            true,
            &bundle("quantum chromodynamics", BGE, 0.61, far, "vector"),
        );
        check(
            false,
            &bundle("quantum chromodynamics", BGE, 0.62, far, "vector"),
        );
        check(
            false,
            &bundle("quantum chromodynamics", BGE, 0.1, far, "literal"),
        );
        check(
            false,
            &bundle(
                "quantum chromodynamics",
                Some("another"),
                0.1,
                far,
                "vector",
            ),
        );
        check(
            false,
            &bundle("quantum chromodynamics", None, 0.1, far, "lexical"),
        );
        // Two of three longer words stand in the passage, in any case.
        let near = "RUBEN AALTO came in the summer.";
        check(
            false,
            &bundle("Did Ruben Aalto manage it?", BGE, 0.5, near, "vector"),
        );
        check(
            true,
            &bundle("Did Ruben Brandt manage it?", BGE, 0.5, near, "vector"),
        );
        check(true, &bundle("did he do so", BGE, 0.5, near, "vector"));
        let mut empty = bundle("anything", None, 0.0, far, "lexical");
        empty.chunks.clear();
        check(true, &empty);
    }
}
