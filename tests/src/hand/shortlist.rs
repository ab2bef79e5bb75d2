//! From the sorted list to the answer: cross-encoder, diversity, limit, guard, budget.
//!
//! One leg finds chunks 1, 2, … in this order, so that is the order in which they stand in line.

use serde_json::{Value, json};

use super::{Draft, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = diversity();
    cases.extend(repeats());
    cases.extend(limits());
    cases.extend(guards());
    cases.extend(budgets());
    cases.extend(crossed());
    cases
}

/// Chunks 1, 2, … of these notes, with these facts laid over.
fn in_line(name: &str, chunks: &[(&str, Value)], patch: Value) -> Draft {
    let mut case = draft(name);
    let mut hits = Vec::new();
    for (id, (note, facts)) in (1..).zip(chunks) {
        case = case.chunk(id, note, facts.clone());
        hits.push(id);
    }
    let mut profile = json!({ "extends": "vault" });
    super::lay_over(&mut profile, patch);
    case.leg("vector", &hits).profile(profile)
}

/// Relevance of the n-th of `count` chunks that one leg found.
fn relevance(n: u32, count: u32) -> f64 {
    let fused = |n: u32| 1.0 / f64::from(60 + n);
    (fused(n) - fused(count)) / (fused(1) - fused(count))
}

/// What was dropped must be these, in this order.
fn dropped(case: Draft, expected: &[(u32, &str)]) -> Draft {
    let mut case = case.nothing(&format!("/ranking/dropped/{}", expected.len()));
    for (i, (chunk, reason)) in expected.iter().enumerate() {
        case = case
            .fact(&format!("/ranking/dropped/{i}/chunk"), *chunk)
            .fact(&format!("/ranking/dropped/{i}/reason"), *reason);
    }
    case
}

