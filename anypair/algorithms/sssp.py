"""Shortest paths from one vertex, over the semiring min_plus. Weights of True count as 1."""

import math

import numpy as np

from anypair import Matrix, Vector, apply, ewise_mult, reduce, select, update, vxm
from anypair.algorithms.checks import check_number, check_vertex, check_weights
from anypair.errors import NegativeCycle
from anypair.semiring import ge, gt, identity, le, logical_not, lt, min_monoid, min_plus


def bellman_ford(graph: Matrix, source: int) -> Vector:
    """The distance of every reached vertex from `source`; weights may be negative.

    Relaxes the edges of those vertices only whose distance has just become smaller.

    >>> bellman_ford(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0]), 0).to_dict()
    {0: 0.0, 1: 4.0, 2: 7.0}
    """
    check_vertex("bellman_ford", graph, source)
    check_weights("bellman_ford", graph, negative=True)
    distances = _start(graph, source)
    frontier = distances.copy()
    for _ in range(graph.nrows):
        frontier = _improvements(vxm(frontier, graph, min_plus), distances)
        if not frontier.nvals:
            return distances
        update(distances, frontier)
    raise NegativeCycle(f"bellman_ford: a cycle of negative length can be reached from {source}")


def delta_stepping(graph: Matrix, source: int, delta: float) -> Vector:
    """The distance of every reached vertex from `source`, in buckets of width `delta`.

    Edges up to `delta` are relaxed within a bucket until it settles, longer ones once afterwards
    (Meyer and Sanders). Weights may not be negative.

    >>> delta_stepping(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0]), 0, 5.0).to_dict()
    {0: 0.0, 1: 4.0, 2: 7.0}
    """
    check_vertex("delta_stepping", graph, source)
    check_number("delta_stepping", "delta", delta, math.ulp(0.0), math.inf)
    check_weights("delta_stepping", graph, negative=False)
    light, heavy = select(graph, le, right=delta), select(graph, gt, right=delta)
    distances = _start(graph, source)
    waiting = distances.copy()
    while waiting.nvals:
        nearest = reduce(waiting, min_monoid)
        end = max(nearest + delta, math.nextafter(nearest, math.inf))  # delta may round away
        bucket = select(waiting, lt, right=end)
        settled = Vector.empty(graph.nrows, distances.dtype, backend=graph.backend)
        while bucket.nvals:
            update(settled, bucket)
            improved = _improvements(vxm(bucket, light, min_plus), distances)
            update(distances, improved)
            bucket = select(improved, lt, right=end)
        update(distances, _improvements(vxm(settled, heavy, min_plus), distances))
        waiting = select(distances, ge, right=end)
    return distances


def _start(graph: Matrix, source: int) -> Vector:
    dtype = np.promote_types(graph.dtype, np.int64)
    return Vector.from_entries([source], [0], graph.nrows, dtype=dtype, backend=graph.backend)


def _improvements(offers: Vector, distances: Vector) -> Vector:
    """The offers that are less than the distance known so far, or are the first one."""
    useless = select(ewise_mult(offers, distances, lt), logical_not)
    return apply(offers, identity, mask=~useless.structure)
