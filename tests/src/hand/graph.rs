//! Layer 3: links, recency and further signals.
//!
//! Most rows stand on a star: `n` leaves that all cite a hub. There, with damping d,
//!
//! * PageRank: every node gets the same base, the hub besides that `d` times each leaf's, which
//!   is all that a leaf has to give: a leaf has `1 / (1 + d·n)` of the hub's;
//! * eigenvector centrality: `λ·leaf = hub` and `λ·hub = n·leaf`: a leaf has `1 / √n` of the hub's.
//!
//! Nodes that cite nothing and are cited by nothing get the base, and change neither ratio.
//! The iterations stop as networkx does, some digits short of this; rows that state figures to
//! the last digit ask for more of them.

use serde_json::{Value, json};

use super::{DAY, Draft, NOW, draft};

pub(super) fn cases() -> Vec<Draft> {
    let mut cases = activity();
    cases.extend(folding());
    cases.extend(forms());
    cases.extend(relevance());
    cases.extend(measures());
    cases.extend(communities());
    cases.extend(recency());
    cases.extend(signals());
    cases
}

/// `vault` with this for its layer 3, iterating to the last digit.
fn exact(patch: Value) -> Value {
    let mut graph = json!({ "rounds": 1000, "tolerance": 1e-15 });
    super::lay_over(&mut graph, patch);
    json!({ "extends": "vault", "graph": graph })
}

/// A case with these citations; see [`super::Draft::edges`].
fn cited(name: &str, citations: &[(String, String)]) -> Draft {
    let pairs: Vec<(&str, &str)> = citations
        .iter()
        .map(|(from, to)| (from.as_str(), to.as_str()))
        .collect();
    draft(name).cites(&pairs)
}

/// Leaves `l01.md`, `l02.md`, … that cite `hub.md`.
fn star(name: &str, leaves: u32) -> Draft {
    let edge = |i| (format!("l{i:02}.md"), "hub.md".to_owned());
    let edges: Vec<(String, String)> = (1..=leaves).map(edge).collect();
    cited(name, &edges)
}

/// A star of ten, a leaf (chunk 1) found before the hub (chunk 2).
fn leaf_and_hub(name: &str) -> Draft {
    star(name, 10)
        .chunk(1, "l01.md", json!({}))
        .chunk(2, "hub.md", json!({}))
        .leg("vector", &[1, 2])
}

/// A path `p01.md` – `p02.md` – … of wikilinks.
fn path(name: &str, nodes: u32) -> Draft {
    let mut case = draft(name);
    for i in 1..nodes {
        case = case.links(&[(&format!("p{i:02}.md"), &format!("p{:02}.md", i + 1))]);
    }
    case
}

const PR: f64 = 1.0 / (1.0 + 0.85 * 10.0);

/// A leaf's centrality in a star of ten.
fn ec() -> f64 {
    1.0 / 10.0_f64.sqrt()
}

