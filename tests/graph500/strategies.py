"""Multigraphs with loops, repeated edges and loose vertices, and trees of them."""

from typing import Any

import networkx as nx
from hypothesis import strategies as st

from anypair.graph500 import EdgeList
from tests.graph500.oracles import Edges, graph_of

MAX_VERTICES = 9


@st.composite
def multigraphs(draw: Any, *, lightest: int = 0) -> tuple[int, Edges, int]:
    """How many vertices, the edges with weights in eighths, and a root."""
    n = draw(st.integers(1, MAX_VERTICES))
    vertex = st.integers(0, n - 1)
    weight = st.integers(lightest, 7).map(lambda eighths: eighths / 8)
    edges = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=3 * n))
    return n, edges, draw(vertex)


def edge_list(edges: Edges) -> EdgeList:
    return EdgeList([u for u, _, _ in edges], [v for _, v, _ in edges], [float(w) for _, _, w in edges])


def unit_weights(edges: Edges) -> Edges:
    return [(u, v, 1.0) for u, v, _ in edges]


@st.composite
def right_answers(draw: Any, n: int, edges: Edges, root: int) -> tuple[list[int], list[float]]:
    """A tree of shortest paths, any of those there are, and the distances; -1 for none."""
    paths = nx.single_source_dijkstra(graph_of(n, edges), root)
    distances = [paths[0].get(v, -1) for v in range(n)]
    parents = [-1] * n
    parents[root] = root
    left = {v for v in paths[0] if v != root}
    while left:
        offers = [
            (b, a)
            for u, v, w in edges
            for a, b in ((u, v), (v, u))
            if b in left and a not in left and distances[a] >= 0 and distances[a] + w == distances[b]
        ]
        child, parent = draw(st.sampled_from(offers))
        parents[child] = parent
        left.remove(child)
    return parents, distances
