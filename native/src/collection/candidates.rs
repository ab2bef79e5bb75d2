//! From a question to its bundle.
//!
//! ```text
//! encode ───────────┐
//! snapshot ─ words ─┴─ meaning ─ passages, notes, links ─► bundle
//! ```
//!
//! Encoding has a thread of its own; all reading happens on the asker's, from one snapshot.
//!
//! A question with identifiers in it (`AAPL`, `foo.bar()`, `§3 Absatz 2`) has a third leg,
//! `literal`: the passages in which one of them stands as it was typed, best first by BM25. To the
//! tokenizer of the index `C++` is `c`, and this is how it finds its note all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use concord_cache::{
    Candidate, ColumnWeights, EdgeKind, Hit as Find, Identity, NoteFacts, Snapshot,
};
use concord_cache::{CandidateStore as _, SentenceVectors};
use concord_core::{
    Bundle, Chunk, Corpus, Hit, Leg, Note, SCHEMA, Score, Seconds, Sentence, Subgraph, graph,
};
use concord_text::lexical;

use super::{Collection, Question, Timings};
use crate::refusal::Refusal;

/// Among so many finds by words, identifiers are looked for as they were typed.
const LITERAL_POOL: u32 = 1_000;

/// The bundle of a question.
pub(super) fn gather(
    collection: &Collection,
    question: &Question,
) -> Result<(Bundle, Timings), Refusal> {
    let mut timings = Timings::default();
    let store = collection.store.get()?;
    let snapshot = store.snapshot()?;
    let pool = question.profile.pool();

    let (vector, words) = thread::scope(|scope| {
        let encoding = collection
            .encoder
            .as_ref()
            .map(|encoder| scope.spawn(|| timed(|| encoder.encode_query(&question.query))));
        let words = timed(|| by_words(&*snapshot, question, pool));
        let vector = encoding.map(|thread| match thread.join() {
            Ok(encoded) => encoded,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        (vector, words)
    });
    let vector = match vector {
        Some((vector, took)) => {
            timings.encode = took;
            Some(vector?)
        }
        None => None,
    };
    let bundle = meet(
        collection,
        store.identity(),
        &*snapshot,
        question,
        vector.as_deref(),
        words,
        &mut timings,
    )?;
    Ok((bundle, timings))
}

/// The bundle of a question whose vector is known, where there is an encoder.
pub(super) fn gather_encoded(
    collection: &Collection,
    question: &Question,
    vector: Option<&[f32]>,
) -> Result<(Bundle, Timings), Refusal> {
    let mut timings = Timings::default();
    let store = collection.store.get()?;
    let snapshot = store.snapshot()?;
    let words = timed(|| by_words(&*snapshot, question, question.profile.pool()));
    let bundle = meet(
        collection,
        store.identity(),
        &*snapshot,
        question,
        vector,
        words,
        &mut timings,
    )?;
    Ok((bundle, timings))
}

/// What the words of a question found, and what its identifiers did.
type ByWords = Result<(Vec<Find>, Vec<Find>), Refusal>;

/// What was found by words and what is found by meaning, with all that is known of both.
fn meet(
    collection: &Collection,
    identity: &Identity,
    snapshot: &dyn Snapshot,
    question: &Question,
    vector: Option<&[f32]>,
    (words, took): (ByWords, Duration),
    timings: &mut Timings,
) -> Result<Bundle, Refusal> {
    timings.lexical = took;
    let (lexical, literal) = words?;
    let pool = question.profile.pool();
    let mut legs = Vec::new();
    if let Some(vector) = vector {
        let (near, took) = timed(|| snapshot.nearest(vector, pool, &question.scope));
        timings.vector = took;
        let (near, took) = timed(|| looked_at_again(&*snapshot, question, vector, near?, &lexical));
        timings.vector += took;
        legs.push(("vector", near?));
    }
    legs.push(("lexical", lexical));
    if !literal.is_empty() {
        legs.push(("literal", literal));
    }

    let (bundle, took) =
        timed(|| assemble(collection, identity, snapshot, question, vector, &legs));
    timings.facts = took;
    bundle
}

/// All candidates, seen from where the question's vector and the middle of its nearest passages
/// meet: what is said in several of these is most likely what was meant (Rocchio's feedback). Found
/// by words alone, a passage is given its cosine here too. Nothing is encoded, and nothing is
/// searched a second time.
fn looked_at_again(
    snapshot: &dyn Snapshot,
    question: &Question,
    vector: &[f32],
    near: Vec<Find>,
    lexical: &[Find],
) -> Result<Vec<Find>, Refusal> {
    let nearest = near
        .iter()
        .take(question.profile.retrieve.feedback as usize);
    let nearest: Vec<i64> = nearest.map(|find| find.chunk).collect();
    let embeddings = snapshot.embeddings(&nearest)?;
    if embeddings.is_empty() {
        return Ok(near);
    }
    let mut moved: Vec<f32> = vector.to_vec();
    let share = 1.0 / embeddings.len() as f32;
    for embedding in &embeddings {
        for (number, other) in moved.iter_mut().zip(embedding) {
            *number += share * other;
        }
    }
    let found: BTreeSet<i64> = near.iter().chain(lexical).map(|find| find.chunk).collect();
    let found: Vec<i64> = found.into_iter().collect();
    Ok(snapshot.nearest_of(&found, &moved)?)
}

fn timed<T>(task: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let value = task();
    (value, started.elapsed())
}

/// What the words of a question find, and what its identifiers do.
fn by_words(snapshot: &dyn Snapshot, question: &Question, pool: u32) -> ByWords {
    let phrases = lexical::phrases(&question.query);
    let weights = ColumnWeights {
        text: question.profile.retrieve.text_weight,
        section: question.profile.retrieve.section_weight,
        heading_context: question.profile.retrieve.heading_weight,
    };
    let found = snapshot.matching(&phrases, pool, &question.scope, weights)?;
    let identifiers = lexical::literal_terms(&question.query);
    if identifiers.is_empty() {
        return Ok((found, Vec::new()));
    }
    let alone = lexical::phrases(&identifiers.join(" "));
    let finds = snapshot.matching(&alone, LITERAL_POOL.max(pool), &question.scope, weights)?;
    let ids: Vec<i64> = finds.iter().map(|find| find.chunk).collect();
    let literal: BTreeSet<i64> = snapshot
        .candidates(&ids, None)?
        .into_iter()
        .filter(|candidate| {
            let stands_in = |text: &str| {
                let mut identifiers = identifiers.iter();
                identifiers.any(|identifier| lexical::occurs_literally(text, identifier))
            };
            stands_in(&candidate.text) || stands_in(&candidate.section)
        })
        .map(|candidate| candidate.id)
        .collect();
    let literal = finds
        .into_iter()
        .filter(|find| literal.contains(&find.chunk));
    Ok((found, literal.take(pool as usize).collect()))
}

/// The finds with all that is known of them.
fn assemble(
    collection: &Collection,
    identity: &Identity,
    snapshot: &dyn Snapshot,
    question: &Question,
    vector: Option<&[f32]>,
    legs: &[(&str, Vec<Find>)],
) -> Result<Bundle, Refusal> {
    let found: BTreeSet<i64> = legs
        .iter()
        .flat_map(|(_, finds)| finds.iter().map(|find| find.chunk))
        .collect();
    let found: Vec<i64> = found.into_iter().collect();
    let mut candidates = snapshot.candidates(&found, vector)?;
    // Numbered by note and place, so that an index built anew gives the same bundle.
    candidates.sort_by(|a, b| (&a.note, a.ordinal).cmp(&(&b.note, b.ordinal)));
    let number: BTreeMap<i64, u32> = (0..)
        .zip(&candidates)
        .map(|(number, candidate)| (candidate.id, number))
        .collect();

    let legs = legs.iter().map(|(name, finds)| Leg {
        name: (*name).to_owned(),
        hits: finds
            .iter()
            .filter_map(|find| {
                let chunk = *number.get(&find.chunk)?;
                Some(Hit {
                    chunk,
                    score: Score::new(find.score),
                })
            })
            .collect(),
    });
    let legs = legs.collect();
    let paths: BTreeSet<String> = candidates
        .iter()
        .map(|candidate| candidate.note.clone())
        .collect();
    let chunks = (0..)
        .zip(candidates)
        .map(|(id, candidate)| chunk(id, candidate, question, vector));
    let chunks = chunks.collect();
    let notes: Vec<&str> = paths.iter().map(String::as_str).collect();
    let notes = snapshot.notes(&notes)?.into_iter().map(note).collect();
    Ok(Bundle {
        schema: SCHEMA,
        query: question.query.clone(),
        now: question.now,
        domain: collection.name.clone(),
        legs,
        chunks,
        notes,
        graph: touched(snapshot, &paths)?,
        corpus: Corpus {
            chunks: snapshot.passages()?,
            model: identity.model.clone(),
            dimension: identity.dimension,
        },
    })
}

fn chunk(id: u32, candidate: Candidate, question: &Question, vector: Option<&[f32]>) -> Chunk {
    let cosines = match (&candidate.sentence_vectors, vector) {
        (Some(vectors), Some(vector)) => SentenceVectors::cosines(vectors, vector),
        _ => Vec::new(),
    };
    // Without vectors, words say how near a sentence is.
    let by_words = |start: u32, end: u32| {
        lexical::likeness(
            &question.query,
            &candidate.text[start as usize..end as usize],
        )
    };
    let sentences = candidate
        .sentences
        .iter()
        .enumerate()
        .map(|(i, &(start, end))| Sentence {
            start,
            end,
            cosine: Score::new(
                cosines
                    .get(i)
                    .copied()
                    .unwrap_or_else(|| by_words(start, end)),
            ),
        });
    Chunk {
        id,
        sentences: sentences.collect(),
        note: candidate.note,
        ordinal: candidate.ordinal,
        section: candidate.section,
        page: candidate.page,
        cosine: candidate.cosine.map(Score::new),
        cross: None,
        text: candidate.text,
    }
}

/// A note as the core knows it.
pub(super) fn note(facts: NoteFacts) -> Note {
    let seconds = |moment: Option<i64>| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 are far below 2^53"
        )]
        moment.and_then(|moment| Seconds::try_from(moment as f64).ok())
    };
    Note {
        path: facts.path,
        title: facts.title,
        author: facts.author,
        published_at: seconds(facts.published_at),
        modified_at: seconds(facts.modified_at),
        valid_from: seconds(facts.valid_from),
        valid_until: seconds(facts.valid_until),
        kind: facts.kind,
        tags: facts.tags,
        evergreen: facts.evergreen,
        tier: None,
        signals: BTreeMap::new(),
    }
}

/// The candidates' notes and their neighbours, with the links among them.
fn touched(snapshot: &dyn Snapshot, paths: &BTreeSet<String>) -> Result<Subgraph, Refusal> {
    let candidates: Vec<&str> = paths.iter().map(String::as_str).collect();
    let links = snapshot.edges_touching(&candidates)?;
    let links: Vec<(String, String)> = links
        .into_iter()
        .map(|(source, target, _)| (source, target))
        .collect();
    let nodes = graph::touched_nodes(paths, &links);
    let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let (mut citations, mut wikilinks) = (Vec::new(), Vec::new());
    for (from, to, kind) in snapshot.edges_among(&names)? {
        match kind {
            EdgeKind::Citation => citations.push((from, to)),
            EdgeKind::Wikilink => wikilinks.push((from, to)),
        }
    }
    Ok(Subgraph {
        nodes,
        citations,
        wikilinks,
    })
}