fn activity() -> Vec<Draft> {
    let vault = || json!({ "extends": "vault" });
    let found = |case: Draft| {
        let case = case.chunk(1, "l01.md", json!({}));
        let case = case.chunk(2, "hub.md", json!({}));
        case.leg("vector", &[1, 2]).profile(vault())
    };
    vec![
        found(star("links: nine citations are too few", 9))
            .fact("/ranking/graph/active", false)
            .fact("/ranking/graph/citations", 9)
            .item(1, "/trace/links", "inactive")
            .item(1, "/trace/relevance/weight", 0.6 + 0.25 + 0.15)
            .score(0, 1.0)
            .score(1, 0.0),
        found(star("links: ten citations are enough", 10))
            .fact("/ranking/graph/active", true)
            .fact("/ranking/graph/citations", 10)
            .item(1, "/trace/links", "cited")
            .item(1, "/trace/relevance/weight", 0.6),
        found(star(
            "links: repeated citations and self-citations do not count",
            9,
        ))
        .cites(&[
            ("l01.md", "hub.md"),
            ("l02.md", "l02.md"),
            ("hub.md", "hub.md"),
        ])
        .fact("/ranking/graph/active", false)
        .fact("/ranking/graph/citations", 9)
        .fact("/ranking/graph/links", 9),
        found(star("links: wikilinks do not make up for citations", 9))
            .links(&[("l01.md", "l02.md"), ("l03.md", "l04.md")])
            .fact("/ranking/graph/active", false)
            .fact("/ranking/graph/citations", 9)
            .fact("/ranking/graph/links", 11),
        found(star(
            "links: there and back are two citations, and one link",
            9,
        ))
        .cites(&[("hub.md", "l01.md")])
        .fact("/ranking/graph/active", true)
        .fact("/ranking/graph/citations", 10)
        .fact("/ranking/graph/links", 9),
        found(star(
            "links: a citation and a wikilink between two notes are one link",
            10,
        ))
        .links(&[("l01.md", "hub.md"), ("hub.md", "l02.md")])
        .fact("/ranking/graph/links", 10),
        found(star("links: how many are enough is the profile's", 3))
            .profile(exact(json!({ "min_citations": 3 })))
            .fact("/ranking/graph/active", true)
            .item(1, "/trace/page_rank/value", 1.0 / (1.0 + 0.85 * 3.0)),
        draft("links: an empty graph is not active, even where none are needed")
            .chunks(2)
            .leg("vector", &[1, 2])
            .profile(exact(json!({ "min_citations": 0 })))
            .fact("/ranking/graph/active", false)
            .item(1, "/trace/links", "inactive")
            .score(0, 1.0),
        draft("links: wikilinks alone act where no citations are needed")
            .chunks(2)
            .links(&[("n01.md", "n02.md")])
            .leg("vector", &[1, 2])
            .profile(exact(json!({ "min_citations": 0 })))
            .fact("/ranking/graph/active", true)
            .item(2, "/trace/links", "uncited")
            .score(0, 0.85 + 0.15)
            .score(1, 0.15),
    ]
}

/// What a note lacks goes back to relevance.
fn folding() -> Vec<Draft> {
    let case = |name: &str| {
        star(name, 10)
            .links(&[("friend.md", "hub.md")])
            .chunk(1, "friend.md", json!({}))
            .chunk(2, "lone.md", json!({}))
            .chunk(3, "absent.md", json!({}))
            .chunk(4, "hub.md", json!({}))
            .leg("vector", &[1, 2, 3, 4])
            .profile(exact(json!({})))
    };
    let with_lone = |name: &str| {
        let mut case = case(name);
        case.node("lone.md");
        case
    };
    let weights = |case: Draft, chunk: u32, links: &str, weights: [f64; 3]| {
        case.item(chunk, "/trace/links", links)
            .item(chunk, "/trace/relevance/weight", weights[0])
            .item(chunk, "/trace/page_rank/weight", weights[1])
            .item(chunk, "/trace/centrality/weight", weights[2])
    };
    let between = |rank: f64| (1.0 / rank - 1.0 / 64.0) / (1.0 / 61.0 - 1.0 / 64.0);
    vec![
        weights(
            with_lone("folding: a cited note is weighed 0.6, 0.25, 0.15"),
            4,
            "cited",
            [0.6, 0.25, 0.15],
        )
        .item(4, "/score", 0.25 + 0.15),
        weights(
            with_lone("folding: a linked note without citation gives β back"),
            1,
            "uncited",
            [0.6 + 0.25, 0.0, 0.15],
        )
        .item(1, "/score", 0.85 + 0.15 / 11.0_f64.sqrt()),
        weights(
            with_lone("folding: a note without any link gives β and γ back"),
            2,
            "unlinked",
            [0.6 + 0.25 + 0.15, 0.0, 0.0],
        )
        .item(2, "/score", between(62.0)),
        weights(
            with_lone("folding: a note that the graph does not hold gives β and γ back"),
            3,
            "unlinked",
            [0.6 + 0.25 + 0.15, 0.0, 0.0],
        )
        .item(3, "/score", between(63.0)),
        weights(
            with_lone("folding: weights need not add up to 1"),
            1,
            "uncited",
            [2.0 + 3.0, 0.0, 4.0],
        )
        .profile(exact(json!({ "alpha": 2, "beta": 3, "gamma": 4 })))
        .item(1, "/score", 5.0 + 4.0 / 11.0_f64.sqrt()),
        weights(
            with_lone("folding: with α 0 an unlinked note ranks on relevance still"),
            2,
            "unlinked",
            [0.25 + 0.15, 0.0, 0.0],
        )
        .profile(exact(json!({ "alpha": 0 })))
        .item(2, "/score", 0.4 * between(62.0)),
        case("folding: citing is enough, a note need not be cited")
            .chunk(5, "l01.md", json!({}))
            .leg("more", &[5])
            .item(5, "/trace/links", "cited"),
    ]
}

