//! Layer 3: what links add.
//!
//! ```text
//! weighted:  score = α·rel + β·pr + γ·ec + bonus
//! bounded:   score = rel + strength · (β·pr + γ·ec) / (β + γ) + bonus
//! ```
//!
//! * `rel`: the decayed score, min-max scaled over the candidates (or, by profile, the cosine).
//! * `pr`: PageRank over the citations of the touched subgraph, divided by its maximum.
//! * `ec`: eigenvector centrality over citations and wikilinks, undirected, divided by its
//!   maximum; degree centrality where the iteration does not converge.
//!
//! Both are the power iterations of networkx, with its start, its normalisation and its stop
//! (sum of changes < nodes × tolerance), so that figures can be compared with it. The second
//! iterates `A + I`, since `A` alone oscillates on bipartite graphs. PageRank that has not
//! settled after the last round is taken as it stands: what is left is below `damping^rounds`.
//!
//! Links act only with at least `min_citations` distinct citations in the subgraph. A note without
//! citation gives β back to α, one without any link γ too, so that an uncited note ranks on
//! relevance alone; in the bounded form it gains nothing and loses nothing.
//!
//! Nodes are taken in the order of their paths and edges sorted, so the order in which a bundle
//! lists them cannot show in a single bit.

use std::collections::BTreeSet;

use petgraph::Directed;
use petgraph::csr::Csr;

use crate::bundle::Subgraph;
use crate::profile::{Graph, GraphMode};
use crate::ranking::{LinkState, Term};
use crate::score::Score;

/// A touched subgraph holds at most this many notes.
pub const TOUCHED_LIMIT: usize = 2_000;

/// Chooses the notes of a touched subgraph: the candidates' notes, and then their neighbours.
///
/// `neighbours` come by path, each with the number of its links to candidates. Past [`TOUCHED_LIMIT`]
/// those with fewest are left out, and among equals those that come last.
#[must_use]
pub fn touched_nodes(
    candidates: &BTreeSet<String>,
    mut neighbours: Vec<(String, u32)>,
) -> Vec<String> {
    neighbours.sort_by_key(|&(_, links)| std::cmp::Reverse(links));
    let neighbours = neighbours.into_iter().map(|(path, _)| path);
    let all = candidates.iter().cloned().chain(neighbours);
    all.take(TOUCHED_LIMIT).collect()
}

/// Neighbours by node, in order.
type Adjacency = Csr<(), (), Directed, u32>;

/// Of distinct edges in order.
fn adjacency(edges: &[(u32, u32)], nodes: usize) -> Adjacency {
    let mut graph = Csr::from_sorted_edges(edges).expect("edges come in order");
    while graph.node_count() < nodes {
        graph.add_node(());
    }
    graph
}

