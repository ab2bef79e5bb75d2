//! Input that is refused at the door, by the key at which it fails.

use serde_json::{Value, json};

use super::{Draft, bare, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = shapes();
    cases.extend(references());
    cases.extend(sentences());
    cases.extend(others());
    cases.extend(accepted());
    cases
}

/// A bundle that holds together.
fn sound(name: &str) -> Draft {
    draft(name)
        .chunk(
            1,
            "a.md",
            json!({
                "text": "Größe. Zwei.",
                "sentences": [
                    { "start": 0, "end": 8, "cosine": 0.5 },
                    { "start": 9, "end": 14, "cosine": 0.25 },
                ],
            }),
        )
        .chunk(2, "b.md", json!({}))
        .leg("vector", &[1, 2])
        .leg("lexical", &[2])
        .cites(&[("a.md", "b.md")])
        .links(&[("b.md", "a.md")])
}

/// Rows of name, what is put where, and the key at which the bundle must be refused.
fn put<const N: usize>(rows: [(&str, &str, Value, &str); N]) -> Vec<Draft> {
    let case = |(name, pointer, value, key): (&str, &str, Value, &str)| {
        sound(name).put(pointer, value).refused("bad_bundle", key)
    };
    rows.into_iter().map(case).collect()
}

/// Rows of name, what is taken out, and the key at which the bundle must be refused.
fn missing<const N: usize>(rows: [(&str, &str, &str); N]) -> Vec<Draft> {
    let case = |(name, pointer, key): (&str, &str, &str)| {
        sound(name).without(pointer).refused("bad_bundle", key)
    };
    rows.into_iter().map(case).collect()
}

fn shapes() -> Vec<Draft> {
    let mut cases = put([
        ("bundle: an unknown key", "/colour", json!(1), "colour"),
        (
            "bundle: an unknown key of a leg",
            "/legs/1/colour",
            json!(1),
            "legs[1].colour",
        ),
        (
            "bundle: an unknown key of a hit",
            "/legs/0/hits/1/colour",
            json!(1),
            "legs[0].hits[1].colour",
        ),
        (
            "bundle: an unknown key of a sentence",
            "/chunks/0/sentences/1/colour",
            json!(1),
            "chunks[0].sentences[1].colour",
        ),
        (
            "bundle: an unknown key of the graph",
            "/graph/colour",
            json!(1),
            "graph.colour",
        ),
        ("bundle: another schema", "/schema", json!(2), "schema"),
        ("bundle: text for a list", "/legs", json!("vector"), "legs"),
        (
            "bundle: text for a score",
            "/legs/0/hits/1/score",
            json!("high"),
            "legs[0].hits[1].score",
        ),
        (
            "bundle: null for a text",
            "/chunks/1/text",
            Value::Null,
            "chunks[1].text",
        ),
        (
            "bundle: a number for a path",
            "/notes/1/path",
            json!(7),
            "notes[1].path",
        ),
        (
            "bundle: a number for a truth",
            "/notes/0/evergreen",
            json!(1),
            "notes[0].evergreen",
        ),
        (
            "bundle: a negative id",
            "/chunks/0/id",
            json!(-1),
            "chunks[0].id",
        ),
        (
            "bundle: a fractional id",
            "/chunks/0/id",
            json!(1.5),
            "chunks[0].id",
        ),
        (
            "bundle: an id beyond 32 bits",
            "/chunks/0/id",
            json!(4_294_967_296_u64),
            "chunks[0].id",
        ),
        (
            "bundle: a score beyond 1e12",
            "/legs/0/hits/0/score",
            json!(1.1e12),
            "legs[0].hits[0].score",
        ),
        (
            "bundle: a cosine beyond -1e12",
            "/chunks/1/cosine",
            json!(-1.1e12),
            "chunks[1].cosine",
        ),
        (
            "bundle: a signal beyond 1e12",
            "/notes/0/signals",
            json!({ "x": 2e12 }),
            "notes[0].signals.x",
        ),
        ("bundle: a fractional moment", "/now", json!(0.5), "now"),
        (
            "bundle: a fractional date",
            "/notes/0/published_at",
            json!(0.5),
            "notes[0].published_at",
        ),
        (
            "bundle: a date in words",
            "/notes/0/modified_at",
            json!("2026-07-01"),
            "notes[0].modified_at",
        ),
        (
            "bundle: a moment beyond the calendar",
            "/now",
            json!(5e11),
            "now",
        ),
        (
            "bundle: an edge of one end",
            "/graph/citations/0",
            json!([0]),
            "graph.citations[0]",
        ),
    ]);
    cases.extend(missing([
        ("bundle: no query", "/query", ""),
        ("bundle: no moment", "/now", ""),
        ("bundle: a leg without a name", "/legs/1/name", "legs[1]"),
        (
            "bundle: a chunk without a text",
            "/chunks/1/text",
            "chunks[1]",
        ),
        (
            "bundle: a graph without wikilinks",
            "/graph/wikilinks",
            "graph",
        ),
    ]));
    let mut whole = draft("bundle: a text is none");
    whole.case.bundle = json!("bundle");
    cases.push(whole.refused("bad_bundle", ""));
    cases
}

