"""PageRank by power iteration."""

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, mxv, reduce, select, vxm
from anypair.algorithms.checks import check_graph, check_number, check_weights
from anypair.algorithms.moderate_weights import of_moderate_weights
from anypair.errors import NotConverged
from anypair.semiring import (
    absolute,
    divide,
    identity,
    is_true,
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
    check_number("pagerank", "damping", damping, 0, 1)
    check_weights("pagerank", graph, negative=False)
    graph, n = of_moderate_weights(graph), graph.nrows
    ranks = Vector.full(n, 1 / max(n, 1), like=graph)
    # what a vertex's edges weigh together, as floats; one whose edges weigh nothing is dangling
    weights = select(mxv(graph, Vector.full(n, 1.0, like=graph), plus_times), is_true)
    for _ in range(limit):
        shares = ewise_mult(ranks, weights, divide)
        dangling = reduce(apply(ranks, identity, mask=~weights.structure), plus_monoid)
        base = (1 - damping + damping * dangling) / max(n, 1)
        following = Vector.full(n, base, like=graph)
        followed = apply(vxm(shares, graph, plus_times), times, right=damping)
        ewise_add(following, followed, plus, out=following)
        change = reduce(apply(ewise_add(following, ranks, minus), absolute), plus_monoid)
        ranks = following
        if change < n * tolerance or not n:
            return ranks
    raise NotConverged(f"pagerank: no convergence to {tolerance} within {limit} iterations")
