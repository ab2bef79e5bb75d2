"""Makes graphs.json: PageRank, eigenvector centrality and modularity as networkx has them.

    pip install -r requirements.txt
    python graphs.py

One graph a line. Nodes are 0..nodes-1; `citations` are directed, `wikilinks` are not. PageRank
is over the citations, centrality and modularity over the undirected simple graph of both.
Nothing is divided by its maximum. `centrality_by` is "degree" where the power iteration has not
converged after 100 rounds. `louvain_modularity` is the best of 20 seeds, null without edges.

The lists hold distinct edges and no self-links, but for the two graphs that are named after the
opposite: there, and only there, the reader has to drop some.
"""

import json
import random
from pathlib import Path

import networkx as nx


def pairs(graph):
    """Each edge once, lower number first."""
    return sorted((min(edge), max(edge)) for edge in graph.edges)


def cited(name, graph):
    """Every edge a citation of the earlier note by the later."""
    return name, len(graph), [(later, earlier) for earlier, later in pairs(graph)], []


def wikilinked(name, graph):
    """Every edge a wikilink."""
    return name, len(graph), [], pairs(graph)


def mixed(name, graph, share, seed):
    """This share of the edges citations, directed by a coin; the others wikilinks."""
    rng = random.Random(seed)
    edges = pairs(graph)
    rng.shuffle(edges)
    cut = int(share * len(edges))
    citations = [edge if rng.random() < 0.5 else edge[::-1] for edge in edges[:cut]]
    return name, len(graph), sorted(citations), sorted(edges[cut:])


def two_cliques(first, second):
    """Two complete graphs that do not touch."""
    return nx.disjoint_union(nx.complete_graph(first), nx.complete_graph(second))


