"""Graphs to run algorithms on: named ones, and Hypothesis-made ones, each as NetworkX and Matrix."""

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from anypair import Matrix
from anypair.graph500 import kronecker_edges

# The worked example of the SEI note (CMU/SEI-2014-TN-001, Fig. 2); vertex 7 has no edge.
SEI_EDGES = [(1, 6), (3, 1), (2, 8), (8, 4), (3, 0), (6, 3), (6, 2), (2, 5), (4, 3), (2, 4)]
SEI_SOURCE = 1
SEI_PARENTS = {0: 3, 1: 1, 2: 6, 3: 1, 4: 3, 5: 2, 6: 1, 8: 2}


def sei_graph() -> Matrix:
    """The example as an undirected graph on 9 vertices."""
    return Matrix.from_edges(*np.transpose(SEI_EDGES), n=9, symmetric=True)


def to_matrix(graph: Any, weight: str | None = None, dtype: Any = None) -> Matrix:
    """The adjacency matrix of a NetworkX graph whose vertices are 0 to n - 1."""
    edges = list(graph.edges(data=True))
    weights = [data[weight] for _, _, data in edges] if weight else None
    return Matrix.from_edges(
        [u for u, _, _ in edges],
        [v for _, v, _ in edges],
        weights,
        n=graph.number_of_nodes(),
        symmetric=not graph.is_directed(),
        dtype=dtype,
    )


def _kronecker(scale: int) -> Any:
    graph = nx.empty_graph(2**scale)
    graph.add_edges_from(np.transpose(kronecker_edges(scale, edgefactor=4)).tolist())
    return graph


def _with_self_loops(graph: Any) -> Any:
    graph.add_edges_from((v, v) for v in list(graph)[::2])
    return graph


def _sei() -> Any:
    graph = nx.empty_graph(9)
    graph.add_edges_from(SEI_EDGES)
    return graph


NAMED: dict[str, Any] = {
    "one vertex": nx.empty_graph(1),
    "one vertex with a loop": _with_self_loops(nx.empty_graph(1)),
    "no edges": nx.empty_graph(5),
    "one edge": nx.path_graph(2),
    "one directed edge": nx.path_graph(2, create_using=nx.DiGraph),
    "path": nx.path_graph(9),
    "directed path": nx.path_graph(9, create_using=nx.DiGraph),
    "cycle": nx.cycle_graph(8),
    "directed cycle": nx.cycle_graph(7, create_using=nx.DiGraph),
    "star": nx.star_graph(7),
    "complete": nx.complete_graph(6),
    "complete with loops": _with_self_loops(nx.complete_graph(5)),
    "complete bipartite": nx.complete_bipartite_graph(3, 4),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 5)),
    "binary tree": nx.balanced_tree(2, 3),
    "two components": nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(5)),
    "barbell": nx.barbell_graph(4, 2),
    "Petersen": nx.petersen_graph(),
    "karate club": nx.Graph(nx.karate_club_graph().edges()),
    "SEI example": _sei(),
    "Kronecker 5": _kronecker(5),
    "random": nx.gnp_random_graph(20, 0.15, seed=1),
    "random directed": nx.gnp_random_graph(15, 0.15, seed=2, directed=True),
    "random directed with loops": _with_self_loops(nx.gnp_random_graph(9, 0.3, seed=3, directed=True)),
    "scale-free": nx.barabasi_albert_graph(25, 2, seed=4),
}


@st.composite
def random_graphs(draw: Any, *, directed: bool | None = None, max_vertices: int = 9) -> Any:
    """A NetworkX graph with integer and float weights; loops, loose vertices and no edges included."""
    n = draw(st.integers(1, max_vertices))
    is_directed = draw(st.booleans()) if directed is None else directed
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=3 * n))
    graph = nx.empty_graph(n, create_using=nx.DiGraph if is_directed else nx.Graph)
    for u, v in edges:
        steps = draw(st.integers(0, 40))
        graph.add_edge(u, v, weight=steps / 4, steps=steps)
    return graph
