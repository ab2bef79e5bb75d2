//! Layer 1.
//!
//! With one domain, links and recency out of the way, the score is the scaled fused score; the
//! fused score itself stands in the trace.

use serde_json::{Value, json};

use super::{Draft, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = ranks();
    cases.extend(weights());
    cases.extend(ties_and_repetitions());
    cases.extend(pools());
    cases.extend(units());
    cases.extend(faces());
    cases.extend(convex());
    cases.extend(orders());
    cases
}

/// The numbers of `vault` with this for its layer 1.
fn fuse(patch: Value) -> Value {
    let mut profile = json!({ "extends": "vault", "limit": 20 });
    profile["fuse"] = patch;
    profile
}

/// Both legs weigh the same.
fn equal() -> Value {
    fuse(json!({ "weights": { "lexical": 1.0 } }))
}

fn ranks() -> Vec<Draft> {
    vec![
        draft("rrf: first in both lists is two sixty-firsts")
            .chunks(2)
            .leg("vector", &[1, 2])
            .leg("lexical", &[1, 2])
            .profile(equal())
            .order(&[1, 2])
            .fused(1, 2.0 / 61.0)
            .fused(2, 2.0 / 62.0),
        draft("rrf: fifth in both lists is two sixty-fifths")
            .chunks(5)
            .leg("vector", &[2, 3, 4, 5, 1])
            .leg("lexical", &[2, 3, 4, 5, 1])
            .profile(equal())
            .order(&[2, 3, 4, 5, 1])
            .fused(1, 2.0 / 65.0),
        draft("rrf: first by words and fifth by meaning is 1/61 + 1/65")
            .chunks(5)
            .leg("lexical", &[1, 2, 3, 4, 5])
            .leg("vector", &[2, 3, 4, 5, 1])
            .profile(equal())
            .order(&[2, 3, 1, 4, 5])
            .fused(1, 1.0 / 61.0 + 1.0 / 65.0),
        // Chunks 6 to 15 only fill the ranks in between.
        draft("rrf: five chunks of a worked example come in their published order")
            .chunks(15)
            .leg("lexical", &[2, 4, 1, 6, 7, 8, 3])
            .leg("vector", &[1, 3, 5, 9, 10, 11, 12, 2, 13, 14, 15, 4])
            .profile(
                json!({ "extends": "vault", "limit": 5, "fuse": { "weights": { "lexical": 1.0 } } }),
            )
            .order(&[1, 2, 3, 4, 5])
            .fused(1, 1.0 / 63.0 + 1.0 / 61.0)
            .fused(2, 1.0 / 61.0 + 1.0 / 68.0)
            .fused(3, 1.0 / 67.0 + 1.0 / 62.0)
            .fused(4, 1.0 / 62.0 + 1.0 / 72.0)
            .fused(5, 1.0 / 63.0),
        draft("rrf: a leg that lacks a chunk gives it no term")
            .chunks(3)
            .scored_leg("vector", &[(1, 0.75), (2, 0.5)])
            .leg("lexical", &[3])
            .profile(equal())
            .order(&[1, 3, 2])
            .item(
                2,
                "/trace/legs",
                json!([{
                    "leg": "vector", "chunk": 2, "rank": 2, "raw": 0.5, "weight": 1.0,
                    "contribution": 1.0 / 62.0,
                }]),
            ),
        draft("rrf: five legs give five terms")
            .chunks(2)
            .leg("a", &[1, 2])
            .leg("b", &[1, 2])
            .leg("c", &[1, 2])
            .leg("d", &[2, 1])
            .leg("e", &[1])
            .profile(fuse(json!({})))
            .order(&[1, 2])
            .fused(1, 4.0 / 61.0 + 1.0 / 62.0)
            .fused(2, 3.0 / 62.0 + 1.0 / 61.0),
        draft("rrf: with k = 0 the second counts half of the first")
            .chunks(3)
            .leg("vector", &[1, 2, 3])
            .profile(fuse(json!({ "k": 0 })))
            .order(&[1, 2, 3])
            .fused(1, 1.0)
            .fused(2, 1.0 / 2.0)
            .fused(3, 1.0 / 3.0)
            .score(1, (1.0 / 2.0 - 1.0 / 3.0) / (1.0 - 1.0 / 3.0)),
        draft("rrf: with a huge k being found twice beats any rank")
            .chunks(4)
            .leg("a", &[1])
            .leg("b", &[3, 2])
            .leg("c", &[4, 2])
            .profile(fuse(json!({ "k": 1e6 })))
            .order(&[2, 1, 3, 4])
            .fused(1, 1.0 / 1_000_001.0)
            .fused(2, 2.0 / 1_000_002.0),
        draft("rrf: a fractional k is taken as it is")
            .chunks(2)
            .leg("vector", &[1, 2])
            .profile(fuse(json!({ "k": 0.5 })))
            .fused(1, 1.0 / 1.5)
            .fused(2, 1.0 / 2.5),
    ]
}

