//! Promises that hold for every bundle, tried on generated ones.

use concord_core::profile::{Decay, DecayMode, FuseMethod, GraphMode};
use concord_core::ranking::{DecayRule, LinkState};
use concord_core::{Bundle, Note, Prepared, Profile, Ranking, decay};
use concord_parity::generate;
use fastrand::Rng;
use serde_json::{Value, json};

const CASES: u64 = 3_000;

struct Asked {
    name: String,
    bundle: Bundle,
    profile: Profile,
}

/// Generated questions, as the core's own types.
fn asked() -> impl Iterator<Item = Asked> {
    (0..CASES).map(|index| {
        let case = generate::case(2, index);
        let bundle = Bundle::from_json(&case.bundle.to_string()).unwrap();
        let profile = Profile::from_patch(case.profile, &bundle.domain).unwrap();
        Asked {
            name: case.name,
            bundle,
            profile,
        }
    })
}

fn rank(bundle: &Bundle, profile: &Profile) -> Ranking {
    Prepared::new(bundle.clone())
        .unwrap()
        .rank(profile)
        .unwrap()
}

/// The ranking without its digest, which covers the bundle as it was written.
fn answer(bundle: &Bundle, profile: &Profile) -> Value {
    let mut ranking = rank(bundle, profile);
    ranking.digest.clear();
    json!(ranking)
}

#[test]
fn the_parts_of_a_trace_recompute_its_score_to_the_last_bit() {
    let mut items = 0;
    for Asked {
        name,
        bundle,
        profile,
    } in asked()
    {
        let ranking = rank(&bundle, &profile);
        for item in &ranking.items {
            let trace = &item.trace;
            let same = |what: &str, from_parts: f64, told: f64| {
                assert_eq!(
                    from_parts.to_bits(),
                    told.to_bits(),
                    "{name}: {what} of {}",
                    item.chunk
                );
            };
            let mut fused = 0.0;
            for leg in &trace.legs {
                if profile.fuse.method == FuseMethod::Rrf {
                    let contribution = leg.weight.get() / (profile.fuse.k + f64::from(leg.rank));
                    same("contribution", contribution, leg.contribution.get());
                }
                fused += leg.contribution.get();
            }
            same("fused", fused, trace.fused.get());
            same(
                "decayed",
                fused * trace.decay.weight.get(),
                trace.decayed.get(),
            );
            if profile.graph.relevance == concord_core::profile::Relevance::Fused {
                let (low, high) = (ranking.scale.low.get(), ranking.scale.high.get());
                let decayed = trace.decayed.get();
                let scaled = if low == high {
                    1.0
                } else {
                    (decayed - low) / (high - low)
                };
                same("relevance", scaled, trace.relevance.value.get());
            }
            let mut blended = trace.relevance.value.get() * trace.relevance.weight.get();
            blended += trace.page_rank.value.get() * trace.page_rank.weight.get();
            blended += trace.centrality.value.get() * trace.centrality.weight.get();
            blended += trace.recency.get();
            for signal in &trace.signals {
                blended += signal.term.value.get() * signal.term.weight.get();
            }
            same("blended", blended, trace.blended.get());
            same("score", trace.recompute().get(), item.score.get());
            if trace.cross.is_none() {
                same("score", blended, item.score.get());
            }
            items += 1;
        }
    }
    assert!(items > 10_000, "only {items} items");
}

#[test]
fn the_order_in_which_a_bundle_is_written_cannot_show() {
    for Asked {
        name,
        bundle,
        profile,
    } in asked()
    {
        let rng = &mut Rng::with_seed(3);
        let mut shuffled = bundle.clone();
        rng.shuffle(&mut shuffled.legs);
        rng.shuffle(&mut shuffled.chunks);
        rng.shuffle(&mut shuffled.notes);
        rng.shuffle(&mut shuffled.graph.citations);
        rng.shuffle(&mut shuffled.graph.wikilinks);
        let mut order: Vec<u32> = (0..).take(bundle.graph.nodes.len()).collect();
        rng.shuffle(&mut order);
        for (from, &to) in bundle.graph.nodes.iter().zip(&order) {
            shuffled.graph.nodes[to as usize] = from.clone();
        }
        let edges = [&mut shuffled.graph.citations, &mut shuffled.graph.wikilinks];
        for (from, to) in edges.into_iter().flatten() {
            (*from, *to) = (order[*from as usize], order[*to as usize]);
        }
        assert_eq!(
            answer(&shuffled, &profile),
            answer(&bundle, &profile),
            "{name}"
        );
    }
}