fn forms() -> Vec<Draft> {
    let share = (0.25 * PR + 0.15 * ec()) / (0.25 + 0.15);
    let bounded = |patch: Value| {
        let mut patch = patch;
        patch["mode"] = json!("bounded");
        exact(patch)
    };
    vec![
        leaf_and_hub("weighted: α·rel + β·pr + γ·ec")
            .profile(exact(json!({})))
            .order(&[1, 2])
            .score(0, 0.6 + 0.25 * PR + 0.15 * ec())
            .score(1, 0.25 + 0.15),
        leaf_and_hub("weighted: links can bury a passage")
            .profile(exact(json!({ "alpha": 0.1 })))
            .order(&[2, 1])
            .score(0, 0.25 + 0.15)
            .score(1, 0.1 + 0.25 * PR + 0.15 * ec()),
        leaf_and_hub("bounded: rel + strength · (β·pr + γ·ec) / (β + γ)")
            .profile(bounded(json!({ "strength": 0.2 })))
            .order(&[1, 2])
            .score(0, 1.0 + 0.2 * share)
            .score(1, 0.2),
        leaf_and_hub("bounded: links add at most the strength")
            .profile(bounded(
                json!({ "strength": 0.05, "beta": 100, "gamma": 50 }),
            ))
            .item(2, "/score", 0.05),
        leaf_and_hub("bounded: α does not matter")
            .profile(bounded(json!({ "alpha": 7 })))
            .item(1, "/trace/relevance/weight", 1.0)
            .item(1, "/score", 1.0 + 0.05 * share),
        leaf_and_hub("bounded: with β and γ 0 links add nothing")
            .profile(bounded(json!({ "beta": 0, "gamma": 0 })))
            .item(1, "/score", 1.0)
            .item(2, "/score", 0.0),
        leaf_and_hub("bounded: with strength 0 links add nothing")
            .profile(bounded(json!({ "strength": 0 })))
            .item(1, "/score", 1.0)
            .item(2, "/score", 0.0),
        leaf_and_hub("bounded: an unlinked note gains nothing and loses nothing")
            .chunk(3, "absent.md", json!({}))
            .leg("more", &[3])
            .profile(bounded(json!({})))
            .item(3, "/trace/relevance/weight", 1.0)
            .item(3, "/score", 1.0),
        leaf_and_hub("bounded: an uncited note gains by its centrality alone")
            .links(&[("friend.md", "hub.md")])
            .chunk(3, "friend.md", json!({}))
            .leg("more", &[3])
            .profile(bounded(json!({})))
            .item(3, "/score", 1.0 + 0.05 * 0.15 / 0.4 / 11.0_f64.sqrt()),
        leaf_and_hub("bounded: is what `balanced` does, with strength 0.05")
            .profile(json!({ "graph": { "rounds": 1000, "tolerance": 1e-15 } }))
            .order(&[1, 2])
            .score(0, 1.0 + 0.05 * share)
            .score(1, 0.05),
        leaf_and_hub("bounded: links break a tie")
            .leg("more", &[2, 1])
            .profile(bounded(json!({})))
            .order(&[2, 1])
            .score(0, 1.05),
        leaf_and_hub("off: links take no part, however many there are")
            .profile(exact(json!({ "mode": "off" })))
            .fact("/ranking/graph/active", false)
            .fact("/ranking/graph/citations", 10)
            .item(1, "/trace/links", "inactive")
            .item(1, "/trace/relevance/weight", 1.0)
            .score(0, 1.0)
            .score(1, 0.0),
    ]
}

