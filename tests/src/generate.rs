//! Seeded cases: case `i` of a seed is always the same, so that a difference can be looked at
//! again by its name alone.
//!
//! Each draws its own shape: ties, empty legs, single candidates, missing authors and dates,
//! repeated hits, huge and tiny weights, isolated nodes, bipartite and disconnected graphs, texts
//! in many scripts with combining marks and surrogate pairs; with sentences to choose, quotations
//! to verify (true, elided, altered, too short) and a world to walk through.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::case::Case;

const NOW: i64 = 1_782_864_000;
const DAY: i64 = 86_400;

/// Words in many scripts, composed and decomposed, inside and outside the basic plane.
const WORDS: &[&str] = &[
    "margin",
    "Ledger",
    "revenue",
    "Quarterly",
    "cites",
    "the",
    "of",
    "drift",
    "Straße",
    "STRASSE",
    "straße",
    "ﬁnance",
    "eﬃcient",
    "e\u{301}tude",
    "étude",
    "ZÜRICH",
    "İstanbul",
    "ıspanak",
    "ΣΊΣΥΦΟΣ",
    "σίσυφος",
    "Ελλάδα",
    "Дневник",
    "заметка",
    "データ",
    "ﾃﾞｰﾀ",
    "検索",
    "한국어",
    "\u{1112}\u{1161}\u{11ab}",
    "हिन्दी",
    "นาฬิกา",
    "العربية",
    "ﻻ",
    "עברית",
    "😀",
    "👩‍👩‍👧",
    "👍🏽",
    "🇩🇪",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "𝟙𝟚𝟛",
    "①②③",
    "㎏",
    "½",
    "x²",
    "ｆｕｌｌ",
    "q\u{307}\u{323}",
    "a\u{323}\u{307}",
    "\u{345}\u{301}",
    "—",
    "–",
    "−",
    "“so”",
    "‘so’",
    "„so“",
    "it’s",
    "C++",
    "foo.bar()",
    "[...]",
    "…",
    "...",
    "§3",
    "Ⅷ",
    "Ǆ",
    "ẞ",
    "ŉ",
    "zero\u{200b}width",
    "soft\u{ad}hyphen",
    "\u{feff}bom",
    "Ꭰꭰ",
    "ᲐᲑ",
    "1,234.5",
    "2026-Q3",
    "_rrf_fuse",
    "AAPL",
];

const SPACES: &[&str] = &[
    " ", " ", " ", "  ", "\n", "\t", "\u{a0}", "\u{2009}", "\u{3000}", "\r\n", "\u{202f}",
];

const AUTHORS: &[&str] = &["Ada", "Grace", "김민준", "Émilie", "E\u{301}milie", ""];

/// Case `index` of `seed`.
#[must_use]
pub fn case(seed: u64, index: u64) -> Case {
    let rng = &mut Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index);
    let mut case = Case::new(&format!("generated {seed}/{index}"));
    let chunks = chunks(rng);
    case.quotations = quotations(rng, &chunks);
    case.bundle = bundle(rng, &chunks);
    case.profile = profile(rng);
    if rng.u8(..4) == 0 {
        case.walk = walk(rng);
    }
    case
}

/// A bundle of a given size, for benchmarks: `count` candidates of about 600 English words (one
/// in ten in many scripts) and a subgraph of about `edges` edges.
#[must_use]
pub fn sized_bundle(count: usize, edges: usize) -> Value {
    let rng = &mut Rng::with_seed(7);
    let mut chunks = Vec::with_capacity(count);
    for id in 0..count {
        let words = if id % 10 == 0 { WORDS } else { &WORDS[..8] };
        let (text, sentences) = text(rng, words, 30, 40);
        let note = format!("notes/{:03}.md", id / 2);
        chunks.push(chunk(rng, id, &note, &text, &sentences));
    }
    let mut bundle = bundle(rng, &chunks);
    let nodes = (edges / 5).max(count);
    let pairs = |rng: &mut Rng, edges: usize| -> Vec<Value> {
        (0..edges)
            .map(|_| json!([rng.usize(..nodes), rng.usize(..nodes)]))
            .collect()
    };
    let names: Vec<String> = (0..nodes)
        .map(|node| format!("notes/{node:03}.md"))
        .collect();
    bundle["graph"] = json!({
        "nodes": names,
        "citations": pairs(rng, edges / 2),
        "wikilinks": pairs(rng, edges - edges / 2),
    });
    let everyone = |rng: &mut Rng| {
        let mut ids: Vec<usize> = (0..count).collect();
        rng.shuffle(&mut ids);
        let hit = |(i, id): (usize, usize)| json!({ "chunk": id * 3 + 1, "score": 1.0 / (1.0 + as_f64(i)) });
        ids.into_iter().enumerate().map(hit).collect::<Vec<_>>()
    };
    bundle["legs"] = json!([
        { "name": "vector", "hits": everyone(rng) },
        { "name": "lexical", "hits": everyone(rng) },
    ]);
    bundle
}

