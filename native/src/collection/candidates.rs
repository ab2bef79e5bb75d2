//! From a question to its bundle.
//!
//! ```text
//! encode ───────────┐
//! snapshot ─ words ─┴─ meaning ─ passages ─ seen again ─ notes, links ─► bundle
//! ```
//!
//! Encoding has a thread of its own where words must be looked up and nobody else asks; all reading
//! happens on the asker's, from one snapshot.
//!
//! A question with identifiers in it (`AAPL`, `foo.bar()`, `§3 Absatz 2`) has a third leg,
//! `literal`: the passages in which one of them stands as it was typed, best first by BM25. To the
//! tokenizer of the index `C++` is `c`, and this is how it finds its note all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use concord_cache::{
    Candidate, CandidateStore as _, ColumnWeights, EdgeKind, Hit as Find, Identity, NoteFacts,
    PackedQuery, Snapshot, Vector, nearest_first,
};
use concord_core::{
    Bundle, Chunk, Corpus, Hit, Leg, Note, SCHEMA, Score, Seconds, Sentence, Subgraph, feedback,
    graph,
};
use concord_text::lexical;

use super::{Collection, Question, Timings};
use crate::refusal::Refusal;
use crate::threads::joined;

/// Among so many finds by words, identifiers are looked for as they were typed.
const LITERAL_POOL: u32 = 1_000;

/// The bundle of a question that is asked while so many others are.
pub(super) fn gather(
    collection: &Collection,
    question: &Question,
    others: usize,
) -> Result<(Bundle, Timings), Refusal> {
    let mut timings = Timings::default();
    let store = collection.store.get()?;
    let snapshot = store.snapshot()?;
    let pool = question.profile.pool();

    let words = || timed(|| by_words(&*snapshot, question, pool));
    let (vector, words) = match &collection.encoder {
        None => (None, words()),
        Some(encoder) => {
            let encode = || timed(|| encoder.encode_query_among(&question.query, others));
            let phrases = lexical::phrases(&question.query);
            // To add up what is remembered takes less time than a thread takes to begin.
            let is_soon_done = snapshot.remembers(&phrases, weights(question))?;
            let (vector, words) = if is_soon_done || others > 0 {
                (encode(), words())
            } else {
                thread::scope(|scope| {
                    let encoding = scope.spawn(encode);
                    let words = words();
                    (joined(encoding), words)
                })
            };
            (Some(vector), words)
        }
    };
    let vector = match vector {
        Some((vector, took)) => {
            timings.encode = took;
            Some(vector?)
        }
        None => None,
    };
    let place = Place {
        collection,
        identity: store.identity(),
        snapshot: &*snapshot,
        is_alone: others == 0,
    };
    let bundle = meet(&place, question, vector.as_deref(), words, &mut timings)?;
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
    let place = Place {
        collection,
        identity: store.identity(),
        snapshot: &*snapshot,
        is_alone: false,
    };
    let bundle = meet(&place, question, vector, words, &mut timings)?;
    Ok((bundle, timings))
}

/// Where a question is asked.
struct Place<'a> {
    collection: &'a Collection,
    identity: &'a Identity,
    snapshot: &'a dyn Snapshot,
    /// Nobody else asks just now, so a second thread is free.
    is_alone: bool,
}

/// What the words of a question found, and what its identifiers did.
type ByWords = Result<(Vec<Find>, Vec<Find>), Refusal>;

/// What was found by words and what is found by meaning, with all that is known of both.
fn meet(
    place: &Place<'_>,
    question: &Question,
    vector: Option<&[f32]>,
    (words, took): (ByWords, Duration),
    timings: &mut Timings,
) -> Result<Bundle, Refusal> {
    timings.lexical = took;
    let (lexical, literal) = words?;
    let pool = question.profile.pool();
    let snapshot = place.snapshot;
    let (near, took) = timed(|| match vector {
        Some(vector) => snapshot.nearest(vector, pool, &question.scope),
        None => Ok(Vec::new()),
    });
    timings.vector = took;
    let near = near?;

    let started = Instant::now();
    let finds = [&near, &lexical, &literal].into_iter().flatten();
    let mut found: Vec<i64> = finds.map(|find| find.chunk).collect();
    found.sort_unstable();
    found.dedup();
    let candidates = snapshot.candidates(&found)?;
    let vector = vector.map(|vector| Vector::from(vector.to_vec()));
    let legs = || {
        let mut legs = Vec::new();
        if let Some(vector) = &vector {
            let near = looked_at_again(question, vector, near, &lexical, &candidates);
            legs.push(("vector", near));
        }
        legs.push(("lexical", lexical));
        if !literal.is_empty() {
            legs.push(("literal", literal));
        }
        legs
    };
    let bundle = assemble(place, question, vector.as_ref(), &candidates, legs);
    timings.facts = started.elapsed();
    bundle
}