fn weights() -> Vec<Draft> {
    let crossed = |name: &str| {
        let legs = draft(name).chunks(2).leg("vector", &[1, 2]);
        legs.leg("lexical", &[2, 1])
    };
    vec![
        crossed("weights: words count a twentieth outside finance")
            .profile(json!({ "extends": "vault" }))
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0 + 0.05 / 62.0)
            .fused(2, 1.0 / 62.0 + 0.05 / 61.0),
        crossed("weights: words count half in finance")
            .set("domain", json!("finance"))
            .profile(json!({ "extends": "vault" }))
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0 + 0.5 / 62.0)
            .fused(2, 1.0 / 62.0 + 0.5 / 61.0),
        crossed("weights: words count as much as meaning where nobody chose")
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0 + 1.0 / 62.0)
            .fused(2, 1.0 / 62.0 + 1.0 / 61.0),
        crossed("weights: twice the weight is twice the term")
            .profile(fuse(json!({ "weights": { "lexical": 2.0 } })))
            .order(&[2, 1])
            .fused(2, 2.0 / 61.0 + 1.0 / 62.0)
            .fused(1, 1.0 / 61.0 + 2.0 / 62.0),
        crossed("weights: a leg of weight 0 is switched off, candidates and all")
            .chunk(3, "n03.md", json!({}))
            .leg("tags", &[3])
            .profile(fuse(json!({ "weights": { "lexical": 0.0, "tags": 0.0 } })))
            .order(&[1, 2])
            .fact("/ranking/candidates", 2)
            .fused(1, 1.0 / 61.0)
            .fact("/ranking/items/0/trace/legs/0/leg", "vector")
            .nothing("/ranking/items/0/trace/legs/1"),
        crossed("weights: with every leg switched off nothing competes")
            .profile(fuse(
                json!({ "weights": { "lexical": 0.0, "vector": 0.0 } }),
            ))
            .order(&[])
            .fact("/ranking/candidates", 0)
            .fact("/ranking/scale", json!({ "low": 0.0, "high": 0.0 })),
        draft("weights: `vector:2` takes the weight of its stem")
            .chunks(2)
            .leg("vector", &[1, 2])
            .leg("vector:2", &[2, 1])
            .profile(fuse(json!({ "weights": { "vector": 3.0 } })))
            .order(&[1, 2])
            .fused(1, 3.0 / 61.0 + 3.0 / 62.0),
        draft("weights: a full name beats its stem")
            .chunks(2)
            .leg("vector", &[1, 2])
            .leg("vector:2", &[2, 1])
            .profile(fuse(json!({ "weights": { "vector:2": 0.25 } })))
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0 + 0.25 / 62.0)
            .fused(2, 1.0 / 62.0 + 0.25 / 61.0),
        draft("weights: a stem ends at the first colon")
            .chunks(2)
            .leg("vector:2:b", &[1, 2])
            .profile(fuse(
                json!({ "weights": { "vector": 3.0, "vector:2": 5.0 } }),
            ))
            .fused(1, 3.0 / 61.0),
        draft("weights: a leg that nobody named takes the general weight")
            .chunks(2)
            .leg("vector", &[1])
            .leg("tags", &[2])
            .profile(fuse(json!({ "other_weight": 0.3 })))
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0)
            .fused(2, 0.3 / 61.0),
        draft("weights: the general weight can be 0")
            .chunks(2)
            .leg("vector", &[1])
            .leg("tags", &[2])
            .profile(fuse(json!({ "other_weight": 0.0 })))
            .order(&[1]),
        draft("weights: 1e-300 still orders a leg")
            .chunks(3)
            .leg("vector", &[3, 1, 2])
            .profile(fuse(json!({ "weights": { "vector": 1e-300 } })))
            .order(&[3, 1, 2])
            .fused(3, 1e-300 / 61.0)
            .score(0, 1.0)
            .score(2, 0.0),
        draft("weights: a weight too small to divide gives everyone nothing")
            .chunks(3)
            .leg("vector", &[3, 1, 2])
            .profile(fuse(json!({ "weights": { "vector": 1e-323 } })))
            .order(&[1, 2, 3])
            .fused(3, 0.0)
            .score(2, 1.0),
        draft("weights: a million is a million")
            .chunks(2)
            .leg("vector", &[1, 2])
            .leg("lexical", &[2])
            .profile(fuse(
                json!({ "weights": { "vector": 1e6, "lexical": 1.0 } }),
            ))
            .order(&[1, 2])
            .fused(1, 1e6 / 61.0)
            .fused(2, 1.0 / 61.0 + 1e6 / 62.0),
    ]
}