fn chunks(rng: &mut Rng) -> Vec<Value> {
    let count = match rng.u8(..10) {
        0 => 0,
        1 => 1,
        2..8 => rng.usize(2..16),
        _ => rng.usize(16..60),
    };
    let notes = rng.usize(1..=count.max(1));
    let mut chunks = Vec::with_capacity(count);
    for id in 0..count {
        let note = note_path(rng.usize(..notes));
        let copied: Option<&Value> = chunks.last().filter(|_| rng.u8(..8) == 0);
        let (text, sentences) = match copied {
            Some(last) => (
                text_of(last).to_owned(),
                last["sentences"].as_array().cloned().unwrap_or_default(),
            ),
            None => {
                let sentences = rng.usize(..5);
                text(rng, WORDS, sentences, 8)
            }
        };
        chunks.push(chunk(rng, id, &note, &text, &sentences));
    }
    rng.shuffle(&mut chunks);
    chunks
}

fn chunk(rng: &mut Rng, id: usize, note: &str, text: &str, sentences: &[Value]) -> Value {
    json!({
        "id": id * 3 + 1,
        "note": note,
        "ordinal": rng.usize(..4),
        "section": word(rng),
        "page": maybe(rng, |rng| json!(rng.u32(..3))),
        "text": text,
        "cosine": maybe(rng, cosine),
        "cross": maybe(rng, |rng| json!(rng.f64() * 20.0 - 10.0)),
        "sentences": sentences,
    })
}

fn note_path(number: usize) -> String {
    match number % 4 {
        0 => format!("Filings/T{}/{number}.md", number % 3),
        1 => format!("notes/étude {number}.md"),
        2 => format!("notes/ノート/{number}.md"),
        _ => format!("{number}.md"),
    }
}

/// A text and its sentences. Now and then a sentence is left out, so that there are gaps.
fn text(rng: &mut Rng, words: &[&str], sentences: usize, most: usize) -> (String, Vec<Value>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    for _ in 0..sentences {
        let start = text.len();
        for _ in 0..rng.usize(1..=most) {
            text.push_str(pick(rng, words));
            text.push_str(pick(rng, SPACES));
        }
        text.push('.');
        if rng.u8(..8) != 0 {
            spans.push(json!({ "start": start, "end": text.len(), "cosine": cosine(rng) }));
        }
        text.push_str(pick(rng, SPACES));
    }
    (text, spans)
}

fn bundle(rng: &mut Rng, chunks: &[Value]) -> Value {
    let mut paths: Vec<String> = chunks
        .iter()
        .filter_map(|chunk| chunk["note"].as_str().map(str::to_owned))
        .collect();
    paths.sort();
    paths.dedup();
    let mut notes: Vec<Value> = paths.iter().map(|path| note(rng, path)).collect();
    rng.shuffle(&mut notes);

    let ids: Vec<u64> = chunks
        .iter()
        .filter_map(|chunk| chunk["id"].as_u64())
        .collect();
    let names: &[&str] = match rng.u8(..6) {
        0 => &["vector"],
        1 => &["lexical"],
        2 => &["vector", "lexical", "vector:2", "lexical:2", "title"],
        3 => &["title", "vector", "lexical"],
        _ => &["vector", "lexical"],
    };
    let legs: Vec<Value> = names.iter().map(|name| leg(rng, name, &ids)).collect();
    let domain = pick(rng, &["finance", "fitness", "default"]);
    json!({
        "schema": 1,
        "query": word(rng),
        "now": NOW,
        "domain": domain,
        "legs": legs,
        "chunks": chunks,
        "notes": notes,
        "graph": subgraph(rng, &paths),
        "corpus": { "chunks": rng.u32(..100_000), "model": maybe(rng, |_| json!("bge")), "dimension": 384 },
    })
}