/// What was found by meaning or by words, seen from nearer to the passages nearest to the question
/// ([`feedback`]). Found by words alone, a passage is given its cosine here too. Nothing is encoded,
/// and nothing is searched a second time. `candidates` ascend, and are all that was found.
fn looked_at_again(
    question: &Question,
    vector: &Vector,
    near: Vec<Find>,
    lexical: &[Find],
    candidates: &[Arc<Candidate>],
) -> Vec<Find> {
    let retrieve = &question.profile.retrieve;
    let place = |find: &Find| {
        candidates
            .binary_search_by_key(&find.chunk, |it| it.id)
            .ok()
    };
    let nearest = near.iter().take(retrieve.feedback as usize);
    let nearest = nearest.filter_map(|find| {
        let embedding = candidates[place(find)?].embedding.as_ref()?;
        Some((find.score, embedding.numbers()))
    });
    let nearest: Vec<(f64, &[f32])> = nearest.collect();
    if nearest.is_empty() {
        return near;
    }
    let moved = feedback::seen_from(vector.numbers(), &nearest, retrieve);
    let mut is_seen = vec![false; candidates.len()];
    for place in near.iter().chain(lexical).filter_map(place) {
        is_seen[place] = true;
    }
    let seen = candidates.iter().zip(is_seen);
    let seen = seen.filter_map(|(candidate, is_seen)| is_seen.then_some(candidate));
    nearest_first(seen, &moved.into())
}

fn timed<T>(task: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let value = task();
    (value, started.elapsed())
}

fn weights(question: &Question) -> ColumnWeights {
    let retrieve = &question.profile.retrieve;
    ColumnWeights {
        text: retrieve.text_weight,
        section: retrieve.section_weight,
        heading_context: retrieve.heading_weight,
    }
}

/// What the words of a question find, and what its identifiers do.
fn by_words(snapshot: &dyn Snapshot, question: &Question, pool: u32) -> ByWords {
    let phrases = lexical::phrases(&question.query);
    let weights = weights(question);
    let found = snapshot.matching(&phrases, pool, &question.scope, weights)?;
    let identifiers = lexical::literal_terms(&question.query);
    if identifiers.is_empty() {
        return Ok((found, Vec::new()));
    }
    let alone = lexical::phrases(&identifiers.join(" "));
    let finds = snapshot.matching(&alone, LITERAL_POOL.max(pool), &question.scope, weights)?;
    let literals = lexical::Literals::new(&identifiers);
    let pool = pool as usize;
    let mut literal = Vec::with_capacity(pool);
    // As many at a time as are wanted: mostly the first few hold the identifier as it was typed.
    for finds in finds.chunks(pool.max(1)) {
        let ids: Vec<i64> = finds.iter().map(|find| find.chunk).collect();
        let candidates = snapshot.candidates(&ids)?;
        let holding = candidates
            .iter()
            .filter(|it| literals.any_in(&it.text) || literals.any_in(&it.section));
        let holding: BTreeSet<i64> = holding.map(|candidate| candidate.id).collect();
        literal.extend(finds.iter().filter(|find| holding.contains(&find.chunk)));
        if literal.len() >= pool {
            break;
        }
    }
    literal.truncate(pool);
    Ok((found, literal))
}

