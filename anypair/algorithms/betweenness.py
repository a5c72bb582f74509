"""Betweenness centrality by Brandes' algorithm, a batch of sources at a time."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, mxm, reduce
from anypair.algorithms.checks import check_graph, check_vertex
from anypair.errors import InvalidValue, ResultOverflow
from anypair.semiring import divide, max_monoid, plus, plus_first, plus_monoid, second, times


def betweenness(graph: Matrix, sources: Iterable[int] | None = None, batch_size: int = 64) -> Vector:
    """For every vertex, the share of shortest paths between two others that run through it, summed.

    Paths from each of `sources` (all vertices by default) to every vertex, edges unweighted and
    directed; of a symmetric graph each pair is counted both ways. Vertices on no path have no entry.

    >>> betweenness(Matrix.from_edges([0, 1], [1, 2])).to_dict()
    {1: 1.0}
    """
    check_graph("betweenness", graph)
    if not isinstance(batch_size, int) or batch_size < 1:
        raise InvalidValue(f"betweenness: batch_size={batch_size!r} has to be 1 or more")
    if isinstance(sources, str) or not isinstance(sources, Iterable | None):
        raise InvalidValue(f"betweenness: sources={sources!r} is not a list of vertices")
    chosen = range(graph.nrows) if sources is None else list(sources)
    for vertex in () if sources is None else chosen:
        check_vertex("betweenness", graph, vertex, "sources")
    centrality = Vector.empty(graph.nrows, like=graph)
    for begin in range(0, len(chosen), batch_size):
        batch = chosen[begin : begin + batch_size]
        ewise_add(centrality, _from_batch(graph, batch), plus, out=centrality)
    return centrality


def _from_batch(graph: Matrix, sources: Sequence[int]) -> Vector:
    """The summed dependencies of the paths from these sources; row b belongs to sources[b]."""
    shape, rows = (len(sources), graph.nrows), np.arange(len(sources))
    frontier = Matrix.from_entries(rows, sources, 1.0, shape, like=graph)
    paths = frontier.copy()
    rings = []
    while True:
        # frontier<not yet reached> = frontier A: how many shortest paths lead to each new vertex
        frontier = mxm(frontier, graph, plus_first, mask=~paths.structure)
        if not frontier.nvals:
            break
        rings.append(frontier)
        ewise_add(paths, frontier, plus, out=paths)
    if reduce(paths, max_monoid) == math.inf:
        raise ResultOverflow("betweenness: a vertex has more shortest paths than float64 counts")
    # 1 + dependency of each reached vertex; walking back, a ring credits the one before it
    credit = apply(paths, second, right=1.0)
    dependency = Matrix.empty(shape, like=graph)
    for outer, inner in zip(rings[:0:-1], rings[-2::-1], strict=True):
        shares = ewise_mult(credit, paths, divide, mask=outer.structure)
        credited = mxm(shares, graph.T, plus_first, mask=inner.structure)
        gained = ewise_mult(credited, paths, times)
        ewise_add(credit, gained, plus, out=credit)
        ewise_add(dependency, gained, plus, out=dependency)
    return reduce(dependency, plus_monoid, by="columns")