fn references() -> Vec<Draft> {
    put([
        (
            "bundle: two chunks of one id",
            "/chunks/1/id",
            json!(1),
            "chunks[1].id",
        ),
        (
            "bundle: two notes of one path",
            "/notes/1/path",
            json!("a.md"),
            "notes[1].path",
        ),
        (
            "bundle: a note without a path",
            "/notes/0/path",
            json!(""),
            "notes[0].path",
        ),
        (
            "bundle: a chunk of no note",
            "/chunks/1/note",
            json!("c.md"),
            "chunks[1].note",
        ),
        (
            "bundle: a hit of no chunk",
            "/legs/0/hits/1/chunk",
            json!(99),
            "legs[0].hits[1].chunk",
        ),
        (
            "bundle: a leg of an empty name",
            "/legs/1/name",
            json!(""),
            "legs[1].name",
        ),
        (
            "bundle: two legs of one name",
            "/legs/1/name",
            json!("vector"),
            "legs[1].name",
        ),
        (
            "bundle: two nodes of one path",
            "/graph/nodes/1",
            json!("a.md"),
            "graph.nodes[1]",
        ),
        (
            "bundle: a citation from no node",
            "/graph/citations/0",
            json!([2, 0]),
            "graph.citations[0]",
        ),
        (
            "bundle: a wikilink to no node",
            "/graph/wikilinks/0",
            json!([0, 2]),
            "graph.wikilinks[0]",
        ),
    ])
}

fn sentences() -> Vec<Draft> {
    let first = |start: u32, end: u32| json!({ "start": start, "end": end, "cosine": 0.5 });
    put([
        (
            "sentence: overlapping the one before",
            "/chunks/0/sentences/1",
            first(7, 14),
            "chunks[0].sentences[1]",
        ),
        (
            "sentence: before the one before",
            "/chunks/0/sentences/0",
            first(9, 14),
            "chunks[0].sentences[1]",
        ),
        (
            "sentence: ending before it begins",
            "/chunks/0/sentences/1",
            first(14, 9),
            "chunks[0].sentences[1]",
        ),
        (
            "sentence: beyond the text",
            "/chunks/0/sentences/1",
            first(9, 15),
            "chunks[0].sentences[1]",
        ),
        (
            "sentence: beginning inside a character",
            "/chunks/0/sentences/0",
            first(3, 8),
            "chunks[0].sentences[0]",
        ),
        (
            "sentence: ending inside a character",
            "/chunks/0/sentences/0",
            first(0, 5),
            "chunks[0].sentences[0]",
        ),
    ])
}