fn ties_and_repetitions() -> Vec<Draft> {
    let separate = |name: &str, chunks: [(u32, &str, u32); 3]| {
        let mut case = draft(name).profile(fuse(json!({})));
        for (id, note, ordinal) in chunks {
            let case_of_one = case.chunk(id, note, json!({ "ordinal": ordinal }));
            case = case_of_one.leg(&format!("leg {id}"), &[id]);
        }
        case
    };
    vec![
        separate(
            "ties: equal scores go by note, then by ordinal, and not by id",
            [(1, "b.md", 0), (3, "a.md", 7), (9, "a.md", 5)],
        )
        .order(&[9, 3, 1])
        .score(2, 1.0),
        separate(
            "ties: within one ordinal the lower id comes first",
            [(7, "a.md", 0), (4, "a.md", 0), (5, "a.md", 0)],
        )
        .order(&[4, 5, 7]),
        separate(
            "ties: notes go by the bytes of their paths",
            [(1, "é.md", 0), (2, "a.md", 0), (3, "B.md", 0)],
        )
        .order(&[3, 2, 1]),
        draft("repetition: a chunk counts where it stood first, and its repetition takes no rank")
            .chunks(3)
            .leg("vector", &[1, 1, 2, 1, 3])
            .profile(fuse(json!({})))
            .order(&[1, 2, 3])
            .fused(1, 1.0 / 61.0)
            .fused(2, 1.0 / 62.0)
            .fused(3, 1.0 / 63.0),
        draft("candidates: a chunk that no leg found does not compete")
            .chunks(3)
            .leg("vector", &[1, 2])
            .profile(fuse(json!({})))
            .order(&[1, 2])
            .fact("/ranking/candidates", 2)
            .fact("/ranking/dropped", json!([])),
        draft("candidates: one alone has relevance 1")
            .chunks(1)
            .leg("vector", &[1])
            .profile(fuse(json!({})))
            .order(&[1])
            .score(0, 1.0)
            .fact(
                "/ranking/scale",
                json!({ "low": 1.0 / 61.0, "high": 1.0 / 61.0 }),
            ),
        draft("candidates: the best has relevance 1 and the worst 0")
            .chunks(3)
            .leg("vector", &[1, 2, 3])
            .profile(fuse(json!({})))
            .score(0, 1.0)
            .score(1, (1.0 / 62.0 - 1.0 / 63.0) / (1.0 / 61.0 - 1.0 / 63.0))
            .score(2, 0.0),
        draft("candidates: an empty leg adds nothing")
            .chunks(2)
            .leg("lexical", &[])
            .leg("vector", &[1, 2])
            .profile(fuse(json!({})))
            .order(&[1, 2])
            .fused(1, 1.0 / 61.0),
        draft("candidates: no legs, no answer")
            .chunks(2)
            .order(&[])
            .fact("/ranking/candidates", 0)
            .fact("/ranking/dropped", json!([])),
        draft("candidates: an empty bundle has an empty ranking")
            .order(&[])
            .fact("/ranking/graph/nodes", 0),
    ]
}