/// The finds with all that is known of them. Passages are described on a thread of their own where
/// nobody else asks: it takes as long as what is around them.
fn assemble(
    place: &Place<'_>,
    question: &Question,
    vector: Option<&Vector>,
    candidates: &[Arc<Candidate>],
    legs: impl FnOnce() -> Vec<(&'static str, Vec<Find>)>,
) -> Result<Bundle, Refusal> {
    let Place {
        collection,
        identity,
        snapshot,
        is_alone,
    } = *place;
    // Numbered by note and place, so that an index built anew gives the same bundle.
    let mut numbered: Vec<&Candidate> = candidates.iter().map(|it| &**it).collect();
    numbered.sort_by_key(|it| (it.note.as_str(), it.ordinal));
    let chunks = || -> Vec<Chunk> {
        let seen = vector.map(|vector| (vector, PackedQuery::new(vector.numbers())));
        let chunks = (0..).zip(&numbered);
        let chunks = chunks.map(|(id, candidate)| chunk(id, candidate, question, seen.as_ref()));
        chunks.collect()
    };
    let around = || -> Result<_, Refusal> {
        let number: BTreeMap<i64, u32> = numbered.iter().map(|it| it.id).zip(0..).collect();
        let legs = legs().into_iter().map(|(name, finds)| Leg {
            name: name.to_owned(),
            hits: finds
                .iter()
                .filter_map(|find| {
                    let chunk = *number.get(&find.chunk)?;
                    let score = Score::new(find.score);
                    Some(Hit { chunk, score })
                })
                .collect(),
        });
        let legs: Vec<Leg> = legs.collect();
        let paths: BTreeSet<String> = numbered.iter().map(|it| it.note.clone()).collect();
        let notes: Vec<&str> = paths.iter().map(String::as_str).collect();
        let notes = snapshot.notes(&notes)?;
        let notes: Vec<Note> = notes.iter().map(|facts| note(facts)).collect();
        Ok((legs, notes, touched(snapshot, &paths)?))
    };
    let (chunks, around) = if is_alone {
        thread::scope(|scope| {
            let chunks = scope.spawn(chunks);
            let around = around();
            (joined(chunks), around)
        })
    } else {
        (chunks(), around())
    };
    let (legs, notes, graph) = around?;
    Ok(Bundle {
        schema: SCHEMA,
        query: question.query.clone(),
        now: question.now,
        domain: collection.name.clone(),
        legs,
        chunks,
        notes,
        graph,
        corpus: Corpus {
            chunks: snapshot.passages()?,
            model: identity.model.clone(),
            dimension: identity.dimension,
        },
    })
}

/// A passage as the core knows it, seen from the question's vector.
fn chunk(
    id: u32,
    candidate: &Candidate,
    question: &Question,
    seen: Option<&(&Vector, PackedQuery)>,
) -> Chunk {
    let cosines = match (&candidate.sentence_vectors, seen) {
        (Some(vectors), Some((_, packed))) => vectors.cosines(packed),
        _ => Vec::new(),
    };
    let cosine = seen.and_then(|(vector, _)| candidate.cosine(vector));
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
        note: candidate.note.clone(),
        ordinal: candidate.ordinal,
        section: candidate.section.clone(),
        page: candidate.page,
        cosine: cosine.map(Score::new),
        cross: None,
        text: candidate.text.clone(),
    }
}

/// A note as the core knows it.
pub(super) fn note(facts: &NoteFacts) -> Note {
    let seconds = |moment: Option<i64>| {
        #[expect(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 are far below 2^53"
        )]
        moment.and_then(|moment| Seconds::try_from(moment as f64).ok())
    };
    Note {
        path: facts.path.clone(),
        title: facts.title.clone(),
        author: facts.author.clone(),
        published_at: seconds(facts.published_at),
        modified_at: seconds(facts.modified_at),
        valid_from: seconds(facts.valid_from),
        valid_until: seconds(facts.valid_until),
        kind: facts.kind.clone(),
        tags: facts.tags.clone(),
        evergreen: facts.evergreen,
        tier: None,
        signals: BTreeMap::new(),
    }
}

