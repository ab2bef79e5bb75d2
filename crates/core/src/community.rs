//! Communities of the link graph, for display: the Louvain method, made deterministic.
//!
//! Nodes move to the neighbouring community with the greatest gain in modularity, in the order of
//! their paths, until none moves; communities then become nodes, and so on. With edge weights
//! counted in whole numbers the gain of moving node i into community c,
//! `2m · k_in(c) − tot(c) · k_i`, is a whole number too: there is no float to disagree about, and
//! a tie goes to the community of the lower number.

use std::collections::BTreeMap;

use crate::graph::{LinkGraph, dense};

/// Passes over all nodes in one level; modularity rises with each move, so this is only a guard.
const MAX_PASSES: usize = 100;

/// The community of each node, numbered by size, then by first node.
pub(crate) fn communities(graph: &LinkGraph) -> Vec<u32> {
    let count = graph.nodes.len();
    let mut level: Vec<BTreeMap<usize, i64>> = (0..count)
        .map(|node| {
            let near = graph.links.neighbors_slice(dense(node));
            near.iter().map(|&other| (other as usize, 1)).collect()
        })
        .collect();
    let mut member_of: Vec<usize> = (0..count).collect();
    loop {
        let community = move_nodes(&level);
        let (community, found) = numbered_from_zero(&community);
        for member in &mut member_of {
            *member = community[*member];
        }
        if found == level.len() {
            return by_size(&member_of, found);
        }
        level = merged(&level, &community, found);
    }
}

/// One level: the community of each node after no move helps any more.
fn move_nodes(level: &[BTreeMap<usize, i64>]) -> Vec<usize> {
    let mut degree = vec![0_i64; level.len()];
    let mut twice_all = 0;
    for (node, near) in level.iter().enumerate() {
        for weight in near.values() {
            degree[node] += weight;
            twice_all += weight;
        }
    }
    let mut community: Vec<usize> = (0..level.len()).collect();
    let mut total = degree.clone();

    for _ in 0..MAX_PASSES {
        let mut moved = false;
        for (node, near) in level.iter().enumerate() {
            let home = community[node];
            total[home] -= degree[node];
            let mut inside = BTreeMap::from([(home, 0_i64)]);
            for (&other, &weight) in near.iter().filter(|&(&other, _)| other != node) {
                *inside.entry(community[other]).or_default() += weight;
            }
            let gain = |to: usize, links: i64| twice_all * links - total[to] * degree[node];
            let mut best = (home, gain(home, inside[&home]));
            for (&to, &links) in &inside {
                if gain(to, links) > best.1 {
                    best = (to, gain(to, links));
                }
            }
            community[node] = best.0;
            total[best.0] += degree[node];
            moved |= best.0 != home;
        }
        if !moved {
            break;
        }
    }
    community
}

fn numbered_from_zero(community: &[usize]) -> (Vec<usize>, usize) {
    let mut numbers = BTreeMap::new();
    let mut renumbered = Vec::with_capacity(community.len());
    for &old in community {
        let next = numbers.len();
        renumbered.push(*numbers.entry(old).or_insert(next));
    }
    (renumbered, numbers.len())
}

/// Communities as nodes. A link inside one becomes a self-link, which counts from both ends.
fn merged(
    level: &[BTreeMap<usize, i64>],
    community: &[usize],
    count: usize,
) -> Vec<BTreeMap<usize, i64>> {
    let mut next = vec![BTreeMap::new(); count];
    for (node, near) in level.iter().enumerate() {
        for (&other, weight) in near {
            *next[community[node]].entry(community[other]).or_default() += weight;
        }
    }
    next
}

fn by_size(member_of: &[usize], count: usize) -> Vec<u32> {
    let mut size = vec![0_usize; count];
    for &community in member_of {
        size[community] += 1;
    }
    // Communities are numbered by their first node already, and the sort is stable.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&community| std::cmp::Reverse(size[community]));
    let mut place = vec![0; count];
    for (to, &from) in order.iter().enumerate() {
        place[from] = dense(to);
    }
    member_of
        .iter()
        .map(|&community| place[community])
        .collect()
}
