//! The bundle that a narrower pool would have given, from a wider one.
//!
//! Finding candidates takes much longer than ranking them, so a question's bundle is gathered once,
//! wide, and cut for each profile that is tried. What is cut is exactly what would not have been
//! gathered: hits beyond the pool, passages and notes that no leg names any more, and the part of
//! the graph that only those touched.

use std::collections::{BTreeMap, BTreeSet};

use concord_core::{Bundle, Subgraph, graph};

/// The bundle with a pool of this size; none where the wider one's graph was cut at its limit, so
/// that it cannot tell which notes a narrower one would have kept.
pub(crate) fn narrowed(wide: &Bundle, pool: u32) -> Option<Bundle> {
    if wide.graph.nodes.len() >= graph::TOUCHED_LIMIT {
        return None;
    }
    let mut bundle = wide.clone();
    for leg in &mut bundle.legs {
        leg.hits.truncate(pool as usize);
    }
    let hits = bundle.legs.iter().flat_map(|leg| &leg.hits);
    let found: BTreeSet<u32> = hits.map(|hit| hit.chunk).collect();
    bundle.chunks.retain(|chunk| found.contains(&chunk.id));
    // Numbered anew, by note and place as before.
    let number: BTreeMap<u32, u32> = bundle
        .chunks
        .iter()
        .map(|chunk| chunk.id)
        .zip(0..)
        .collect();
    for chunk in &mut bundle.chunks {
        chunk.id = number[&chunk.id];
    }
    for hit in bundle.legs.iter_mut().flat_map(|leg| &mut leg.hits) {
        hit.chunk = number[&hit.chunk];
    }
    let paths: BTreeSet<String> = bundle
        .chunks
        .iter()
        .map(|chunk| chunk.note.clone())
        .collect();
    bundle.notes.retain(|note| paths.contains(&note.path));
    bundle.graph = touched(&wide.graph, &paths);
    Some(bundle)
}

/// The part of a graph that some notes touch: they, their neighbours, and the links among all these.
fn touched(wide: &Subgraph, paths: &BTreeSet<String>) -> Subgraph {
    let name = |place: u32| &wide.nodes[place as usize];
    let all = wide.citations.iter().chain(&wide.wikilinks);
    let mut neighbours: BTreeMap<&String, u32> = BTreeMap::new();
    for &(from, to) in all {
        for (near, far) in [(name(from), name(to)), (name(to), name(from))] {
            if paths.contains(near) && !paths.contains(far) {
                *neighbours.entry(far).or_default() += 1;
            }
        }
    }
    let neighbours = neighbours
        .into_iter()
        .map(|(path, links)| (path.clone(), links));
    let nodes = graph::touched_nodes(paths, neighbours.collect());
    let place: BTreeMap<&str, u32> = nodes.iter().map(String::as_str).zip(0..).collect();
    let kept = |edges: &[(u32, u32)]| {
        let placed = edges.iter().filter_map(|&(from, to)| {
            let from = place.get(name(from).as_str())?;
            Some((*from, *place.get(name(to).as_str())?))
        });
        let mut kept: Vec<(u32, u32)> = placed.collect();
        kept.sort_unstable();
        kept
    };
    Subgraph {
        citations: kept(&wide.citations),
        wikilinks: kept(&wide.wikilinks),
        nodes,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use concord_cache::Scope;
    use concord_cache::sync::Inventory;
    use concord_core::{Profile, Seconds};

    use super::*;
    use crate::collection::{Collection, Question};
    use crate::vault::Vault;
    use crate::vault::encoders::{Choice, Encoders};
    use crate::vault::step::Step;

    #[test]
    fn a_bundle_cut_down_is_the_one_that_a_narrower_pool_gathers() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-vault");
        let caches = tempfile::tempdir().unwrap();
        let vault = Vault::open(&sample).unwrap();
        let vault = vault.with_caches(caches.path().to_owned());
        let inventory = Inventory::of(&vault.root, &vault.settings.selection).unwrap();
        let domain = vault.chosen(Some("finance")).unwrap()[0];
        let step = Step {
            vault: &vault,
            inventory: &inventory,
            domain,
            choice: Choice::Words,
            anew: false,
            sentences: false,
            encoders: &Encoders::default(),
            stop: &AtomicBool::new(false),
        };
        step.take(&mut |_| {}).unwrap();
        let collection = Collection::open(&vault, domain, Err("by words".to_owned())).unwrap();

        let mut cut = 0;
        for query in [
            "NRTH margin and revenue",
            "Voltquay factory backlog",
            "Kestrel 2 seal",
        ] {
            let gathered = |pool: u32| {
                let mut profile = Profile::vault("finance");
                profile.limit = 1;
                profile.retrieve.pool_min = pool;
                let question = Question {
                    query: query.to_owned(),
                    profile,
                    scope: Scope::default(),
                    now: Seconds::from(1_790_000_000),
                };
                collection.bundle(&question).unwrap().0
            };
            let wide = gathered(100);
            for pool in [3, 7, 20, 100] {
                let narrow = gathered(pool);
                cut += usize::from(narrow != wide);
                assert_eq!(narrowed(&wide, pool), Some(narrow), "{query}, pool {pool}");
            }
        }
        assert!(cut >= 6, "little was cut: {cut}");
    }
}