/// In order, each once.
fn distinct(mut edges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The subgraph in canonical form: nodes by path, distinct edges, no self-links.
pub(crate) struct LinkGraph {
    /// Paths, sorted.
    pub(crate) nodes: Vec<String>,
    /// From citing to cited.
    citations: Adjacency,
    /// Citations and wikilinks, each in both directions.
    pub(crate) links: Adjacency,
    /// Whether any citation touches the node.
    cited: Vec<bool>,
    pub(crate) citation_count: u32,
    pub(crate) link_count: u32,
}

impl LinkGraph {
    /// `subgraph` must have passed [`crate::Bundle::check`].
    pub(crate) fn new(subgraph: &Subgraph) -> Self {
        let mut order: Vec<usize> = (0..subgraph.nodes.len()).collect();
        order.sort_by_key(|&i| &subgraph.nodes[i]);
        let mut place = vec![0_u32; order.len()];
        for (to, &from) in order.iter().enumerate() {
            place[from] = dense(to);
        }
        let placed = |edges: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let moved = edges
                .iter()
                .map(|&(a, b)| (place[a as usize], place[b as usize]));
            moved.filter(|(a, b)| a != b).collect()
        };

        let citations = distinct(placed(&subgraph.citations));
        let mut links = placed(&subgraph.wikilinks);
        links.extend_from_slice(&citations);
        let back: Vec<(u32, u32)> = links.iter().map(|&(a, b)| (b, a)).collect();
        links.extend(back);
        let links = distinct(links);
        let mut cited = vec![false; order.len()];
        for &(a, b) in &citations {
            cited[a as usize] = true;
            cited[b as usize] = true;
        }

        Self {
            nodes: order
                .into_iter()
                .map(|i| subgraph.nodes[i].clone())
                .collect(),
            cited,
            citation_count: dense(citations.len()),
            link_count: dense(links.len() / 2),
            citations: adjacency(&citations, place.len()),
            links: adjacency(&links, place.len()),
        }
    }

    /// The node of a note, if it is in the subgraph.
    pub(crate) fn node(&self, path: &str) -> Option<u32> {
        let found = self.nodes.binary_search_by(|node| node.as_str().cmp(path));
        found.ok().map(dense)
    }

    /// PageRank by node; sums to 1.
    pub(crate) fn page_rank(&self, damping: f64, rounds: u32, tolerance: f64) -> Vec<f64> {
        let count = self.nodes.len();
        let uniform = 1.0 / as_f64(count);
        let mut rank = vec![uniform; count];
        for _ in 0..rounds {
            let mut next = vec![0.0; count];
            let mut dangling = 0.0;
            for (from, &mass) in rank.iter().enumerate() {
                let cited = self.citations.neighbors_slice(dense(from));
                if cited.is_empty() {
                    dangling += mass;
                    continue;
                }
                let share = mass / as_f64(cited.len());
                for &to in cited {
                    next[to as usize] += share;
                }
            }
            let mut change = 0.0;
            for (to, mass) in next.iter_mut().enumerate() {
                *mass = damping * (*mass + dangling * uniform) + (1.0 - damping) * uniform;
                change += (*mass - rank[to]).abs();
            }
            rank = next;
            if change < as_f64(count) * tolerance {
                break;
            }
        }
        rank
    }

    /// Eigenvector centrality by node, or none where the iteration does not converge.
    pub(crate) fn eigenvector_centrality(&self, rounds: u32, tolerance: f64) -> Option<Vec<f64>> {
        let count = self.nodes.len();
        let mut centrality = vec![1.0 / as_f64(count); count];
        for _ in 0..rounds {
            let mut next = centrality.clone();
            for (from, &value) in centrality.iter().enumerate() {
                for &to in self.links.neighbors_slice(dense(from)) {
                    next[to as usize] += value;
                }
            }
            let mut squares = 0.0;
            for value in &next {
                squares += value * value;
            }
            let norm = squares.sqrt();
            let mut change = 0.0;
            for (value, last) in next.iter_mut().zip(&centrality) {
                *value /= norm;
                change += (*value - last).abs();
            }
            centrality = next;
            if change < as_f64(count) * tolerance {
                return Some(centrality);
            }
        }
        None
    }

    /// The part of the other nodes that a node is linked with.
    pub(crate) fn degree_centrality(&self) -> Vec<f64> {
        let others = as_f64(self.nodes.len().saturating_sub(1).max(1));
        let degree = |node| self.links.neighbors_slice(dense(node)).len();
        (0..self.nodes.len())
            .map(|node| as_f64(degree(node)) / others)
            .collect()
    }

    /// The two measures, each divided by its maximum.
    pub(crate) fn measures(&self, graph: &Graph) -> Measures {
        let eigenvector = self.eigenvector_centrality(graph.rounds, graph.tolerance);
        let page_rank = self.page_rank(graph.damping, graph.rounds, graph.tolerance);
        Measures {
            page_rank: divided_by_maximum(&page_rank),
            by_degree: eigenvector.is_none(),
            centrality: divided_by_maximum(
                &eigenvector.unwrap_or_else(|| self.degree_centrality()),
            ),
        }
    }

    fn state(&self, node: Option<u32>) -> LinkState {
        match node {
            Some(node) if self.cited[node as usize] => LinkState::Cited,
            Some(node) if !self.links.neighbors_slice(node).is_empty() => LinkState::Uncited,
            _ => LinkState::Unlinked,
        }
    }
}