fn note(rng: &mut Rng, path: &str) -> Value {
    let signals = if rng.bool() {
        json!({ "severity": rng.f64(), "depth": -rng.f64() })
    } else {
        json!({})
    };
    json!({
        "path": path,
        "title": word(rng),
        "author": maybe(rng, |rng| json!(pick(rng, AUTHORS))),
        "published_at": maybe(rng, moment),
        "modified_at": maybe(rng, moment),
        "valid_from": maybe(rng, moment),
        "valid_until": maybe(rng, moment),
        "kind": maybe(rng, |rng| json!(pick(rng, &["Filings", "Memo"]))),
        "tags": [word(rng)],
        "evergreen": rng.u8(..6) == 0,
        "tier": null,
        "signals": signals,
    })
}

/// Days, so that equal dates are common; some before 1970, some after now.
fn moment(rng: &mut Rng) -> Value {
    match rng.u8(..8) {
        0 => json!(-rng.i64(0..40_000) * DAY),
        1 => json!(NOW + rng.i64(0..60) * DAY),
        2 => json!(NOW - rng.i64(0..40) * DAY - 1),
        _ => json!(NOW - rng.i64(0..24) * 31 * DAY),
    }
}

fn leg(rng: &mut Rng, name: &str, ids: &[u64]) -> Value {
    let mut order = ids.to_vec();
    rng.shuffle(&mut order);
    let most = if rng.u8(..6) == 0 { 0 } else { order.len() };
    order.truncate(rng.usize(..=most));
    if rng.u8(..4) == 0 {
        let again: Vec<u64> = order.iter().copied().filter(|_| rng.bool()).collect();
        order.extend(again);
    }
    let tied = rng.u8(..4) == 0;
    let hit = |id| json!({ "chunk": id, "score": if tied { json!(0.5) } else { raw_score(rng) } });
    let hits: Vec<Value> = order.into_iter().map(hit).collect();
    json!({ "name": name, "hits": hits })
}

fn raw_score(rng: &mut Rng) -> Value {
    match rng.u8(..10) {
        0 => json!(1e12 * rng.f64()),
        1 => json!(-1e-300 * rng.f64()),
        2 => json!(-0.0),
        _ => json!(rng.f64() * 30.0 - 5.0),
    }
}

fn cosine(rng: &mut Rng) -> Value {
    match rng.u8(..6) {
        0 => json!(0.5),
        1 => json!(-rng.f64()),
        _ => json!(rng.f64()),
    }
}

fn subgraph(rng: &mut Rng, notes: &[String]) -> Value {
    let mut nodes = notes.to_vec();
    let shape = rng.u8(..8);
    let strangers = if shape == 0 { 0 } else { rng.usize(..30) };
    nodes.extend((0..strangers).map(|i| format!("far/{i}.md")));
    if rng.u8(..4) == 0 {
        nodes.retain(|_| rng.u8(..4) != 0);
    }
    rng.shuffle(&mut nodes);
    let count = nodes.len();
    let wanted = if count < 2 { 0 } else { rng.usize(..count * 3) };
    let edge = |rng: &mut Rng, i: usize| match shape {
        // A path, which converges slowly; a star; two sides; two halves; anything.
        1 => (i % (count - 1), i % (count - 1) + 1),
        2 => (0, rng.usize(..count)),
        3 => (rng.usize(..count / 2) * 2, rng.usize(..count / 2) * 2 + 1),
        4 => {
            let half = rng.usize(..2);
            (
                rng.usize(..count / 2) * 2 + half,
                rng.usize(..count / 2) * 2 + half,
            )
        }
        _ => (rng.usize(..count), rng.usize(..count)),
    };
    let edges = |rng: &mut Rng, wanted: usize| -> Vec<(usize, usize)> {
        (0..wanted).map(|i| edge(rng, i)).collect()
    };
    let few = rng.usize(..12).min(wanted);
    let citations = if rng.u8(..4) == 0 { few } else { wanted };
    json!({
        "citations": edges(rng, citations),
        "wikilinks": edges(rng, wanted / 2),
        "nodes": nodes,
    })
}

