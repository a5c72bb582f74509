"""Betweenness centrality by Brandes' algorithm, a batch of sources at a time."""

from collections.abc import Iterable

import numpy as np

from anypair import Matrix, Vector, ewise_add
from anypair.algorithms.checks import check_graph, check_vertices, check_whole
from anypair.algorithms.dependencies import dependencies_of
from anypair.errors import InvalidArgument, ResultOverflow
from anypair.semiring import plus


def betweenness(
    graph: Matrix,
    sources: Iterable[int] | None = None,
    batch_size: int = 64,
    *,
    samples: int | None = None,
    seed: int = 0,
    normalized: bool = False,
) -> Vector:
    """For every vertex, the share of shortest paths between two others that run through it, summed.

    Paths from each of `sources` (all vertices by default) to every vertex, edges unweighted and
    directed; of a symmetric graph each pair is counted both ways. Vertices on no path have no entry.
    With `samples`, that many sources are drawn by `seed`, and stand for all: sums are scaled up (Brandes
    and Pich 2007). `normalized` divides by the number of ordered pairs of other vertices.
    Numbers of paths beyond what a float holds are scaled; where those to vertices at one distance differ
    by more than its range, `ResultOverflow` is raised.

    >>> betweenness(Matrix.from_edges([0, 1], [1, 2])).to_dict()
    {1: 1.0}
    """
    check_graph("betweenness", graph)
    check_whole("betweenness", "batch_size", batch_size, 1)
    n, scale = graph.nrows, 1.0
    chosen = range(n) if sources is None else check_vertices("betweenness", graph, sources)
    if samples is not None:
        check_whole("betweenness", "samples", samples, 1, max(n, 1))
        check_whole("betweenness", "seed", seed, 0)
        if sources is not None:
            raise InvalidArgument("betweenness: give sources or samples, not both")
        chosen = sorted(np.random.default_rng(seed).permutation(n)[:samples].tolist())
        scale = n / samples
    if normalized:
        scale /= max((n - 1) * (n - 2), 1)
    centrality = Vector.empty(n, like=graph)
    for begin in range(0, len(chosen), batch_size):
        batch = chosen[begin : begin + batch_size]
        try:
            dependencies = [dependencies_of(graph, batch)]
        except ResultOverflow:  # numbers of paths from each source may have to be scaled by themselves
            dependencies = [dependencies_of(graph, [source]) for source in batch]
        for dependency in dependencies:
            ewise_add(centrality, dependency, plus, out=centrality)
    return centrality if scale == 1 else centrality * scale
