"""Shortest paths from one vertex, over the semiring min_plus. Weights of True count as 1."""

import math
import sys

from anypair import Matrix, Vector, closure, reduce, select, update, vxm
from anypair.algorithms.checks import check_number, check_vertex, check_weights
from anypair.algorithms.improvements import improvements
from anypair.algorithms.path_lengths import PathLengths
from anypair.errors import ImprovingCycle, NegativeCycle, ResultOverflow
from anypair.semiring import ge, gt, le, lt, min_monoid


def bellman_ford(graph: Matrix, source: int) -> Vector:
    """The distance of every reached vertex from `source`; weights may be negative.

    The closure over min_plus. Lengths that int64, uint64 or float64 cannot hold raise `ResultOverflow`.

    >>> bellman_ford(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0]), 0).to_dict()
    {0: 0.0, 1: 4.0, 2: 7.0}
    """
    check_vertex("bellman_ford", graph, source)
    check_weights("bellman_ford", graph, negative=True)
    lengths = PathLengths(graph)
    try:
        distances = closure(lengths.from_source(source), lengths.graph, lengths.semiring)
    except ImprovingCycle as error:
        message = f"bellman_ford: a cycle of negative length can be reached from {source}"
        raise NegativeCycle(message, cycle=error.cycle) from None
    except ResultOverflow:
        message = f"bellman_ford: a length is below what {lengths.dtype} holds, or falls for ever; "
        raise ResultOverflow(f"{message}give smaller weights") from None
    return lengths.outward("bellman_ford", distances)


def delta_stepping(graph: Matrix, source: int, delta: float) -> Vector:
    """The distance of every reached vertex from `source`, in buckets of width `delta`.

    Edges up to `delta` are relaxed within a bucket until it settles, longer ones once afterwards
    (Meyer and Sanders). Weights may not be negative. Errors are those of `bellman_ford`, which is
    faster where a backend closes in buckets of its own (`jit`); this shows how they are written.

    >>> delta_stepping(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0]), 0, 5.0).to_dict()
    {0: 0.0, 1: 4.0, 2: 7.0}
    """
    check_vertex("delta_stepping", graph, source)
    check_number("delta_stepping", "delta", delta, math.ulp(0.0), math.inf)
    check_weights("delta_stepping", graph, negative=False)
    lengths = PathLengths(graph)
    width = min(delta, 2**64 if lengths.dtype.kind != "f" else sys.float_info.max)
    width = float(width) if lengths.dtype.kind == "f" else max(int(width), 1)  # so that sums are exact
    cut = min(width + lengths.zero, lengths.end)
    light, heavy = (select(lengths.graph, op, right=cut) for op in (le, gt))
    distances = lengths.from_source(source)
    waiting = distances.copy()
    while waiting.nvals:
        nearest = reduce(waiting, min_monoid)
        end = nearest + width
        within, beyond = light, heavy
        if end == nearest:  # the width rounds away, and so may edges that are longer
            end = math.nextafter(nearest, math.inf)
            within, beyond = lengths.graph, select(heavy, lt, right=0)
        is_last = end >= lengths.end
        bucket = waiting if is_last else select(waiting, lt, right=end)
        settled = Vector.empty(graph.nrows, distances.dtype, like=graph)
        while bucket.nvals:
            update(settled, bucket)
            improved = improvements(vxm(bucket, within, lengths.semiring), distances)
            update(distances, improved)
            bucket = improved if is_last else select(improved, lt, right=end)
        update(distances, improvements(vxm(settled, beyond, lengths.semiring), distances))
        if is_last:
            break
        waiting = select(distances, ge, right=end)
    return lengths.outward("delta_stepping", distances)