#[test]
fn equal_scores_are_ordered_by_note_and_place_and_not_by_the_leg() {
    for Asked {
        name,
        mut bundle,
        mut profile,
    } in asked()
    {
        // Every candidate alone in a leg of the same weight: all tie.
        let ids: Vec<u32> = bundle.chunks.iter().map(|chunk| chunk.id).collect();
        let leg = |id: &u32| json!({ "name": format!("leg {id}"), "hits": [{ "chunk": id, "score": 1 }] });
        bundle.legs = serde_json::from_value(ids.iter().map(leg).collect()).unwrap();
        profile = Profile {
            limit: 10_000,
            ..profile
        };
        profile.fuse.unit = concord_core::profile::FuseUnit::Chunk;
        profile.fuse.method = FuseMethod::Rrf;
        profile.fuse.other_weight = 1.0;
        profile.decay.mode = DecayMode::Off;
        profile.graph.mode = GraphMode::Off;
        profile.graph.relevance = concord_core::profile::Relevance::Fused;
        profile.recency.amount = 0.0;
        profile.signals.clear();
        profile.cross.weight = 0.0;
        profile.diversity.max_per_note = None;
        profile.diversity.max_per_page = None;
        profile.diversity.repeats = true;
        profile.budget.max_tokens = None;
        let mut expected: Vec<_> = bundle
            .chunks
            .iter()
            .map(|chunk| (chunk.note.clone(), chunk.ordinal, chunk.id))
            .collect();
        expected.sort();
        let expected: Vec<u32> = expected.into_iter().map(|(_, _, id)| id).collect();
        let found: Vec<u32> = rank(&bundle, &profile)
            .items
            .iter()
            .map(|item| item.chunk)
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn every_candidate_is_shown_once_or_dropped_once_and_both_lists_are_sorted() {
    for Asked {
        name,
        bundle,
        profile,
    } in asked()
    {
        let ranking = rank(&bundle, &profile);
        let shown = ranking.items.iter().map(|item| item.chunk);
        let mut all: Vec<u32> = shown
            .chain(ranking.dropped.iter().map(|d| d.chunk))
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(
            (all.len(), count),
            (ranking.candidates as usize, ranking.candidates as usize),
            "{name}"
        );
        assert!(
            ranking.items.is_sorted_by(|a, b| a.score >= b.score),
            "{name}"
        );
        assert!(
            ranking.dropped.is_sorted_by(|a, b| a.score >= b.score),
            "{name}"
        );
    }
}

#[test]
fn a_better_rank_in_a_leg_never_lowers_the_fused_score() {
    let mut moved = 0;
    for Asked {
        name,
        mut bundle,
        mut profile,
    } in asked()
    {
        profile.fuse.method = FuseMethod::Rrf;
        let fused = |bundle: &Bundle, id: u32| {
            let everything = Profile {
                limit: 10_000,
                ..profile.clone()
            };
            let mut everything = everything;
            everything.diversity.max_per_note = None;
            everything.diversity.max_per_page = None;
            everything.budget.max_tokens = None;
            everything.fuse.unit = concord_core::profile::FuseUnit::Chunk;
            let ranking = rank(bundle, &everything);
            ranking
                .items
                .iter()
                .find(|item| item.chunk == id)
                .map(|item| item.trace.fused)
        };
        let Some(leg) = bundle.legs.iter().position(|leg| leg.hits.len() > 1) else {
            continue;
        };
        let hits = &bundle.legs[leg].hits;
        let last = hits.len() - 1;
        let id = hits[last].chunk;
        let before = fused(&bundle, id);
        bundle.legs[leg].hits.swap(0, last);
        let after = fused(&bundle, id);
        assert!(after >= before, "{name}: {before:?} to {after:?}");
        moved += u32::from(after > before);
    }
    assert!(moved > 500, "only {moved} moves changed anything");
}

#[test]
fn what_a_note_lacks_in_links_goes_back_to_relevance() {
    let (mut folded, mut bounded) = (0, 0);
    for Asked {
        name,
        bundle,
        profile,
    } in asked()
    {
        let ranking = rank(&bundle, &profile);
        let graph = &profile.graph;
        for item in &ranking.items {
            let trace = &item.trace;
            let weights = [
                trace.relevance.weight,
                trace.page_rank.weight,
                trace.centrality.weight,
            ];
            let [alpha, beta, gamma] = weights.map(|weight| weight.get());
            match graph.mode {
                GraphMode::Off => assert_eq!([alpha, beta, gamma], [1.0, 0.0, 0.0], "{name}"),
                GraphMode::Weighted => {
                    let expected = match trace.links {
                        LinkState::Cited => [graph.alpha, graph.beta, graph.gamma],
                        LinkState::Uncited => [graph.alpha + graph.beta, 0.0, graph.gamma],
                        LinkState::Unlinked | LinkState::Inactive => {
                            [graph.alpha + graph.beta + graph.gamma, 0.0, 0.0]
                        }
                    };
                    assert_eq!([alpha, beta, gamma], expected, "{name}");
                    folded += 1;
                }
                GraphMode::Bounded => {
                    let added =
                        trace.page_rank.value.get() * beta + trace.centrality.value.get() * gamma;
                    assert!(
                        alpha == 1.0 && (0.0..=graph.strength * (1.0 + 1e-12)).contains(&added),
                        "{name}"
                    );
                    bounded += 1;
                }
            }
        }
    }
    assert!(
        folded > 1_000 && bounded > 1_000,
        "{folded} folded, {bounded} bounded"
    );
}

#[test]
fn a_newer_note_of_an_author_never_stands_lower_on_the_ladder() {
    let mut pairs = 0;
    for Asked {
        name,
        bundle,
        profile,
    } in asked()
    {
        let ladder = vec![1.0, 0.6, 0.45, 0.35, 0.25];
        let decay = Decay {
            mode: DecayMode::RankedGrouped,
            ladder,
            ..profile.decay
        };
        let notes: Vec<&Note> = bundle.notes.iter().collect();
        let weighed = decay::weigh(&notes, bundle.now, &decay);
        for (a, first) in notes.iter().zip(&weighed) {
            for (b, second) in notes.iter().zip(&weighed) {
                let on_one_ladder = first.rule == DecayRule::Ladder
                    && second.rule == DecayRule::Ladder
                    && first.group == second.group;
                let date = |note: &Note| note.published_at.or(note.modified_at).map(f64::from);
                if on_one_ladder && date(a) > date(b) {
                    assert!(
                        first.weight >= second.weight && first.position < second.position,
                        "{name}"
                    );
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs > 500, "only {pairs} pairs");
}

#[test]
fn worked_examples_of_reciprocal_rank_fusion_hold_to_nine_decimals() {
    // (rank by words, rank by meaning, sum), published with the systems that this one absorbs.
    let published = [
        (Some(3), Some(1), 0.032_266_458),
        (Some(1), Some(8), 0.031_099_325),
        (Some(7), Some(2), 0.031_054_405),
        (Some(2), Some(12), 0.030_017_921),
        (None, Some(3), 0.015_873_016),
        (Some(1), Some(1), 0.032_786_885),
        (Some(5), Some(5), 0.030_769_231),
        (Some(1), Some(5), 0.031_778_058),
    ];
    for (by_words, by_meaning, sum) in published {
        let leg = |name: &str, rank: Option<usize>| {
            let mut hits: Vec<Value> = (0..12)
                .map(|i| json!({ "chunk": i + 10, "score": 0 }))
                .collect();
            if let Some(rank) = rank {
                hits[rank - 1] = json!({ "chunk": 1, "score": 0 });
            }
            json!({ "name": name, "hits": hits })
        };
        let chunk = |id: usize| {
            json!({ "id": id, "note": "n", "ordinal": id, "section": "", "page": null, "text": "",
                    "cosine": null, "cross": null, "sentences": [] })
        };
        let chunks: Vec<Value> = (10..22).chain([1]).map(chunk).collect();
        let note = json!({ "path": "n", "title": "", "author": null, "published_at": null, "modified_at": null,
            "valid_from": null, "valid_until": null, "kind": null, "tags": [], "evergreen": false,
            "tier": null, "signals": {} });
        let bundle = json!({ "schema": 1, "query": "", "now": 0, "domain": "", "notes": [note], "chunks": chunks,
            "legs": [leg("lexical", by_words), leg("vector", by_meaning)],
            "graph": { "nodes": [], "citations": [], "wikilinks": [] },
            "corpus": { "chunks": 0, "model": null, "dimension": 0 } });
        let bundle = Bundle::from_json(&bundle.to_string()).unwrap();
        let patch = json!({ "limit": 100, "fuse": { "unit": "chunk", "method": "rrf",
            "weights": { "lexical": 1, "vector": 1 } } });
        let ranking = rank(&bundle, &Profile::from_patch(patch, "").unwrap());
        let item = ranking.items.iter().find(|item| item.chunk == 1).unwrap();
        let fused = item.trace.fused.get();
        assert!(
            (fused - sum).abs() < 5e-10,
            "{by_words:?} and {by_meaning:?}: {fused} against {sum}"
        );
    }
}
