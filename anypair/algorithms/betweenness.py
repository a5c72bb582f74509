"""Betweenness centrality by Brandes' algorithm, a batch of sources at a time."""

from collections.abc import Iterable, Sequence

import numpy as np

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, mxm, reduce, update
from anypair.algorithms.checks import check_graph, check_vertex
from anypair.algorithms.path_counts import scaled
from anypair.errors import InvalidValue, ResultOverflow
from anypair.semiring import divide, plus, plus_first, plus_monoid, times


def betweenness(graph: Matrix, sources: Iterable[int] | None = None, batch_size: int = 64) -> Vector:
    """For every vertex, the share of shortest paths between two others that run through it, summed.

    Paths from each of `sources` (all vertices by default) to every vertex, edges unweighted and
    directed; of a symmetric graph each pair is counted both ways. Vertices on no path have no entry.
    Numbers of paths beyond what a float holds are scaled; where those to vertices at one distance differ
    by more than its range, `ResultOverflow` is raised.

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
        try:
            dependencies = [_from_batch(graph, batch)]
        except ResultOverflow:  # numbers of paths from each source may have to be scaled by themselves
            dependencies = [_from_batch(graph, [source]) for source in batch]
        for dependency in dependencies:
            ewise_add(centrality, dependency, plus, out=centrality)
    return centrality


def _from_batch(graph: Matrix, sources: Sequence[int]) -> Vector:
    """The summed dependencies of the paths from these sources; row b belongs to sources[b]."""
    shape, rows = (len(sources), graph.nrows), np.arange(len(sources))
    frontier = Matrix.from_entries(rows, sources, 1.0, shape, like=graph)
    paths = frontier.copy()
    rings, scales, most = [], [], 1.0
    while True:
        most *= frontier.nvals
        # frontier<not yet reached> = frontier A: how many shortest paths lead to each new vertex
        frontier = mxm(frontier, graph, plus_first, mask=~paths.structure)
        if not frontier.nvals:
            break
        frontier, scale, most = scaled(frontier, most)
        rings.append(frontier)
        scales.append(scale)
        update(paths, frontier)
    if len(rings) < 2:
        return Vector.empty(graph.nrows, like=graph)
    # The share of each path that ends at a vertex, or runs through it, is (1 + its dependency) / its
    # paths; walking back, a ring hands its shares to the one before it, where they are added to its own.
    handed = Matrix.empty(shape, like=graph)
    shares = apply(rings.pop(), divide, left=1.0)
    while rings:
        if (scale := scales.pop()) != 1.0:
            shares = apply(shares, times, right=scale)
        inner = rings.pop()
        received = mxm(shares, graph.T, plus_first, mask=inner.structure)
        update(handed, received)
        shares = ewise_add(apply(inner, divide, left=1.0), received, plus)
    return reduce(ewise_mult(handed, paths, times), plus_monoid, by="columns")