/// The candidates' notes and their neighbours, with the links among them.
fn touched(snapshot: &dyn Snapshot, paths: &BTreeSet<String>) -> Result<Subgraph, Refusal> {
    let candidates: Vec<&str> = paths.iter().map(String::as_str).collect();
    let nodes = graph::touched_nodes(paths, snapshot.neighbours(&candidates)?);
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use concord_cache::Scope;
    use concord_cache::sync::Inventory;
    use concord_core::Profile;
    use concord_encode::{Encoder, embedded};

    use super::*;
    use crate::vault::Vault;
    use crate::vault::encoders::{Choice, Encoders};
    use crate::vault::step::Step;

    const NOTES: [(&str, &str); 6] = [
        (
            "kiln.md",
            "The kiln is fired twice, first slowly and then hot.",
        ),
        (
            "glaze.md",
            "Glaze melts in the second firing and turns to glass.",
        ),
        ("clay.md", "Clay shrinks as it dries and again in the fire."),
        ("bread.md", "Dough rises twice, and is baked in a hot oven."),
        (
            "tides.md",
            "Spring tides come with the new moon and the full moon.",
        ),
        ("ledger.md", "Every payment stands in the ledger twice."),
    ];

    /// A vault of these notes, indexed with the model inside the program.
    fn collection(folder: &Path) -> Collection {
        for (name, text) in NOTES {
            fs::write(folder.join(name), text).unwrap();
        }
        let vault = Vault::open(folder).unwrap();
        let step = Step {
            vault: &vault,
            inventory: &Inventory::of(&vault.root, &vault.settings.selection).unwrap(),
            domain: vault.chosen(None).unwrap()[0],
            choice: Choice::Embedded,
            anew: false,
            sentences: false,
            encoders: &Encoders::default(),
            stop: &AtomicBool::new(false),
        };
        step.take(&mut |_| {}).unwrap();
        let encoder: Arc<dyn Encoder> = Arc::new(embedded::open().unwrap());
        Collection::open(&vault, step.domain, Ok(encoder)).unwrap()
    }

    /// What the leg by meaning found: notes and cosines, nearest first.
    fn by_meaning(collection: &Collection, query: &str, feedback: u32) -> Vec<(String, f64)> {
        let mut profile = Profile::balanced();
        profile.limit = 1;
        profile.retrieve.pool_min = 3;
        profile.retrieve.pool_per_item = 1;
        profile.retrieve.feedback = feedback;
        let question = Question {
            query: query.to_owned(),
            profile,
            scope: Scope::default(),
            now: Seconds::from(1_790_000_000),
        };
        let (bundle, _) = collection.bundle(&question).unwrap();
        let leg = bundle.legs.iter().find(|leg| leg.name == "vector").unwrap();
        let find = |hit: &Hit| {
            let chunk = bundle.chunks.iter().find(|it| it.id == hit.chunk).unwrap();
            (chunk.note.clone(), hit.score.get())
        };
        leg.hits.iter().map(find).collect()
    }

    #[test]
    fn feedback_looks_at_all_candidates_from_between_the_question_and_its_nearest_passages() {
        let folder = tempfile::tempdir().unwrap();
        let collection = collection(folder.path());
        let query = "What becomes of clay and glaze in the kiln when the moon is full?";

        let cosine = |a: &[f32], b: &[f32]| {
            let dot = |a: &[f32], b: &[f32]| -> f64 {
                let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
                products.sum()
            };
            dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
        };
        let store = collection.store.get().unwrap();
        let snapshot = store.snapshot().unwrap();
        let vector = collection.encoder.as_ref().unwrap().encode_query(query);
        let vector = vector.unwrap();
        let embedding = |note: &str| snapshot.embeddings_of(note).unwrap().remove(0);
        let near = |from: &[f32], notes: &[&str]| {
            let near = notes
                .iter()
                .map(|&note| (note.to_owned(), cosine(from, &embedding(note))));
            let mut near: Vec<(String, f64)> = near.collect();
            near.sort_by(|a, b| b.1.total_cmp(&a.1));
            near
        };
        let check = |feedback: u32, expected: &[(String, f64)]| {
            let found = by_meaning(&collection, query, feedback);
            let notes = |finds: &[(String, f64)]| -> Vec<String> {
                finds.iter().map(|(note, _)| note.clone()).collect()
            };
            assert_eq!(notes(&found), notes(expected), "feedback {feedback}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found.1 - expected.1).abs() < 1e-6,
                    "{found:?} {expected:?}"
                );
            }
        };

        let all: Vec<&str> = NOTES.iter().map(|(name, _)| *name).collect();
        let mut nearest = near(&vector, &all);
        nearest.truncate(3);
        check(0, &nearest);

        // What is found by words alone is given a cosine too.
        let lexical = by_words_alone(&*snapshot, query);
        let found: BTreeSet<&str> = nearest
            .iter()
            .map(|(note, _)| note.as_str())
            .chain(lexical.iter().map(String::as_str))
            .collect();
        assert!(found.len() > nearest.len(), "{found:?}");
        let found: Vec<&str> = found.into_iter().collect();
        let weight = Profile::balanced().retrieve.feedback_weight;
        let half = Profile::balanced().retrieve.feedback_half;
        for feedback in [1, 2] {
            let near_ones = &nearest[..feedback as usize];
            let share = |cosine: f64| ((cosine - nearest[0].1) / half).exp2();
            let all: f64 = near_ones.iter().map(|(_, cosine)| share(*cosine)).sum();
            let mut moved = vector.clone();
            for (note, cosine) in near_ones {
                let share = (weight * share(*cosine) / all) as f32;
                for (number, other) in moved.iter_mut().zip(embedding(note)) {
                    *number += share * other;
                }
            }
            check(feedback, &near(&moved, &found));
        }
    }

    /// The notes that a question's words find.
    fn by_words_alone(snapshot: &dyn Snapshot, query: &str) -> Vec<String> {
        let weights = ColumnWeights::default();
        let finds = snapshot.matching(&lexical::phrases(query), 3, &Scope::default(), weights);
        let ids: Vec<i64> = finds.unwrap().iter().map(|find| find.chunk).collect();
        let candidates = snapshot.candidates(&ids).unwrap();
        candidates.iter().map(|it| it.note.clone()).collect()
    }
}
