//! The core against figures that another implementation made (`tests/reference/*.py`).

use concord_core::cite::{self, CitationCheck, Quotation};
use concord_core::{Bundle, Prepared, Profile};
use serde_json::{Value, json};

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A list of JSON objects, one a line inside brackets.
fn graphs() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../tests/reference/graphs.json")).unwrap()
}

fn bundle_with(graph: &Value) -> Bundle {
    let count = graph["nodes"].as_u64().unwrap();
    // Padded, so that the order by path is the order by number.
    let nodes: Vec<String> = (0..count).map(|node| format!("{node:05}.md")).collect();
    let bundle = json!({
        "schema": 1, "query": "", "now": 0, "domain": "", "legs": [], "chunks": [], "notes": [],
        "graph": { "nodes": nodes, "citations": graph["citations"], "wikilinks": graph["wikilinks"] },
        "corpus": { "chunks": 0, "model": null, "dimension": 0 },
    });
    Bundle::from_json(&bundle.to_string()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

fn divided_by_maximum(values: &[f64]) -> Vec<f64> {
    let maximum = values.iter().copied().fold(0.0, f64::max);
    let share = |value: &f64| if maximum == 0.0 { 0.0 } else { value / maximum };
    values.iter().map(share).collect()
}

#[test]
fn page_rank_and_centrality_agree_with_networkx() {
    let (mut checked, mut by_degree) = (0, 0);
    for graph in graphs() {
        let name = &graph["name"];
        let prepared = Prepared::new(bundle_with(&graph)).unwrap();
        let view = prepared.graph(&Profile::balanced()).unwrap();
        let degree = graph["centrality_by"] == "degree";
        assert_eq!(view.facts.by_degree, degree, "{name}: which centrality");
        let page_rank = divided_by_maximum(&numbers(&graph["pagerank"]));
        let centrality = divided_by_maximum(&numbers(&graph["centrality"]));
        for (i, node) in view.nodes.iter().enumerate() {
            let check = |what: &str, ours: f64, theirs: f64| {
                assert!(
                    (ours - theirs).abs() <= 1e-9,
                    "{name}: {what} of {i}: {ours} against {theirs}"
                );
            };
            check("PageRank", node.page_rank.get(), page_rank[i]);
            check("centrality", node.centrality.get(), centrality[i]);
        }
        checked += 1;
        by_degree += u32::from(degree);
    }
    assert!(
        checked >= 40 && by_degree >= 3,
        "{checked} graphs, {by_degree} by degree"
    );
}

/// Newman's modularity of a partition of a simple undirected graph.
fn modularity(edges: &[(usize, usize)], community: &[u32]) -> f64 {
    let all = edges.len() as f64;
    let communities = community.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut inside, mut degree) = (vec![0.0; communities], vec![0.0; communities]);
    for &(a, b) in edges {
        let (a, b) = (community[a] as usize, community[b] as usize);
        degree[a] += 1.0;
        degree[b] += 1.0;
        if a == b {
            inside[a] += 1.0;
        }
    }
    let mut sum = 0.0;
    for c in 0..communities {
        let share = degree[c] / (2.0 * all);
        sum += inside[c] / all - share * share;
    }
    sum
}

#[test]
fn communities_are_about_as_good_as_the_best_of_twenty_runs_of_networkx() {
    let mut checked = 0;
    for graph in graphs() {
        let Some(best) = graph["louvain_modularity"].as_f64() else {
            continue;
        };
        let mut edges = std::collections::BTreeSet::new();
        for kind in ["citations", "wikilinks"] {
            for pair in graph[kind].as_array().unwrap() {
                let (a, b) = (
                    pair[0].as_u64().unwrap() as usize,
                    pair[1].as_u64().unwrap() as usize,
                );
                if a != b {
                    edges.insert((a.min(b), a.max(b)));
                }
            }
        }
        let edges: Vec<_> = edges.into_iter().collect();
        let view = Prepared::new(bundle_with(&graph))
            .unwrap()
            .graph(&Profile::balanced())
            .unwrap();
        let community: Vec<u32> = view.nodes.iter().map(|node| node.community).collect();
        let ours = modularity(&edges, &community);
        // One fixed order of moves against the best of twenty random ones.
        assert!(
            ours >= best - 0.035,
            "{}: {ours} against {best}",
            graph["name"]
        );
        checked += 1;
    }
    assert!(checked >= 30, "{checked} graphs");
}

#[test]
fn citations_are_judged_as_the_python_reference_judges_them() {
    let cases = lines(include_str!("../../../tests/reference/citations.jsonl"));
    assert_eq!(cases.len(), 600);
    for case in cases {
        let quotation = Quotation {
            quote: case["quote"].as_str().map(str::to_owned),
            chunk: case["chunk"].as_str().map(str::to_owned),
        };
        let check = cite::verify(&quotation);
        let found = json!(check);
        assert_eq!(found["citation_reason"], case["citation_reason"], "{case}");
        assert_eq!(
            found["citation_verified"], case["citation_verified"],
            "{case}"
        );
        spans_hold(&quotation, &check);
    }
}

/// The text at the spans, taken for itself, is a quotation of the same.
fn spans_hold(quotation: &Quotation, check: &CitationCheck) {
    let chunk = quotation.chunk.as_deref().unwrap_or_default();
    let parts: Vec<&str> = check
        .spans
        .iter()
        .map(|&(a, b)| &chunk[a as usize..b as usize])
        .collect();
    assert_eq!(check.citation_verified, !parts.is_empty(), "{quotation:?}");
    if check.citation_verified {
        let cited = Quotation {
            quote: quotation.quote.clone(),
            chunk: Some(parts.join(" ")),
        };
        assert!(
            cite::verify(&cited).citation_verified,
            "{quotation:?}: {parts:?}"
        );
    }
}
