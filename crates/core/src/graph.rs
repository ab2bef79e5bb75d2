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
use crate::places::Places;
use crate::profile::{Graph, GraphMode};
use crate::ranking::{LinkState, Term};
use crate::score::Score;

/// A touched subgraph holds at most this many notes.
pub const TOUCHED_LIMIT: usize = 2_000;

/// Chooses the notes of a touched subgraph: the candidates' notes and their neighbours, by path.
///
/// `neighbours` come by path, each with the number of its links to candidates. Past [`TOUCHED_LIMIT`]
/// those with fewest are left out, and among equals those that come last.
#[must_use]
pub fn touched_nodes(
    candidates: &BTreeSet<String>,
    mut neighbours: Vec<(String, u32)>,
) -> Vec<String> {
    let left = TOUCHED_LIMIT.saturating_sub(candidates.len());
    if neighbours.len() > left {
        neighbours.sort_by_key(|&(_, links)| std::cmp::Reverse(links));
        neighbours.truncate(left);
    }
    let neighbours = neighbours.into_iter().map(|(path, _)| path);
    let candidates = candidates.iter().take(TOUCHED_LIMIT).cloned();
    let mut nodes: Vec<String> = candidates.chain(neighbours).collect();
    // Mostly two lists in order, which this sort only merges.
    nodes.sort();
    nodes
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

/// In order, each once: sorted by counting, first by the second end and then by the first.
fn distinct(edges: &[(u32, u32)], nodes: usize) -> Vec<(u32, u32)> {
    let mut sorted = by_counting(edges, nodes, |&(_, b)| b);
    sorted = by_counting(&sorted, nodes, |&(a, _)| a);
    sorted.dedup();
    sorted
}

/// By one of their ends; those that agree in it stay as they were.
fn by_counting(
    edges: &[(u32, u32)],
    nodes: usize,
    end: impl Fn(&(u32, u32)) -> u32,
) -> Vec<(u32, u32)> {
    let mut next = vec![0_usize; nodes + 1];
    for edge in edges {
        next[end(edge) as usize + 1] += 1;
    }
    for node in 1..next.len() {
        next[node] += next[node - 1];
    }
    let mut sorted = vec![(0, 0); edges.len()];
    for edge in edges {
        let next = &mut next[end(edge) as usize];
        sorted[*next] = *edge;
        *next += 1;
    }
    sorted
}

/// The subgraph in canonical form: nodes by path, distinct edges, no self-links.
pub(crate) struct LinkGraph {
    /// By path: the node's place in the bundle.
    pub(crate) nodes: Vec<u32>,
    /// From citing to cited.
    citations: Adjacency,
    /// From cited to citing.
    cited_by: Adjacency,
    /// Citations and wikilinks, each in both directions.
    pub(crate) links: Adjacency,
    /// Whether any citation touches the node.
    cited: Vec<bool>,
    pub(crate) citation_count: u32,
    pub(crate) link_count: u32,
}

impl LinkGraph {
    /// Of a subgraph that was checked, whose nodes stand at these places.
    pub(crate) fn new(subgraph: &Subgraph, nodes: &Places<&str>) -> Self {
        let place = nodes.ranks();
        let count = place.len();
        let placed = |edges: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let moved = edges
                .iter()
                .map(|&(a, b)| (place[a as usize], place[b as usize]));
            moved.filter(|(a, b)| a != b).collect()
        };

        let citations = distinct(&placed(&subgraph.citations), count);
        let mut links = placed(&subgraph.wikilinks);
        links.extend_from_slice(&citations);
        let back: Vec<(u32, u32)> = links.iter().map(|&(a, b)| (b, a)).collect();
        links.extend(back);
        let links = distinct(&links, count);
        let cited_by: Vec<(u32, u32)> = citations.iter().map(|&(a, b)| (b, a)).collect();
        let cited_by = by_counting(&cited_by, count, |&(to, _)| to);
        let mut cited = vec![false; count];
        for &(a, b) in &citations {
            cited[a as usize] = true;
            cited[b as usize] = true;
        }

        Self {
            nodes: nodes.in_order().collect(),
            cited,
            citation_count: dense(citations.len()),
            link_count: dense(links.len() / 2),
            citations: adjacency(&citations, count),
            cited_by: adjacency(&cited_by, count),
            links: adjacency(&links, count),
        }
    }

    /// PageRank by node; sums to 1.
    pub(crate) fn page_rank(&self, damping: f64, rounds: u32, tolerance: f64) -> Vec<f64> {
        let count = self.nodes.len();
        let uniform = 1.0 / as_f64(count);
        let mut rank = vec![uniform; count];
        let (mut shares, mut next) = (vec![0.0; count], vec![0.0; count]);
        for _ in 0..rounds {
            let mut dangling = 0.0;
            for (from, &mass) in rank.iter().enumerate() {
                let cited = self.citations.neighbors_slice(dense(from)).len();
                if cited == 0 {
                    dangling += mass;
                } else {
                    shares[from] = mass / as_f64(cited);
                }
            }
            let mut change = 0.0;
            for (to, next) in next.iter_mut().enumerate() {
                let mut mass = 0.0;
                for &from in self.cited_by.neighbors_slice(dense(to)) {
                    mass += shares[from as usize];
                }
                *next = damping * (mass + dangling * uniform) + (1.0 - damping) * uniform;
                change += (*next - rank[to]).abs();
            }
            std::mem::swap(&mut rank, &mut next);
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
        let mut next = vec![0.0; count];
        for _ in 0..rounds {
            let mut squares = 0.0;
            for (to, next) in next.iter_mut().enumerate() {
                let mut value = centrality[to];
                for &from in self.links.neighbors_slice(dense(to)) {
                    value += centrality[from as usize];
                }
                squares += value * value;
                *next = value;
            }
            let norm = squares.sqrt();
            let mut change = 0.0;
            for (value, last) in next.iter_mut().zip(&centrality) {
                *value /= norm;
                change += (*value - last).abs();
            }
            std::mem::swap(&mut centrality, &mut next);
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
    fn a_touched_subgraph_holds_candidates_and_their_neighbours_by_path() {
        let candidates = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let neighbours =
            [("aa", 1), ("y", 1), ("z", 2)].map(|(path, links)| (path.to_owned(), links));
        assert_eq!(
            touched_nodes(&candidates, neighbours.into()),
            ["a", "aa", "b", "y", "z"]
        );
    }

    #[test]
    fn a_touched_subgraph_is_cut_at_its_limit_by_ties_and_then_by_path() {
        let candidates = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        let far = |i: usize| format!("n{i:05}");
        let neighbours = (0..3_000).map(|i| (far(i), if i == 2_999 { 2 } else { 1 }));
        let nodes = touched_nodes(&candidates, neighbours.collect());
        assert_eq!(nodes.len(), TOUCHED_LIMIT);
        let tied = (0..TOUCHED_LIMIT - 3).map(far);
        let expected: Vec<String> = ["a".to_owned(), "b".to_owned()]
            .into_iter()
            .chain(tied)
            .chain([far(2_999)])
            .collect();
        assert_eq!(nodes, expected);
    }
}