/// A patch with some keys changed.
fn profile(rng: &mut Rng) -> Value {
    let mut patch = json!({ "extends": pick(rng, &["vault", "balanced"]) });
    let mut change = |rng: &mut Rng, pointer: (&str, &str), value: Value| {
        if rng.u8(..3) == 0 {
            patch[pointer.0][pointer.1] = value;
        }
    };
    let value = json!(pick(rng, &["rrf", "rrf", "convex"]));
    change(rng, ("fuse", "method"), value);
    let value = json!(pick(rng, &["chunk", "note"]));
    change(rng, ("fuse", "unit"), value);
    let value = json!(pick(rng, &[0.0, 1.0, 60.0, 1e6]));
    change(rng, ("fuse", "k"), value);
    let value = json!({ "vector": weight(rng), "lexical": weight(rng), "lexical:2": weight(rng) });
    change(rng, ("fuse", "weights"), value);
    let value = json!(pick(
        rng,
        &["off", "ranked_grouped", "half_life", "validity_window"]
    ));
    change(rng, ("decay", "mode"), value);
    let value = json!([1.0, rng.f64(), 0.0]);
    change(rng, ("decay", "ladder"), value);
    let value = json!({ "Filings": { "group_by_path_prefix": [1.0, rng.f64()] } });
    change(rng, ("decay", "kind_overrides"), value);
    let value = json!(pick(rng, &["off", "weighted", "bounded"]));
    change(rng, ("graph", "mode"), value);
    let value = json!(pick(rng, &["fused", "cosine"]));
    change(rng, ("graph", "relevance"), value);
    for key in ["alpha", "beta", "gamma", "strength"] {
        let value = weight(rng);
        change(rng, ("graph", key), value);
    }
    let value = json!(pick(rng, &[0.0, 0.5, 0.85, 0.999]));
    change(rng, ("graph", "damping"), value);
    let value = json!(rng.u32(..12));
    change(rng, ("graph", "min_citations"), value);
    let value = json!({ "severity": 0.15, "depth": rng.f64() * 2.0 - 1.0 });
    if rng.u8(..3) == 0 {
        patch["signals"] = value;
    }
    let mut change = |rng: &mut Rng, pointer: (&str, &str), value: Value| {
        if rng.u8(..4) == 0 {
            patch[pointer.0][pointer.1] = value;
        }
    };
    let value = json!(pick(rng, &[0.0, 0.3, 1.0]));
    change(rng, ("cross", "weight"), value);
    let value = json!(rng.u32(1..10));
    change(rng, ("cross", "top"), value);
    let value = json!(rng.u32(1..3));
    change(rng, ("diversity", "max_per_note"), value);
    change(rng, ("diversity", "max_per_page"), json!(1));
    change(rng, ("diversity", "repeats"), json!(true));
    let value = json!(rng.u32(..100));
    change(rng, ("budget", "max_tokens"), value);
    change(rng, ("small_corpus", "guard"), json!(true));
    let value = json!(rng.u32(..4));
    change(rng, ("excerpt", "sentences"), value);
    if rng.u8(..4) == 0 {
        patch["limit"] = json!(rng.u32(1..40));
    }
    patch
}

fn weight(rng: &mut Rng) -> Value {
    json!(match rng.u8(..8) {
        0 => 0.0,
        1 => 1e-300,
        2 => 1e6,
        3 => 5e-324,
        _ => rng.f64() * 2.0,
    })
}

/// Quotations from these chunks: true, elided, altered, from elsewhere, missing.
fn quotations(rng: &mut Rng, chunks: &[Value]) -> Value {
    let mut list = Vec::new();
    for chunk in chunks.iter().take(6) {
        let source: Vec<char> = text_of(chunk).chars().collect();
        let cut = |rng: &mut Rng| -> String {
            let start = rng.usize(..=source.len());
            let end = rng.usize(start..=source.len().min(start + 60));
            source[start..end].iter().collect()
        };
        let quote = match rng.u8(..6) {
            0 => json!(cut(rng).to_uppercase()),
            1 => json!(format!("{} … {}", cut(rng), cut(rng))),
            2 => json!(cut(rng).replace(' ', "\u{a0}\n")),
            3 => json!(format!("{}x", cut(rng))),
            4 => maybe(rng, |rng| json!(word(rng))),
            _ => json!(cut(rng)),
        };
        list.push(json!({ "quote": quote, "chunk": chunk["text"] }));
    }
    Value::Array(list)
}