fn pools() -> Vec<Draft> {
    let found = |name: &str, count: u32, patch: Value| {
        let hits: Vec<u32> = (1..=count).collect();
        let case = draft(name).chunks(count).leg("vector", &hits);
        case.profile(patch)
    };
    vec![
        found(
            "pool: with limit 10 the thirty-first of a leg does not compete",
            31,
            json!({ "extends": "vault", "limit": 10 }),
        )
        .fact("/ranking/candidates", 30)
        .fact("/ranking/dropped/19/chunk", 30)
        .nothing("/ranking/dropped/20"),
        found(
            "pool: with limit 20 the sixtieth of a leg competes, the sixty-first does not",
            61,
            json!({ "extends": "vault", "limit": 20 }),
        )
        .fact("/ranking/candidates", 60)
        .fact("/ranking/dropped/39/chunk", 60)
        .nothing("/ranking/dropped/40"),
        found(
            "pool: with limit 1 thirty still compete",
            31,
            json!({ "extends": "vault", "limit": 1 }),
        )
        .fact("/ranking/candidates", 30)
        .order(&[1]),
        found(
            "pool: its least size and its size per item are the profile's",
            9,
            json!({
                "extends": "vault", "limit": 3, "retrieve": { "pool_min": 2, "pool_per_item": 2 },
            }),
        )
        .fact("/ranking/candidates", 6),
        found(
            "pool: what is beyond it in one leg still competes in another",
            4,
            json!({
                "extends": "vault", "fuse": { "weights": { "lexical": 1.0 } },
                "retrieve": { "pool_min": 3, "pool_per_item": 0 },
            }),
        )
        .leg("lexical", &[4, 3])
        .order(&[3, 1, 4, 2])
        .fused(3, 1.0 / 63.0 + 1.0 / 62.0)
        .fused(4, 1.0 / 61.0),
        draft("pool: repetitions take no place in it")
            .chunks(3)
            .leg("vector", &[1, 1, 2, 2, 3])
            .profile(json!({
                "extends": "vault", "retrieve": { "pool_min": 2, "pool_per_item": 0 },
            }))
            .order(&[1, 2])
            .fact("/ranking/candidates", 2),
    ]
}