def cases():
    """Yields (name, nodes, citations, wikilinks)."""
    # The smallest.
    yield "single_node", 1, [], []
    yield "no_edges_at_all", 5, [], []
    yield "one_citation", 2, [(0, 1)], []
    yield "one_wikilink", 2, [], [(0, 1)]
    yield "citation_both_ways", 3, [(0, 1), (1, 0), (1, 2)], []
    yield "parallel_citation_and_wikilink_collapse", 4, [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2)]
    yield (
        "duplicate_edges_collapse",
        5,
        [(0, 1), (0, 1), (1, 2), (2, 1), (3, 2), (0, 1)],
        [(3, 4), (4, 3), (3, 4), (0, 1), (1, 0)],
    )
    yield (
        "self_links_are_dropped",
        5,
        [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (4, 4)],
        [(2, 2), (2, 3), (4, 4)],
    )

    # Where PageRank has corners: sinks, sources, traps.
    yield "star", 12, [(leaf, 0) for leaf in range(1, 12)], []
    yield "star_whose_hub_cites_all", 12, [(0, leaf) for leaf in range(1, 12)], []
    yield "dangling_sink", 6, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (1, 5), (5, 4)], []
    yield "every_cited_note_dangles", 9, [(a, b) for a in range(3) for b in range(3, 9)], []
    yield "chain_into_a_cycle", 8, [(node, node + 1) for node in range(7)] + [(7, 3)], []
    yield "two_traps_fed_by_one_source", 5, [(0, 1), (0, 3), (1, 2), (2, 1), (3, 4), (4, 3)], []
    yield "cycle", 7, [(node, (node + 1) % 7) for node in range(7)], []
    yield "complete_both_ways", 6, [(a, b) for a in range(6) for b in range(6) if a != b], []
    layers = [(note, note // 6 * 6 + below) for note in range(18) for below in (6, 8, 11)]
    yield "layers_cite_the_next", 24, layers, []

    # Where eigenvector centrality has corners: bipartite, regular, disconnected.
    yield cited("bipartite_k33", nx.complete_bipartite_graph(3, 3))
    yield wikilinked("bipartite_k27_by_wikilinks", nx.complete_bipartite_graph(2, 7))
    yield wikilinked("even_cycle_by_wikilinks", nx.cycle_graph(8))
    yield cited("hypercube_of_16", nx.convert_node_labels_to_integers(nx.hypercube_graph(4)))
    yield mixed("petersen", nx.petersen_graph(), 0.5, seed=1)
    yield cited("complete_graph", nx.complete_graph(10))
    yield mixed("wheel", nx.wheel_graph(11), 0.6, seed=2)
    yield "isolated_nodes_beside_a_triangle", 7, [(1, 3), (3, 5), (5, 1)], []
    yield cited("two_disconnected_cliques", two_cliques(6, 6))
    yield cited("two_disconnected_cliques_of_8_and_5", two_cliques(8, 5))

    # Around the hundredth round.
    yield cited("path_of_10", nx.path_graph(10))
    yield cited("tadpole_converges_in_round_100", nx.tadpole_graph(3, 11))
    yield cited("cliques_would_converge_in_round_101", two_cliques(10, 11))
    yield cited("path_of_20", nx.path_graph(20))
    yield cited("path_of_200", nx.path_graph(200))
    yield mixed("ladder_of_2_by_12", nx.ladder_graph(12), 0.5, seed=3)
    yield mixed("ladder_of_2_by_30", nx.ladder_graph(30), 0.5, seed=3)
    yield cited("symmetric_barbell_is_quick", nx.barbell_graph(10, 8))
    lopsided = two_cliques(25, 24)
    lopsided.add_edge(24, 25)
    yield cited("lopsided_barbell_is_slow", lopsided)

    # What a vault looks like.
    yield cited("binary_tree_of_63", nx.balanced_tree(2, 5))
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8))
    yield mixed("grid_of_8_by_8", grid, 0.5, seed=4)
    karate = pairs(nx.karate_club_graph())
    yield "karate_club", 34, [(later, earlier) for earlier, later in karate[::3]], karate
    yield wikilinked("caveman_communities_by_wikilinks", nx.connected_caveman_graph(6, 7))
    small_world = nx.watts_strogatz_graph(100, 4, 0.2, seed=5)
    yield wikilinked("small_world_by_wikilinks_100", small_world)
    mixture = nx.gnm_random_graph(150, 600, seed=6)
    yield mixed("three_citations_to_one_wikilink_150", mixture, 0.75, seed=6)
    yield cited("erdos_renyi_dense_60", nx.gnp_random_graph(60, 0.3, seed=7))
    yield mixed("erdos_renyi_sparse_300", nx.gnp_random_graph(300, 0.005, seed=8), 0.5, seed=8)
    yield cited("barabasi_200", nx.barabasi_albert_graph(200, 3, seed=9))
    large = nx.gnm_random_graph(1000, 5000, seed=10)
    yield mixed("random_1000_nodes_5000_edges", large, 0.7, seed=10)


def figures(name, nodes, citations, wikilinks):
    directed, undirected = nx.DiGraph(), nx.Graph()
    for graph, edges in [(directed, citations), (undirected, citations + wikilinks)]:
        graph.add_nodes_from(range(nodes))
        graph.add_edges_from((a, b) for a, b in edges if a != b)

    pagerank = nx.pagerank(directed, alpha=0.85, max_iter=100, tol=1e-6)
    try:
        centrality = nx.eigenvector_centrality(undirected, max_iter=100, tol=1e-6)
        centrality_by = "eigenvector"
    except nx.PowerIterationFailedConvergence:
        centrality = nx.degree_centrality(undirected)
        centrality_by = "degree"

    return {
        "name": name,
        "nodes": nodes,
        "citations": citations,
        "wikilinks": wikilinks,
        "pagerank": [pagerank[node] for node in range(nodes)],
        "centrality": [centrality[node] for node in range(nodes)],
        "centrality_by": centrality_by,
        "louvain_modularity": best_modularity(undirected),
    }


def best_modularity(graph):
    if not graph.edges:
        return None
    partitions = (nx.community.louvain_communities(graph, seed=seed) for seed in range(20))
    return max(nx.community.modularity(graph, partition) for partition in partitions)


def main():
    lines = [json.dumps(figures(*case), separators=(",", ":")) for case in cases()]
    path = Path(__file__).with_name("graphs.json")
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
