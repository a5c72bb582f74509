"""What Brandes' algorithm sums up: the dependencies of shortest paths from some sources."""

from collections.abc import Sequence

import numpy as np

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, mxm, reduce, update
from anypair.algorithms.path_counts import scaled
from anypair.semiring import divide, plus, plus_first, plus_monoid, times


def dependencies_of(graph: Matrix, sources: Sequence[int]) -> Vector:
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