fn units() -> Vec<Draft> {
    let long_note = |name: &str, unit: &str| {
        let mut case = draft(name);
        for id in 1..=4 {
            case = case.chunk(id, "long.md", json!({}));
        }
        case.chunk(5, "short.md", json!({}))
            .leg("vector", &[1, 2, 3, 4, 5])
            .profile(fuse(json!({ "unit": unit })))
    };
    vec![
        long_note(
            "unit: among chunks a long note crowds a short one out",
            "chunk",
        )
        .order(&[1, 2, 3, 4, 5])
        .fused(5, 1.0 / 65.0),
        long_note("unit: among notes a long note takes one rank", "note")
            .order(&[1, 5])
            .fact("/ranking/candidates", 2)
            .fused(5, 1.0 / 62.0),
        draft("unit: a long note takes one place in the pool")
            .chunk(1, "long.md", json!({}))
            .chunk(2, "long.md", json!({}))
            .chunk(3, "long.md", json!({}))
            .chunk(4, "short.md", json!({}))
            .leg("vector", &[1, 2, 3, 4])
            .profile(json!({
                "extends": "vault", "fuse": { "unit": "note" },
                "retrieve": { "pool_min": 2, "pool_per_item": 0 },
            }))
            .order(&[1, 4]),
        draft("unit: a note adds up its best chunk of each leg")
            .chunk(1, "a.md", json!({}))
            .chunk(2, "a.md", json!({}))
            .chunk(3, "b.md", json!({}))
            .leg("vector", &[1, 3, 2])
            .leg("lexical", &[2, 1, 3])
            .profile(fuse(
                json!({ "unit": "note", "weights": { "lexical": 0.5 } }),
            ))
            .order(&[1, 3])
            .fused(1, 1.0 / 61.0 + 0.5 / 61.0)
            .fused(3, 1.0 / 62.0 + 0.5 / 62.0)
            .item(1, "/trace/legs/0/leg", "lexical")
            .item(1, "/trace/legs/0/chunk", 2)
            .item(1, "/trace/legs/1/chunk", 1),
        draft("unit: notes are what `balanced` compares")
            .chunk(1, "a.md", json!({}))
            .chunk(2, "a.md", json!({}))
            .chunk(3, "b.md", json!({}))
            .leg("vector", &[1, 2, 3])
            .order(&[1, 3])
            .fused(3, 1.0 / 62.0),
    ]
}

/// Which chunk is shown for a note whose chunks 1 and 2 were found.
fn faces() -> Vec<Draft> {
    let note = |name: &str, first: Value, second: Value| {
        let case = draft(name).chunk(1, "a.md", first);
        case.chunk(2, "a.md", second)
    };
    let by_note = |weights: Value| fuse(json!({ "unit": "note", "weights": weights }));
    vec![
        note("face: the chunk that earned most", json!({}), json!({}))
            .leg("vector", &[1, 2])
            .leg("lexical", &[2, 1])
            .profile(by_note(json!({ "lexical": 2.0 })))
            .order(&[2])
            .fused(2, 1.0 / 61.0 + 2.0 / 61.0),
        note(
            "face: what a chunk earned adds up over the legs",
            json!({}),
            json!({}),
        )
        .leg("a", &[2])
        .leg("b", &[1])
        .leg("c", &[2])
        .profile(by_note(json!({ "a": 0.3, "b": 0.5, "c": 0.3 })))
        .order(&[2])
        .fused(2, 0.3 / 61.0 + 0.5 / 61.0 + 0.3 / 61.0),
        note(
            "face: of two that earned the same the one nearer to the query",
            json!({ "cosine": 0.6 }),
            json!({ "cosine": 0.7 }),
        )
        .leg("vector", &[1])
        .leg("lexical", &[2])
        .profile(by_note(json!({ "lexical": 1.0 })))
        .order(&[2]),
        note(
            "face: of two that earned the same and are equally near the earlier",
            json!({ "cosine": 0.6, "ordinal": 8 }),
            json!({ "cosine": 0.6, "ordinal": 3 }),
        )
        .leg("vector", &[1])
        .leg("lexical", &[2])
        .profile(by_note(json!({ "lexical": 1.0 })))
        .order(&[2]),
        note(
            "face: a known cosine goes before an unknown one",
            json!({}),
            json!({ "cosine": -0.5 }),
        )
        .leg("vector", &[1])
        .leg("lexical", &[2])
        .profile(by_note(json!({ "lexical": 1.0 })))
        .order(&[2]),
    ]
}