fn plain(notes: &[&'static str]) -> Vec<(&'static str, Value)> {
    notes.iter().map(|&note| (note, json!({}))).collect()
}

fn diversity() -> Vec<Draft> {
    let on_page = |note: &'static str, page: u32| (note, json!({ "page": page }));
    let crowded = plain(&["a.md", "a.md", "a.md", "b.md"]);
    vec![
        dropped(
            in_line(
                "diversity: at most two chunks of a note",
                &crowded,
                json!({ "diversity": { "max_per_note": 2 } }),
            )
            .order(&[1, 2, 4]),
            &[(3, "note_full")],
        )
        .fact("/ranking/dropped/0/score", relevance(3, 4)),
        dropped(
            in_line(
                "diversity: no limit unless the profile sets one",
                &crowded,
                json!({}),
            )
            .order(&[1, 2, 3, 4]),
            &[],
        ),
        dropped(
            in_line(
                "diversity: at most two chunks of a page",
                &[
                    on_page("a.md", 1),
                    on_page("a.md", 1),
                    on_page("a.md", 1),
                    on_page("a.md", 2),
                ],
                json!({ "diversity": { "max_per_page": 2 } }),
            )
            .order(&[1, 2, 4]),
            &[(3, "page_full")],
        ),
        dropped(
            in_line(
                "diversity: the first page of one note is not that of another",
                &[on_page("a.md", 1), on_page("b.md", 1)],
                json!({ "diversity": { "max_per_page": 1 } }),
            )
            .order(&[1, 2]),
            &[],
        ),
        dropped(
            in_line(
                "diversity: chunks without a page are not limited by page",
                &crowded,
                json!({ "diversity": { "max_per_page": 1 } }),
            )
            .order(&[1, 2, 3, 4]),
            &[],
        ),
        dropped(
            in_line(
                "diversity: page 0 is a page",
                &[on_page("a.md", 0), on_page("a.md", 0)],
                json!({ "diversity": { "max_per_page": 1 } }),
            )
            .order(&[1]),
            &[(2, "page_full")],
        ),
        dropped(
            in_line(
                "diversity: what its page drops does not count for its note",
                &[
                    on_page("a.md", 1),
                    on_page("a.md", 1),
                    on_page("a.md", 2),
                    on_page("a.md", 3),
                ],
                json!({ "diversity": { "max_per_note": 2, "max_per_page": 1 } }),
            )
            .order(&[1, 3]),
            &[(2, "page_full"), (4, "note_full")],
        ),
    ]
}

/// A chunk of these sentences, the first nearest to the query.
fn saying(note: &'static str, sentences: &[&str]) -> (&'static str, Value) {
    let mut start = 0;
    let mut spans = Vec::new();
    for (sentence, falling) in sentences.iter().zip(1_u32..) {
        let end = start + sentence.len();
        spans.push(json!({ "start": start, "end": end, "cosine": 1.0 / f64::from(falling) }));
        start = end;
    }
    (
        note,
        json!({ "text": sentences.concat(), "sentences": spans }),
    )
}

fn repeats() -> Vec<Draft> {
    let overlapping = [
        saying("a.md", &["One.", "Two.", "Three."]),
        saying("a.md", &["Two.", "One.", "Four."]),
        saying("b.md", &["Five."]),
    ];
    vec![
        dropped(
            in_line(
                "repeats: what its note has shown is not shown again, in whatever order",
                &overlapping,
                json!({}),
            )
            .order(&[1, 3]),
            &[(2, "repeats")],
        ),
        dropped(
            in_line(
                "repeats: shown again if the profile says so",
                &overlapping,
                json!({ "diversity": { "repeats": true } }),
            )
            .order(&[1, 2, 3]),
            &[],
        ),
        dropped(
            in_line(
                "repeats: one sentence that is new is enough",
                &overlapping,
                json!({ "excerpt": { "sentences": 3 } }),
            )
            .order(&[1, 2, 3]),
            &[],
        ),
        dropped(
            in_line(
                "repeats: two notes may say the same",
                &[saying("a.md", &["One."]), saying("b.md", &["One."])],
                json!({}),
            )
            .order(&[1, 2]),
            &[],
        ),
        dropped(
            in_line(
                "repeats: without an excerpt nothing is repeated",
                &overlapping,
                json!({ "excerpt": { "sentences": 0 } }),
            )
            .order(&[1, 2, 3]),
            &[],
        ),
        dropped(
            in_line(
                "repeats: what was dropped has shown nothing, and takes no place",
                &[
                    saying("a.md", &["One."]),
                    saying("a.md", &["One.", "One."]),
                    saying("b.md", &["Far too long for what is left of the budget."]),
                    saying(
                        "b.md",
                        &["Far too", " long for what is left of the budget."],
                    ),
                    saying("c.md", &["Two."]),
                    saying("d.md", &["Three."]),
                ],
                json!({ "limit": 2, "budget": { "max_tokens": 4 } }),
            )
            .order(&[1, 5]),
            &[(2, "repeats"), (3, "budget"), (4, "budget"), (6, "limit")],
        ),
    ]
}

fn limits() -> Vec<Draft> {
    vec![
        dropped(
            in_line(
                "limit: the rest is listed with the reason, best first",
                &plain(&["a.md", "b.md", "c.md", "d.md"]),
                json!({ "limit": 2 }),
            )
            .order(&[1, 2]),
            &[(3, "limit"), (4, "limit")],
        )
        .fact("/ranking/candidates", 4),
        dropped(
            in_line(
                "limit: more than there are is no matter",
                &plain(&["a.md", "b.md"]),
                json!({ "limit": 10_000 }),
            )
            .order(&[1, 2]),
            &[],
        ),
        dropped(
            in_line(
                "limit: a chunk whose note is full is dropped for that, though the list is full",
                &plain(&["a.md", "b.md", "a.md", "c.md"]),
                json!({ "limit": 2, "diversity": { "max_per_note": 1 } }),
            )
            .order(&[1, 2]),
            &[(3, "note_full"), (4, "limit")],
        ),
        dropped(
            in_line(
                "limit: a chunk dropped for diversity takes no place",
                &plain(&["a.md", "a.md", "b.md", "c.md"]),
                json!({ "limit": 2, "diversity": { "max_per_note": 1 } }),
            )
            .order(&[1, 3]),
            &[(2, "note_full"), (4, "limit")],
        ),
        in_line(
            "limit: ranks are counted anew, and the rank before is in the trace",
            &plain(&["a.md", "a.md", "b.md"]),
            json!({ "diversity": { "max_per_note": 1 } }),
        )
        .order(&[1, 3])
        .item(3, "/rank", 2)
        .item(3, "/trace/scored_rank", 3),
    ]
}

fn guards() -> Vec<Draft> {
    let guarded = |name: &str, count: u32, patch: Value| {
        let hits: Vec<u32> = (1..=count).collect();
        let mut profile = json!({ "extends": "vault", "small_corpus": { "guard": true } });
        super::lay_over(&mut profile, patch);
        let case = draft(name).chunks(count).leg("vector", &hits);
        case.profile(profile)
    };
    let twelve: Vec<u32> = (1..=12).collect();
    let bounds = |below: u32, part: f64| {
        json!({
            "limit": 5,
            "small_corpus": { "guard": true, "below": below, "max_dropped": part },
        })
    };
    vec![
        guarded(
            "guard: a small corpus that the limit would more than halve is shown whole",
            12,
            json!({ "limit": 5 }),
        )
        .order(&twelve)
        .fact("/ranking/small_corpus", true),
        guarded(
            "guard: one that the limit would exactly halve is not",
            12,
            json!({ "limit": 6 }),
        )
        .order(&twelve[..6])
        .fact("/ranking/small_corpus", false),
        guarded(
            "guard: it is off unless the profile says otherwise",
            12,
            json!({ "limit": 5, "small_corpus": {} }),
        )
        .order(&twelve[..5])
        .fact("/ranking/small_corpus", false),
        guarded(
            "guard: as many as `below` are not small",
            12,
            bounds(12, 0.5),
        )
        .order(&twelve[..5])
        .fact("/ranking/small_corpus", false),
        guarded("guard: one fewer than `below` are", 12, bounds(13, 0.5))
            .order(&twelve)
            .fact("/ranking/small_corpus", true),
        guarded(
            "guard: the part it may drop is the profile's",
            12,
            bounds(50, 0.6),
        )
        .order(&twelve[..5]),
        guarded(
            "guard: 49 are small",
            49,
            json!({ "limit": 20, "retrieve": { "pool_min": 99 } }),
        )
        .fact("/ranking/small_corpus", true)
        .fact("/ranking/items/48/chunk", 49),
        guarded(
            "guard: 50 are not",
            50,
            json!({ "limit": 20, "retrieve": { "pool_min": 99 } }),
        )
        .fact("/ranking/small_corpus", false)
        .nothing("/ranking/items/20"),
        dropped(
            in_line(
                "guard: it lifts the limit, not diversity",
                &plain(&["a.md", "a.md", "b.md"]),
                json!({
                    "limit": 1, "small_corpus": { "guard": true },
                    "diversity": { "max_per_note": 1 },
                }),
            )
            .order(&[1, 3]),
            &[(2, "note_full")],
        ),
        dropped(
            in_line(
                "guard: it lifts the limit, not the budget",
                &[
                    ("a.md", json!({ "text": "word" })),
                    ("b.md", json!({ "text": "two words" })),
                    ("c.md", json!({ "text": "word" })),
                ],
                json!({
                    "limit": 1, "small_corpus": { "guard": true }, "budget": { "max_tokens": 2 },
                }),
            )
            .order(&[1, 3]),
            &[(2, "budget")],
        ),
        guarded("guard: an empty answer is not a small corpus", 0, json!({}))
            .order(&[])
            .fact("/ranking/small_corpus", false),
    ]
}

fn budgets() -> Vec<Draft> {
    let of_length = |length: usize| ("a.md", json!({ "text": "x".repeat(length) }));
    let with = |max: u32| json!({ "budget": { "max_tokens": max } });
    let tokens = |name: &str, text: &str, tokens: u32| {
        in_line(name, &[("a.md", json!({ "text": text }))], json!({})).item(1, "/tokens", tokens)
    };
    vec![
        tokens("tokens: four characters are one", "four", 1),
        tokens("tokens: five are two", "fives", 2),
        tokens("tokens: characters count, not bytes", "äöüß", 1),
        tokens(
            "tokens: characters count, not units of UTF-16",
            "😀😀😀😀",
            1,
        ),
        tokens("tokens: no text, no tokens", "", 0),
        dropped(
            in_line(
                "budget: what is too long is skipped, and a shorter one further down fits",
                &[
                    of_length(40),
                    of_length(400),
                    of_length(40),
                    of_length(24),
                    of_length(20),
                ],
                with(25),
            )
            .order(&[1, 3, 5]),
            &[(2, "budget"), (4, "budget")],
        ),
        in_line(
            "budget: what fits exactly is kept",
            &[of_length(40), of_length(40)],
            with(20),
        )
        .order(&[1, 2]),
        dropped(
            in_line(
                "budget: a text is rounded up to whole tokens",
                &[of_length(41), of_length(39)],
                with(20),
            )
            .order(&[1]),
            &[(2, "budget")],
        ),
        dropped(
            in_line(
                "budget: of nothing, only an empty text fits",
                &[of_length(1), of_length(0)],
                with(0),
            )
            .order(&[2]),
            &[(1, "budget")],
        ),
        in_line(
            "budget: how long a token is is the profile's",
            &[of_length(10), of_length(10), of_length(1)],
            json!({ "budget": { "max_tokens": 11, "chars_per_token": 1 } }),
        )
        .order(&[1, 3])
        .item(1, "/tokens", 10),
        dropped(
            in_line(
                "budget: what does not fit takes no place of its note, nor of the list",
                &[of_length(100), of_length(40), of_length(40), of_length(4)],
                json!({
                    "limit": 2, "budget": { "max_tokens": 20 }, "diversity": { "max_per_note": 2 },
                }),
            )
            .order(&[2, 3]),
            &[(1, "budget"), (4, "note_full")],
        ),
    ]
}

/// Four chunks in line, with these logits.
fn crossed() -> Vec<Draft> {
    let ask = |name: &str, logits: [Option<f64>; 4], cross: Value| {
        let notes = ["a.md", "b.md", "c.md", "d.md"];
        let chunk =
            |(&note, logit): (&&'static str, Option<f64>)| (note, json!({ "cross": logit }));
        let chunks: Vec<(&str, Value)> = notes.iter().zip(logits).map(chunk).collect();
        in_line(name, &chunks, json!({ "cross": cross }))
    };
    let rising = [Some(-3.0), Some(1.0), Some(3.0), Some(5.0)];
    // The two best reach from the relevance of the second to 1.
    let second = relevance(2, 4);
    vec![
        ask("cross: with weight 0 it changes nothing", rising, json!({}))
            .order(&[1, 2, 3, 4])
            .item(1, "/trace/cross", Value::Null),
        ask(
            "cross: with weight 1 logits alone decide",
            rising,
            json!({ "weight": 1.0 }),
        )
        .order(&[4, 3, 2, 1])
        .score(0, 1.0)
        .score(1, (3.0 + 3.0) / 8.0)
        .score(2, (1.0 + 3.0) / 8.0)
        .score(3, 0.0)
        .item(4, "/trace/blended_rank", 4)
        .item(4, "/trace/scored_rank", 1),
        ask(
            "cross: with weight a half both count",
            rising,
            json!({ "weight": 0.5 }),
        )
        .item(1, "/score", 0.5)
        .item(2, "/score", 0.5 * relevance(2, 4) + 0.5 * 0.5)
        .item(3, "/score", 0.5 * relevance(3, 4) + 0.5 * 0.75)
        .item(4, "/score", 0.5),
        ask(
            "cross: only the best so many are re-ordered, and stay above the rest",
            rising,
            json!({ "weight": 1.0, "top": 2 }),
        )
        .order(&[2, 1, 3, 4])
        .score(0, 1.0)
        .score(1, second)
        .score(2, relevance(3, 4))
        .item(3, "/trace/cross", Value::Null)
        .item(
            1,
            "/trace/cross/window",
            json!({ "low": second, "high": 1.0 }),
        ),
        ask(
            "cross: more than there are is no matter",
            rising,
            json!({ "weight": 1.0, "top": 100 }),
        )
        .order(&[4, 3, 2, 1]),
        ask(
            "cross: a chunk without a logit keeps its score",
            [Some(1.0), None, Some(3.0), Some(5.0)],
            json!({ "weight": 1.0 }),
        )
        .order(&[4, 2, 3, 1])
        .item(2, "/score", relevance(2, 4))
        .item(2, "/trace/cross/logit", Value::Null)
        .item(3, "/score", 0.5),
        ask(
            "cross: without any logit it takes no part",
            [None; 4],
            json!({ "weight": 1.0 }),
        )
        .order(&[1, 2, 3, 4])
        .item(1, "/trace/cross", Value::Null),
        ask(
            "cross: a logit outside the window does not bring it in",
            [None, None, None, Some(9.0)],
            json!({ "weight": 1.0, "top": 3 }),
        )
        .order(&[1, 2, 3, 4])
        .item(1, "/trace/cross", Value::Null),
        ask(
            "cross: equal logits leave every score as it was",
            [Some(2.0); 4],
            json!({ "weight": 0.5 }),
        )
        .order(&[1, 2, 3, 4])
        .item(2, "/score", relevance(2, 4)),
        ask(
            "cross: diversity sees the list after it",
            rising,
            json!({ "weight": 1.0 }),
        )
        .put("/chunks/0/note", json!("d.md"))
        .profile(json!({
            "extends": "vault", "cross": { "weight": 1.0 }, "diversity": { "max_per_note": 1 },
        }))
        .order(&[4, 3, 2]),
    ]
}
