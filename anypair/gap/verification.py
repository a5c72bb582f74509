"""Answers checked by SciPy and NumPy, which share no code with any backend's kernels.

Each function says what is wrong with an answer, or nothing. They hold the whole graph on the host.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.gap.graphs import Graph
from anypair.matrix import Matrix
from anypair.vector import Vector

DAMPING = 0.85
ITERATIONS = 20  # of PageRank
CLOSE = 1e-6  # relative, of sums whose order is not ours


@lru_cache(maxsize=2)
def _csr(A: Matrix) -> Any:
    """The matrix for SciPy, unweighted edges as ones."""
    found = A.to_scipy().tocsr()
    return found.astype(np.float64)


def _levels(graph: Graph, source: int) -> Array:
    from scipy.sparse.csgraph import dijkstra

    return dijkstra(_csr(graph.structure), indices=source, unweighted=True)  # type: ignore[no-any-return]


def _spread(x: Vector, missing: Any) -> Array:
    return x.to_numpy(missing=missing)


def bfs(graph: Graph, parents: Vector, sources: list[int]) -> str:
    """A tree of the right levels, along edges that are there."""
    (source,) = sources
    levels, found = _levels(graph, source), _spread(parents, -1)
    if not np.array_equal(np.isfinite(levels), found >= 0):
        return "the vertices in the tree are not those that can be reached"
    if found[source] != source:
        return f"the root {source} has the parent {found[source]}"
    others = np.flatnonzero(found >= 0)
    others = others[others != source]
    above = found[others]
    if not (levels[above] + 1 == levels[others]).all():
        return "a parent is not one level above its child"
    rows = _csr(graph.structure)
    there = np.asarray(rows[above, others]).ravel() != 0
    return "" if there.all() else "the tree has an edge that the graph has not"


def sssp(graph: Graph, distances: Vector, sources: list[int]) -> str:
    """The lengths that Dijkstra's algorithm finds."""
    from scipy.sparse.csgraph import dijkstra

    expected = dijkstra(_csr(graph.weighted), indices=sources[0])
    found = _spread(distances.cast(float), np.inf)
    wrong = np.flatnonzero(found != expected)
    return (
        f"the distance of {wrong[0]} is {found[wrong[0]]}, not {expected[wrong[0]]}"
        if len(wrong)
        else ""
    )


def pagerank(graph: Graph, ranks: Vector, sources: list[int]) -> str:
    """As many iterations, one product after another."""
    A, n = _csr(graph.structure), graph.spec.vertices
    degrees = np.asarray(A.sum(axis=1)).ravel()
    expected = np.full(n, 1 / n)
    for _ in range(ITERATIONS):
        shares = np.divide(expected, degrees, out=np.zeros(n), where=degrees > 0)
        dangling = expected[degrees == 0].sum()
        expected = (1 - DAMPING + DAMPING * dangling) / n + DAMPING * (A.T @ shares)
    away = np.abs(_spread(ranks.cast(float), 0) - expected).sum()
    return "" if away < 1e-4 else f"the ranks are {away} away in sum"


def components(graph: Graph, labels: Vector, _: list[int]) -> str:
    """The parts that SciPy finds, each named by its smallest vertex."""
    from scipy.sparse.csgraph import connected_components

    count, parts = connected_components(_csr(graph.structure), directed=False)
    smallest = np.full(count, graph.spec.vertices)
    np.minimum.at(smallest, parts, np.arange(len(parts)))
    return "" if np.array_equal(_spread(labels, -1), smallest[parts]) else "the components are others"


def triangles(graph: Graph, count: int, _: list[int]) -> str:
    """The entries of L L inside L."""
    from scipy.sparse import tril

    L = tril(_csr(graph.structure), -1).tocsr()
    expected = 0
    for begin in range(0, L.shape[0], 1 << 12):  # in pieces: L L may be far larger than L
        some = L[begin : begin + (1 << 12)]
        expected += int((some @ L).multiply(some).sum())
    return "" if count == expected else f"{count} triangles instead of {expected}"


def betweenness(graph: Graph, found: Vector, sources: list[int]) -> str:
    """Brandes' algorithm on dense vectors, level by level."""
    A, n = _csr(graph.structure), graph.spec.vertices
    expected = np.zeros(n)
    for source in sources:
        levels = _levels(graph, source)
        deepest = int(levels[np.isfinite(levels)].max())
        paths = np.zeros(n)
        paths[source] = 1
        for level in range(1, deepest + 1):
            arrived = A.T @ np.where(levels == level - 1, paths, 0)
            paths[levels == level] = arrived[levels == level]
        credit = np.zeros(n)
        for level in range(deepest, 0, -1):
            here = levels == level
            shares = np.zeros(n)
            shares[here] = (1 + credit[here]) / paths[here]
            above = levels == level - 1
            credit[above] += (A @ shares)[above] * paths[above]
        credit[source] = 0
        expected += credit
    close = np.allclose(_spread(found, 0.0), expected, rtol=CLOSE, atol=CLOSE)
    return "" if close else "the centralities are others"