fn relevance() -> Vec<Draft> {
    let rows = [
        (
            "cosine: relevance can be the cosine itself",
            json!(0.75),
            0.75,
        ),
        (
            "cosine: a chunk without one has relevance 0",
            Value::Null,
            0.0,
        ),
        ("cosine: a negative one is 0", json!(-0.5), 0.0),
        (
            "cosine: one that rounding put above 1 is 1",
            json!(1.000_000_1),
            1.0,
        ),
    ];
    let case = |(name, cosine, expected): (&str, Value, f64)| {
        draft(name)
            .chunk(1, "a.md", json!({ "cosine": cosine }))
            .chunk(2, "b.md", json!({ "cosine": 0.5 }))
            .leg("vector", &[1, 2])
            .profile(exact(json!({ "relevance": "cosine" })))
            .item(1, "/trace/relevance/value", expected)
            .item(1, "/score", expected)
            .item(2, "/score", 0.5)
    };
    let mut cases: Vec<Draft> = rows.into_iter().map(case).collect();
    cases.push(
        draft("cosine: it forgets fusion and decay")
            .set("domain", json!("finance"))
            .note(
                "a.md",
                json!({ "author": "ada", "published_at": NOW - DAY }),
            )
            .note(
                "b.md",
                json!({ "author": "ada", "published_at": NOW - 2 * DAY }),
            )
            .chunk(1, "a.md", json!({ "cosine": 0.25 }))
            .chunk(2, "b.md", json!({ "cosine": 0.5 }))
            .leg("vector", &[1, 2])
            .profile(exact(json!({ "relevance": "cosine" })))
            .order(&[2, 1])
            .item(2, "/trace/decayed", 0.6 / 62.0)
            .score(0, 0.5)
            .score(1, 0.25),
    );
    cases
}

