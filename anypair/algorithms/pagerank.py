"""PageRank by power iteration."""

import math
from typing import Any

from anypair import Matrix, Vector, apply, ewise_add, reduce, select
from anypair.algorithms.checks import check_graph, check_iteration, check_number, check_weights
from anypair.algorithms.moderate_weights import of_moderate_weights
from anypair.errors import InvalidArgument, InvalidValue, NotConverged, SizeMismatch, UnsupportedDType
from anypair.semiring import is_true, one, plus, plus_monoid, plus_times


def pagerank(
    graph: Matrix,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    limit: int = 100,
    *,
    iterations: int | None = None,
    dtype: Any = float,
    personalization: Vector | None = None,
) -> Vector:
    """The PageRank of every vertex; edge weights share a vertex's rank among its targets.

    Vertices without an out-edge give their rank to all, or as `personalization` says: a vector of
    weights of the vertices where a surfer who stops following edges goes on, in place of all alike
    (Brin and Page 1998; Haveliwala 2002). Stops when the ranks of an iteration differ from those
    before by less than n * tolerance in sum, as NetworkX does; or, if that is given, after so many
    `iterations`. `dtype` is that of the ranks, float64 or float32.

    >>> ranks = pagerank(Matrix.from_edges([0, 1, 2], [1, 2, 0]))
    >>> [round(rank, 3) for rank in ranks.to_dict().values()]
    [0.333, 0.333, 0.333]
    """
    check_graph("pagerank", graph)
    check_number("pagerank", "damping", damping, 0, 1)
    check_iteration("pagerank", tolerance, limit, iterations)
    check_weights("pagerank", graph, negative=False)
    start = Vector.full(graph.nrows, 1 / max(graph.nrows, 1), dtype, like=graph)
    if start.dtype.kind != "f":
        raise UnsupportedDType(f"pagerank: dtype={dtype!r} has to be float64 or float32")
    restart = start if personalization is None else _shares(personalization, start)
    graph, n = of_moderate_weights(graph, start.dtype.name), graph.nrows
    if graph.dtype.kind != "b" and graph.dtype != start.dtype:
        graph = graph.cast(start.dtype)
    weights = select(reduce(graph, plus_monoid, by="rows"), is_true).cast(start.dtype)
    arrived: Vector = Vector.full(n, 0.0, dtype, like=graph)
    portions = arrived + damping / weights
    dangling = ~weights.structure  # also vertices whose edges weigh nothing
    sinks = apply(reduce(graph, plus_monoid, by="columns"), one, mask=dangling)
    given, base, ranks = 1.0, start, start  # ranks are given * base + arrived
    held, held_later = (damping * x.where(dangling).sum() for x in (start, restart))
    for _ in range(0 if not n else limit if iterations is None else iterations):
        idle = given * held + damping * (arrived * sinks).sum()
        sent = (given * base + arrived) * portions
        given, base, held = 1 - damping + idle, restart, held_later
        arrived = plus_times(sent @ graph)
        if iterations is None:
            before, ranks = ranks, given * base + arrived
            if abs(ranks - before).sum() < n * tolerance:
                return ranks.finish()
    if iterations is None and n:
        raise NotConverged(f"pagerank: no convergence to {tolerance} within {limit} iterations")
    return (given * base + arrived).finish()


def _shares(personalization: Vector, ranks: Vector) -> Vector:
    """What each vertex gets of all that is given back."""
    if not isinstance(personalization, Vector):
        raise InvalidArgument(f"pagerank: personalization has to be a Vector, not {personalization!r}")
    if personalization.size != ranks.size:
        raise SizeMismatch(
            f"pagerank: personalization of size {personalization.size} is not for {ranks.size} vertices"
        )
    total = personalization.cast(float).sum()
    if personalization.min() < 0 or (ranks.size and not 0 < total < math.inf):
        raise InvalidValue(
            f"pagerank: personalization has to be 0 or more and not only 0; its sum is {total}"
        )
    return ewise_add(0 * ranks, personalization / total, plus, out=0 * ranks)