fn convex() -> Vec<Draft> {
    let by_score = |weights: Value| fuse(json!({ "method": "convex", "weights": weights }));
    vec![
        draft("convex: a leg's scores are scaled to 0 and 1")
            .chunks(3)
            .scored_leg("vector", &[(1, 0.75), (2, 0.5), (3, 0.25)])
            .profile(by_score(json!({})))
            .order(&[1, 2, 3])
            .fused(1, 1.0)
            .fused(2, 0.5)
            .fused(3, 0.0),
        draft("convex: scaled scores add up by weight")
            .chunks(3)
            .scored_leg("vector", &[(1, 0.9), (2, 0.6), (3, 0.4)])
            .scored_leg("lexical", &[(3, 12.0), (2, 9.0), (1, 4.0)])
            .profile(by_score(json!({ "lexical": 0.5 })))
            .order(&[1, 2, 3])
            .fused(1, 1.0)
            .fused(
                2,
                (0.6 - 0.4) / (0.9 - 0.4) + 0.5 * (9.0 - 4.0) / (12.0 - 4.0),
            )
            .fused(3, 0.5),
        draft("convex: equal scores all scale to 1")
            .chunks(3)
            .scored_leg("vector", &[(3, 0.4), (1, 0.4), (2, 0.4)])
            .profile(by_score(json!({ "vector": 0.8 })))
            .order(&[1, 2, 3])
            .fused(2, 0.8),
        draft("convex: negative scores are scores")
            .chunks(3)
            .scored_leg("vector", &[(1, -1.0), (2, -3.0), (3, -5.0)])
            .profile(by_score(json!({})))
            .order(&[1, 2, 3])
            .fused(2, 0.5)
            .fused(3, 0.0),
        draft("convex: one hit scales to 1 whatever its score")
            .chunks(1)
            .scored_leg("vector", &[(1, -7.0)])
            .profile(by_score(json!({})))
            .fused(1, 1.0),
        draft("convex: only what competes sets the scale")
            .chunks(3)
            .scored_leg("vector", &[(1, 1.0), (2, 0.5), (3, 0.0)])
            .profile(json!({
                "extends": "vault", "fuse": { "method": "convex" },
                "retrieve": { "pool_min": 2, "pool_per_item": 0 },
            }))
            .order(&[1, 2])
            .fused(2, 0.0),
        draft("convex: a leg counts by score, not by the order it is listed in")
            .chunks(3)
            .scored_leg("vector", &[(1, 0.0), (2, 1.0), (3, 0.5)])
            .profile(by_score(json!({})))
            .order(&[2, 3, 1]),
        draft("convex: the widest scores allowed do not overflow")
            .chunks(3)
            .scored_leg("vector", &[(1, 1e12), (2, 0.0), (3, -1e12)])
            .profile(by_score(json!({ "vector": 1e6 })))
            .order(&[1, 2, 3])
            .fused(1, 1e6)
            .fused(2, 5e5),
        draft("convex: minus zero is zero")
            .chunks(2)
            .scored_leg("vector", &[(2, 0.0), (1, -0.0)])
            .profile(by_score(json!({})))
            .order(&[1, 2])
            .fused(1, 1.0),
    ]
}

/// The same question, however its lists are listed.
fn orders() -> Vec<Draft> {
    let legs: [(&str, &[u32]); 3] = [
        ("lexical", &[3, 1]),
        ("tags", &[2, 3, 1]),
        ("vector", &[1, 2, 3]),
    ];
    let ask = |name: &str, order: [usize; 3], backwards: bool| {
        let mut case = draft(name).chunks(3);
        for list in ["chunks", "notes"] {
            let list = case.case.bundle[list].as_array_mut().expect("a list");
            if backwards {
                list.reverse();
            }
        }
        for place in order {
            case = case.leg(legs[place].0, legs[place].1);
        }
        case.profile(fuse(json!({ "weights": { "lexical": 0.1, "tags": 0.7 } })))
            .order(&[1, 3, 2])
            .fused(1, 0.1 / 62.0 + 0.7 / 63.0 + 1.0 / 61.0)
            .fused(2, 0.7 / 61.0 + 1.0 / 62.0)
            .fused(3, 0.1 / 61.0 + 0.7 / 62.0 + 1.0 / 63.0)
            .item(1, "/trace/legs/0/leg", "lexical")
            .item(1, "/trace/legs/2/leg", "vector")
    };
    vec![
        ask("order: legs by name", [0, 1, 2], false),
        ask(
            "order: legs in any order give the same sums",
            [2, 0, 1],
            false,
        ),
        ask(
            "order: chunks and notes in any order give the same sums",
            [1, 2, 0],
            true,
        ),
    ]
}