/// The measures themselves, as the page shows them; nodes are listed by path.
fn measures() -> Vec<Draft> {
    let node = |i: usize, what: &str| format!("/graph/nodes/{i}/{what}");
    let all = |mut case: Draft, nodes: std::ops::Range<usize>, what: &str, value: f64| {
        for i in nodes {
            case = case.fact(&node(i, what), value);
        }
        case
    };
    let ring: Vec<(String, String)> = (0..10)
        .map(|i| (format!("r{i}.md"), format!("r{}.md", (i + 1) % 10)))
        .collect();
    let mut crossed = Vec::new();
    let mut uneven = Vec::new();
    for left in 1..=3 {
        for right in 1..=3 {
            crossed.push((format!("a{left}.md"), format!("b{right}.md")));
            if left <= 2 {
                uneven.push((format!("a{left}.md"), format!("b{right}.md")));
            }
        }
    }

    let star_of_ten = star("star: leaves have 1/9.5 and 1/√10 of the hub", 10);
    let star_of_ten = star_of_ten
        .profile(exact(json!({})))
        .fact(&node(0, "path"), "hub.md")
        .fact(&node(0, "page_rank"), 1.0)
        .fact(&node(0, "centrality"), 1.0);
    let star_of_ten = all(star_of_ten, 1..11, "page_rank", PR);
    let star_of_ten = all(star_of_ten, 1..11, "centrality", ec());

    let ring_of_ten = cited("ring: all notes are equal", &ring).profile(exact(json!({})));
    let ring_of_ten = all(ring_of_ten, 0..10, "page_rank", 1.0);

    let even = cited("bipartite: three by three does not oscillate", &crossed);
    let even = even
        .profile(exact(json!({})))
        .fact("/graph/facts/by_degree", false);
    let even = all(even, 0..3, "page_rank", 1.0 / 1.85);
    let even = all(even, 3..6, "page_rank", 1.0);

    // λ·left = 3·right and λ·right = 2·left.
    let two_by_three = cited("bipartite: two by three settles at √(2/3)", &uneven);
    let two_by_three = two_by_three
        .profile(exact(json!({})))
        .fact("/graph/facts/by_degree", false);
    let two_by_three = all(two_by_three, 0..2, "centrality", 1.0);
    let two_by_three = all(two_by_three, 2..5, "centrality", (2.0_f64 / 3.0).sqrt());

    let long = path(
        "path: thirty notes in a row do not converge, and go by degree",
        30,
    )
    .chunk(1, "p01.md", json!({}))
    .chunk(2, "p02.md", json!({}))
    .leg("vector", &[1, 2])
    .profile(json!({ "extends": "vault", "graph": { "min_citations": 0 } }))
    .fact("/ranking/graph/by_degree", true)
    .fact("/graph/facts/by_degree", true)
    .fact(&node(0, "centrality"), 0.5)
    .fact(&node(29, "centrality"), 0.5)
    .item(1, "/trace/centrality/value", 0.5)
    .item(2, "/trace/centrality/value", 1.0);
    let long = all(long, 1..29, "centrality", 1.0);

    let flat = star("damping 0: every note has the same PageRank", 10);
    let flat = flat.profile(exact(json!({ "damping": 0 })));

    let swapped = |name: &str, reversed: bool| {
        let mut edges: Vec<(String, String)> = (1..=10)
            .map(|i| (format!("l{i:02}.md"), "hub.md".to_owned()))
            .collect();
        edges.push(("hub.md".into(), "l01.md".into()));
        if reversed {
            edges.reverse();
        }
        // The hub keeps 0.15/11 and what the leaves send; l01 gets 0.85 of the hub besides.
        // Leaves l, first leaf f, hub h: f = l + 0.85·h and h = l + 0.85·(9·l + f).
        let hub = (1.0 + 0.85 * 10.0) / (1.0 - 0.85 * 0.85);
        cited(name, &edges)
            .profile(exact(json!({})))
            .fact(&node(0, "page_rank"), 1.0)
            .fact(&node(1, "page_rank"), (1.0 + 0.85 * hub) / hub)
            .fact(&node(2, "page_rank"), 1.0 / hub)
            .fact(&node(10, "page_rank"), 1.0 / hub)
    };

    vec![
        star_of_ten,
        star(
            "star: the default rounds come within networkx's tolerance",
            10,
        )
        .profile(json!({ "extends": "vault" }))
        .about(&node(1, "page_rank"), PR, 1e-4)
        .about(&node(1, "centrality"), ec(), 1e-4),
        all(ring_of_ten, 0..10, "centrality", 1.0),
        all(even, 0..6, "centrality", 1.0),
        two_by_three,
        long,
        // λ = √2: the middle is √2 times the ends.
        path("path: of three notes the middle is √2 times the ends", 3)
            .profile(exact(json!({})))
            .fact(&node(0, "centrality"), 1.0 / 2.0_f64.sqrt())
            .fact(&node(1, "centrality"), 1.0)
            .fact(&node(2, "centrality"), 1.0 / 2.0_f64.sqrt()),
        star("rounds: one is not enough to converge", 10)
            .profile(json!({ "graph": { "rounds": 1 } }))
            .fact("/graph/facts/by_degree", true)
            .fact(&node(0, "centrality"), 1.0)
            .fact(&node(1, "centrality"), 0.1),
        all(flat, 0..11, "page_rank", 1.0),
        star("damping 0.5: leaves have a sixth of the hub", 10)
            .profile(exact(json!({ "damping": 0.5 })))
            .fact(&node(1, "page_rank"), 1.0 / (1.0 + 0.5 * 10.0)),
        cited(
            "direction: the cited note gains, the citing one does not",
            &[],
        )
        .cites(&[("z.md", "a.md")])
        .profile(exact(json!({})))
        .fact(&node(0, "page_rank"), 1.0)
        .fact(&node(1, "page_rank"), 1.0 / 1.85)
        .fact(&node(1, "centrality"), 1.0),
        draft("direction: a note shares what it has among those it cites")
            .cites(&[("a.md", "b.md"), ("a.md", "c.md"), ("d.md", "c.md")])
            .profile(exact(json!({})))
            .fact(&node(0, "page_rank"), 1.0 / (1.0 + 0.425 + 0.85))
            .fact(&node(1, "page_rank"), (1.0 + 0.425) / (1.0 + 0.425 + 0.85))
            .fact(&node(2, "page_rank"), 1.0),
        draft("kinds: PageRank does not follow wikilinks")
            .links(&[("a.md", "b.md"), ("c.md", "b.md")])
            .profile(exact(json!({})))
            .fact(&node(0, "page_rank"), 1.0)
            .fact(&node(1, "page_rank"), 1.0)
            .fact(&node(1, "centrality"), 1.0)
            .fact(&node(0, "centrality"), 1.0 / 2.0_f64.sqrt()),
        draft("kinds: centrality counts a doubly linked pair once")
            .cites(&[("a.md", "b.md"), ("b.md", "a.md")])
            .links(&[("a.md", "b.md"), ("b.md", "c.md")])
            .profile(exact(json!({})))
            .fact(&node(0, "centrality"), 1.0 / 2.0_f64.sqrt())
            .fact(&node(2, "centrality"), 1.0 / 2.0_f64.sqrt()),
        // The pair's share shrinks by 2/3 a round against the triangle's.
        draft("islands: the smaller of two has next to no centrality")
            .links(&[("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "a.md")])
            .links(&[("x.md", "y.md")])
            .fact(&node(0, "centrality"), 1.0)
            .about(&node(3, "centrality"), 0.0, 1e-4)
            .about(&node(4, "centrality"), 0.0, 1e-4),
        draft("islands: a graph without any link ranks all its notes the same")
            .set(
                "graph",
                json!({ "nodes": ["b.md", "a.md"], "citations": [], "wikilinks": [] }),
            )
            .fact(&node(0, "path"), "a.md")
            .fact(&node(0, "page_rank"), 1.0)
            .fact(&node(0, "centrality"), 1.0)
            .fact(&node(1, "centrality"), 1.0),
        draft("islands: an empty graph has nothing to show")
            .fact("/graph/nodes", json!([]))
            .fact("/graph/facts/active", false),
        swapped("order: a hub that cites a leaf back", false),
        swapped(
            "order: nodes and edges in any order give the same measures",
            true,
        ),
    ]
}

fn communities() -> Vec<Draft> {
    let clique = |mut case: Draft, letter: &str, size: u32| {
        for a in 1..=size {
            for b in a + 1..=size {
                case = case.links(&[(&format!("{letter}{a}.md"), &format!("{letter}{b}.md"))]);
            }
        }
        case
    };
    let found = |mut case: Draft, expected: &[u32]| {
        for (i, community) in expected.iter().enumerate() {
            case = case.fact(&format!("/graph/nodes/{i}/community"), *community);
        }
        case
    };
    let pair = |name: &str, first: u32, second: u32| {
        let case = clique(clique(draft(name), "a", first), "b", second);
        case.links(&[("a1.md", "b1.md")])
    };
    vec![
        found(
            pair("communities: two cliques with one link between are two", 4, 4),
            &[0, 0, 0, 0, 1, 1, 1, 1],
        ),
        found(
            pair("communities: the largest is the first", 3, 5),
            &[1, 1, 1, 0, 0, 0, 0, 0],
        ),
        found(
            clique(draft("communities: a clique is one"), "a", 5),
            &[0, 0, 0, 0, 0],
        ),
        found(
            draft("communities: a note without links is one of its own").set(
                "graph",
                json!({ "nodes": ["a.md", "b.md", "c.md"], "citations": [[2, 1]], "wikilinks": [] }),
            ),
            &[1, 0, 0],
        ),
    ]
}

fn recency() -> Vec<Draft> {
    let rows = [
        (
            "recency: changed 29 days ago is a bonus",
            json!({ "modified_at": NOW - 29 * DAY }),
            0.05,
        ),
        (
            "recency: changed 30 days ago to the second still is",
            json!({ "modified_at": NOW - 30 * DAY }),
            0.05,
        ),
        (
            "recency: a second more is not",
            json!({ "modified_at": NOW - 30 * DAY - 1 }),
            0.0,
        ),
        (
            "recency: changed an hour ahead of this clock is",
            json!({ "modified_at": NOW + 3_600 }),
            0.05,
        ),
        (
            "recency: published lately is not changed lately",
            json!({ "published_at": NOW }),
            0.0,
        ),
        (
            "recency: an evergreen note gets it too",
            json!({ "modified_at": NOW, "evergreen": true }),
            0.05,
        ),
    ];
    let case = |(name, facts, bonus): (&str, Value, f64)| {
        draft(name)
            .note("a.md", facts)
            .chunk(1, "a.md", json!({}))
            .chunk(2, "b.md", json!({}))
            .leg("vector", &[2, 1])
            .profile(json!({ "extends": "vault" }))
            .item(1, "/trace/recency", bonus)
            .item(1, "/score", bonus)
            .item(2, "/score", 1.0)
    };
    let fresh_leaf = |name: &str| {
        star(name, 10)
            .note("l01.md", json!({ "modified_at": NOW }))
            .chunk(1, "l01.md", json!({}))
            .chunk(2, "hub.md", json!({}))
            .leg("vector", &[1, 2])
    };
    let mut cases: Vec<Draft> = rows.into_iter().map(case).collect();
    cases.extend([
        fresh_leaf("recency: it is added to the terms of links")
            .profile(exact(json!({})))
            .item(1, "/score", 0.6 + 0.25 * PR + 0.15 * ec() + 0.05),
        fresh_leaf("recency: its days and amount are the profile's")
            .profile(json!({
                "graph": { "mode": "off" }, "recency": { "days": 0, "amount": -0.5 },
            }))
            .item(1, "/score", 1.0 - 0.5),
        fresh_leaf("recency: an amount of 0 is none")
            .profile(json!({ "graph": { "mode": "off" }, "recency": { "amount": 0 } }))
            .item(1, "/score", 1.0),
    ]);
    cases
}

fn signals() -> Vec<Draft> {
    let rows = [
        (
            "signals: a note's number counts by its weight",
            json!({ "severity": 0.5 }),
            0.2 * 0.5,
        ),
        (
            "signals: several add up",
            json!({ "severity": 0.5, "tier": 3.0 }),
            0.2 * 0.5 + 0.1 * 3.0,
        ),
        (
            "signals: one that a note lacks adds nothing",
            json!({}),
            0.0,
        ),
        (
            "signals: a negative one takes away",
            json!({ "severity": -2.0 }),
            0.2 * -2.0,
        ),
        (
            "signals: a negative weight takes away",
            json!({ "noise": 1.5 }),
            -0.3 * 1.5,
        ),
        (
            "signals: one that the profile does not weigh adds nothing",
            json!({ "mood": 9.0 }),
            0.0,
        ),
    ];
    let case = |(name, signals, sum): (&str, Value, f64)| {
        draft(name)
            .note("a.md", json!({ "signals": signals }))
            .chunk(1, "a.md", json!({}))
            .chunk(2, "b.md", json!({}))
            .leg("vector", &[1, 2])
            .profile(json!({
                "extends": "vault",
                "signals": { "severity": 0.2, "tier": 0.1, "noise": -0.3, "mute": 0.0 },
            }))
            .item(1, "/score", 1.0 + sum)
            .item(2, "/score", 0.0)
    };
    let mut cases: Vec<Draft> = rows.into_iter().map(case).collect();
    cases.push(
        draft("signals: they can turn the order around")
            .note("b.md", json!({ "signals": { "severity": 7.0 } }))
            .chunk(1, "a.md", json!({}))
            .chunk(2, "b.md", json!({}))
            .leg("vector", &[1, 2])
            .profile(json!({ "extends": "vault", "signals": { "severity": 0.2 } }))
            .order(&[2, 1])
            .score(0, 0.2 * 7.0)
            .item(
                2,
                "/trace/signals",
                json!([
                    { "name": "severity", "term": { "value": 7.0, "weight": 0.2 } },
                ]),
            ),
    );
    cases
}