/// Quotations and walks.
fn others() -> Vec<Draft> {
    let policy = || json!(concord_core::Profile::vault("").traverse.fast);
    let stop = |path: &str| json!({ "path": path, "similarity": 0.5, "decay_weight": 1.0 });
    let walk = |name: &str, world: Value, policy: Value, key: &str| {
        let refusal = json!({ "code": "bad_walk", "key": key });
        bare(name)
            .walk(world, policy)
            .fact("/walk/refused", refusal)
    };
    let world = |seeds: Value, links: Value| json!({ "seeds": seeds, "stops": [stop("a"), stop("b")], "links": links });
    let quotation = |name: &str, quotations: Value, key: &str| {
        let mut case = bare(name);
        case.case.quotations = quotations;
        let refusal = json!({ "code": "bad_quotation", "key": key });
        case.fact("/citations/refused", refusal)
    };
    let mut twice = world(json!([0]), json!([]));
    twice["stops"][1] = stop("a");
    let mut loose = policy();
    loose["speed"] = json!(1);
    vec![
        walk(
            "walk: a seed that is not there",
            world(json!([0, 2]), json!([])),
            policy(),
            "seeds[1]",
        ),
        walk(
            "walk: a link from nowhere",
            world(json!([0]), json!([[2, 0]])),
            policy(),
            "links[0][0]",
        ),
        walk(
            "walk: a link to nowhere",
            world(json!([0]), json!([[0, 1], [0, 2]])),
            policy(),
            "links[1][1]",
        ),
        walk(
            "walk: two notes of one path",
            twice,
            policy(),
            "stops[1].path",
        ),
        walk(
            "walk: an unknown key of the policy",
            world(json!([0]), json!([])),
            loose,
            "speed",
        ),
        quotation(
            "quotation: an unknown key",
            json!([{ "quote": "x", "chunk": "y", "page": 1 }]),
            "[0].page",
        ),
        quotation(
            "quotation: a number for a text",
            json!([{ "quote": "x", "chunk": "y" }, { "quote": 1, "chunk": "y" }]),
            "[1].quote",
        ),
        quotation(
            "quotation: one that is in no list",
            json!({ "quote": "x", "chunk": "y" }),
            "",
        ),
    ]
}

/// What looks odd and is allowed.
fn accepted() -> Vec<Draft> {
    vec![
        sound("accepted: a bundle that holds together").order(&[2, 1]),
        sound("accepted: what is optional may be left out")
            .without("/chunks/0/page")
            .without("/chunks/0/cosine")
            .without("/notes/0/author")
            .order(&[2, 1]),
        sound("accepted: whole seconds written with a point")
            .put("/now", json!(1_782_864_000.0))
            .order(&[2, 1]),
        sound("accepted: the greatest id")
            .put("/chunks/0/id", json!(u32::MAX))
            .put("/legs/0/hits/0/chunk", json!(u32::MAX))
            .order(&[2, u32::MAX]),
        sound("accepted: scores at the bounds")
            .put("/legs/0/hits/0/score", json!(1e12))
            .put("/legs/0/hits/1/score", json!(-1e12))
            .order(&[2, 1])
            .item(1, "/trace/legs/0/raw", 1e12),
        sound("accepted: a self-link, which counts for nothing")
            .put("/graph/citations/0", json!([1, 1]))
            .order(&[2, 1])
            .fact("/ranking/graph/citations", 0)
            .fact("/ranking/graph/links", 1),
        sound("accepted: an edge that stands there twice")
            .put("/graph/wikilinks", json!([[1, 0], [1, 0], [0, 1]]))
            .fact("/ranking/graph/links", 1),
        sound("accepted: a graph that knows nothing of the candidates")
            .put("/graph/nodes", json!(["x.md", "y.md"]))
            .order(&[2, 1])
            .fact("/ranking/graph/nodes", 2),
        sound("accepted: an empty query")
            .put("/query", json!(""))
            .order(&[2, 1]),
        sound("accepted: no encoder, and no cosine anywhere")
            .put(
                "/corpus",
                json!({ "chunks": 2, "model": null, "dimension": 0 }),
            )
            .order(&[2, 1]),
        sound("accepted: a moment before 1970")
            .put("/now", json!(-86_400))
            .order(&[2, 1]),
    ]
}
