"""PageRank by power iteration."""

import math
from typing import Any

from anypair import Matrix, Vector, apply, select
from anypair.algorithms.checks import check_graph, check_number, check_weights
from anypair.algorithms.moderate_weights import of_moderate_weights
from anypair.errors import NotConverged, UnsupportedDType
from anypair.semiring import identity, is_true, plus_times


def pagerank(
    graph: Matrix,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    limit: int = 100,
    *,
    iterations: int | None = None,
    dtype: Any = float,
) -> Vector:
    """The PageRank of every vertex; edge weights share a vertex's rank among its targets.

    Vertices without an out-edge give their rank to all. Stops when the ranks of an iteration
    differ from those before by less than n * tolerance in sum, as NetworkX does; or, if that is given,
    after so many `iterations`. `dtype` is that of the ranks, float64 or float32.

    >>> ranks = pagerank(Matrix.from_edges([0, 1, 2], [1, 2, 0]))
    >>> [round(rank, 3) for rank in ranks.to_dict().values()]
    [0.333, 0.333, 0.333]
    """
    check_graph("pagerank", graph)
    check_number("pagerank", "damping", damping, 0, 1)
    check_weights("pagerank", graph, negative=False)
    if iterations is not None:
        check_number("pagerank", "iterations", iterations, 0, math.inf)
    ranks = Vector.full(graph.nrows, 1 / max(graph.nrows, 1), dtype, like=graph)
    if ranks.dtype.kind != "f":
        raise UnsupportedDType(f"pagerank: dtype={dtype!r} has to be float64 or float32")
    graph, n = of_moderate_weights(graph), graph.nrows
    if graph.dtype.kind != "b" and graph.dtype != ranks.dtype:
        graph = graph.cast(ranks.dtype)
    # what a vertex's edges weigh together; one whose edges weigh nothing is dangling
    weights = select(plus_times(graph @ Vector.full(n, 1.0, dtype, like=graph)), is_true)
    idle = apply(Vector.full(n, 1.0, dtype, like=graph), identity, mask=~weights.structure)
    for _ in range(limit if iterations is None else iterations):
        dangling = (ranks * idle).sum()
        base = Vector.full(n, (1 - damping + damping * dangling) / max(n, 1), dtype, like=graph)
        following: Vector = base + damping * plus_times((ranks / weights) @ graph)
        if iterations is None and abs(following - ranks).sum() < n * tolerance:
            return following
        ranks = following
    if iterations is None and n:
        raise NotConverged(f"pagerank: no convergence to {tolerance} within {limit} iterations")
    return ranks.finish()