/// The graph's two measures by node, on [0, 1].
pub(crate) struct Measures {
    pub(crate) page_rank: Vec<Score>,
    pub(crate) centrality: Vec<Score>,
    /// The second is degree centrality, since the iteration did not converge.
    pub(crate) by_degree: bool,
}

fn divided_by_maximum(values: &[f64]) -> Vec<Score> {
    let values: Vec<Score> = values.iter().map(|&value| Score::new(value)).collect();
    let maximum = values.iter().max().map_or(0.0, |max| max.get());
    let share = |value: &Score| {
        if maximum == 0.0 {
            Score::ZERO
        } else {
            Score::new(value.get() / maximum)
        }
    };
    values.iter().map(share).collect()
}

/// The terms of one candidate's score.
pub(crate) struct Terms {
    pub(crate) links: LinkState,
    pub(crate) relevance: Term,
    pub(crate) page_rank: Term,
    pub(crate) centrality: Term,
}

/// Weighs a candidate's relevance and links; `measures` is none where links do not act.
pub(crate) fn terms(
    graph: &LinkGraph,
    measures: Option<&Measures>,
    profile: &Graph,
    node: Option<u32>,
    relevance: Score,
) -> Terms {
    let links = match measures {
        Some(_) => graph.state(node),
        None => LinkState::Inactive,
    };
    let value_at = |values: fn(&Measures) -> &[Score]| match (measures, node) {
        (Some(measures), Some(node)) => values(measures)[node as usize],
        _ => Score::ZERO,
    };
    let has_citation = links == LinkState::Cited;
    let has_link = has_citation || links == LinkState::Uncited;

    let (alpha, beta, gamma) = match profile.mode {
        GraphMode::Off => (1.0, 0.0, 0.0),
        GraphMode::Weighted => (profile.alpha, profile.beta, profile.gamma),
        GraphMode::Bounded => {
            let both = profile.beta + profile.gamma;
            let part = |weight: f64| {
                if both == 0.0 {
                    0.0
                } else {
                    profile.strength * weight / both
                }
            };
            (1.0, part(profile.beta), part(profile.gamma))
        }
    };
    let folds = profile.mode == GraphMode::Weighted;
    let mut relevance_weight = alpha;
    if folds && !has_citation {
        relevance_weight += beta;
    }
    if folds && !has_link {
        relevance_weight += gamma;
    }

    let term = |value, weight| Term {
        value,
        weight: Score::new(weight),
    };
    let absent = term(Score::ZERO, 0.0);
    Terms {
        links,
        relevance: term(relevance, relevance_weight),
        page_rank: if has_citation {
            term(value_at(|m| &m.page_rank), beta)
        } else {
            absent
        },
        centrality: if has_link {
            term(value_at(|m| &m.centrality), gamma)
        } else {
            absent
        },
    }
}

/// Positions of nodes and edges are u32: a bundle cannot hold more.
pub(crate) fn dense(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_subgraph_holds_candidates_first_and_then_the_neighbours_most_tied_to_them() {
        let candidates = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let neighbours =
            [("x", 1), ("y", 1), ("z", 2)].map(|(path, links)| (path.to_owned(), links));
        assert_eq!(
            touched_nodes(&candidates, neighbours.into()),
            ["a", "b", "z", "x", "y"]
        );
    }

    #[test]
    fn a_touched_subgraph_is_cut_at_its_limit_by_ties_and_then_by_path() {
        let candidates = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let far = |i: usize| format!("n{i:05}");
        let neighbours = (0..3_000).map(|i| (far(i), if i == 2_999 { 2 } else { 1 }));
        let nodes = touched_nodes(&candidates, neighbours.collect());
        assert_eq!(nodes.len(), TOUCHED_LIMIT);
        assert_eq!(nodes[..4], ["a", "b", "n02999", "n00000"]);
        assert_eq!(nodes.last(), Some(&far(TOUCHED_LIMIT - 4)));
    }
}
