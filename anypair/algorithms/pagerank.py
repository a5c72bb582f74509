"""PageRank by power iteration."""

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, reduce, vxm
from anypair.algorithms.checks import check_graph
from anypair.errors import InvalidValue, NotConverged
from anypair.semiring import (
    absolute,
    divide,
    identity,
    min_monoid,
    minus,
    plus,
    plus_monoid,
    plus_times,
    times,
)


def pagerank(graph: Matrix, damping: float = 0.85, tolerance: float = 1e-6, limit: int = 100) -> Vector:
    """The PageRank of every vertex; edge weights share a vertex's rank among its targets.

    Vertices without an out-edge give their rank to all. Stops when the ranks of an iteration
    differ from those before by less than n * tolerance in sum, as NetworkX does.

    >>> ranks = pagerank(Matrix.from_edges([0, 1, 2], [1, 2, 0]))
    >>> [round(rank, 3) for rank in ranks.to_dict().values()]
    [0.333, 0.333, 0.333]
    """
    check_graph("pagerank", graph)
    if not 0 <= damping <= 1:
        raise InvalidValue(f"pagerank: damping={damping!r} has to be between 0 and 1")
    if graph.nvals and (least := reduce(graph, min_monoid)) < 0:
        raise InvalidValue(f"pagerank: weight {least} is negative")
    n = graph.nrows
    ranks = Vector.full(n, 1 / max(n, 1), backend=graph.backend)
    weights = reduce(graph, plus_monoid, by="rows")
    for _ in range(limit):
        shares = ewise_mult(ranks, weights, divide)
        dangling = reduce(apply(ranks, identity, mask=~weights.structure), plus_monoid)
        base = (1 - damping + damping * dangling) / max(n, 1)
        following = Vector.full(n, base, backend=graph.backend)
        followed = apply(vxm(shares, graph, plus_times), times, right=damping)
        ewise_add(following, followed, plus, out=following)
        change = reduce(apply(ewise_add(following, ranks, minus), absolute), plus_monoid)
        ranks = following
        if change < n * tolerance or not n:
            return ranks
    raise NotConverged(f"pagerank: no convergence to {tolerance} within {limit} iterations")