fn walk(rng: &mut Rng) -> Value {
    let count = rng.usize(1..40);
    let stop = |rng: &mut Rng, i: usize| {
        let decay = if rng.u8(..5) == 0 { 0.0 } else { rng.f64() };
        json!({ "path": format!("{i}.md"), "similarity": cosine(rng), "decay_weight": decay })
    };
    let stops: Vec<Value> = (0..count).map(|i| stop(rng, i)).collect();
    let links: Vec<Value> = (0..rng.usize(..count * 3))
        .map(|_| json!([rng.usize(..count), rng.usize(..count)]))
        .collect();
    let seeds: Vec<usize> = (0..rng.usize(..4)).map(|_| rng.usize(..count)).collect();
    json!({
        "world": { "seeds": seeds, "stops": stops, "links": links },
        "policy": {
            "beam_width": rng.u32(1..8),
            "max_hops": rng.u32(..6),
            "seed_count": 3,
            "target_k": rng.u32(1..12),
            "quality_floor": maybe(rng, |rng| json!(rng.f64())),
            "prune_threshold": rng.f64() - 0.3,
            "decay": pick(rng, &["filter", "feature"]),
            "keep_pruned": rng.bool(),
        },
    })
}

fn maybe(rng: &mut Rng, value: impl FnOnce(&mut Rng) -> Value) -> Value {
    if rng.u8(..4) == 0 {
        Value::Null
    } else {
        value(rng)
    }
}

fn word(rng: &mut Rng) -> &'static str {
    pick(rng, WORDS)
}

fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.usize(..choices.len())]
}

fn text_of(chunk: &Value) -> &str {
    chunk["text"].as_str().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "small counts")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::case;

    /// What the generator must reach, or its 20,000 cases prove less than they seem to.
    #[test]
    fn generated_cases_reach_what_they_are_meant_to_reach() {
        let mut seen = std::collections::BTreeMap::<String, u32>::new();
        let mut see =
            |what: &str, is: bool| *seen.entry(what.to_owned()).or_default() += u32::from(is);
        for index in 0..1_500 {
            let case = case(1, index);
            let answer = case.answer();
            let text = answer.to_string();
            see("ranked", answer["ranking"]["digest"].is_string());
            see("replays", answer["replay"]["same"] == true);
            see("no candidate", answer["ranking"]["candidates"] == 0);
            see("one candidate", answer["ranking"]["candidates"] == 1);
            see("links act", answer["ranking"]["graph"]["active"] == true);
            see(
                "centrality by degree",
                answer["ranking"]["graph"]["by_degree"] == true,
            );
            see("crossed", text.contains("\"crossed\""));
            see("small corpus", answer["ranking"]["small_corpus"] == true);
            for reason in [
                "match",
                "no_quote",
                "no_chunk_text",
                "too_short",
                "not_found",
                "note_full",
                "page_full",
                "limit",
                "repeats",
                "budget",
                "ladder",
                "evergreen",
                "no_author",
                "newest_quarter",
                "older_quarter",
                "half_life",
                "undated",
                "validity_window",
                "inactive",
                "unlinked",
                "uncited",
                "cited",
                "good_enough",
                "max_hops",
                "exhausted",
                "beam_overflow",
                "below_prune_threshold",
                "decay_zero",
                "kept_despite_decay_zero",
            ] {
                see(reason, text.contains(&format!("\"{reason}\"")));
            }
        }
        let rare: Vec<_> = seen.iter().filter(|&(_, &count)| count < 5).collect();
        assert!(rare.is_empty(), "hardly ever reached: {rare:?}");
        assert_eq!(seen["ranked"], 1_500, "a generated case was refused");
        assert_eq!(seen["replays"], 1_500);
    }
}
