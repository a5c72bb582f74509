"""Hubs and authorities, by power iteration."""

from anypair import Matrix, Vector
from anypair.algorithms.checks import check_graph, check_iteration, check_weights
from anypair.algorithms.moderate_weights import around_one
from anypair.errors import NotConverged
from anypair.semiring import plus_times


def hits(graph: Matrix, tolerance: float = 1e-8, limit: int = 100) -> tuple[Vector, Vector]:
    """How good a hub and how good an authority every vertex is; either sum up to 1.

    Good hubs have edges to good authorities (Kleinberg 1999). Stops when the hubs of an iteration differ
    from those before by less than `tolerance` in sum. In a graph whose edges weigh nothing all are 0.

    >>> hubs, authorities = hits(Matrix.from_edges([0, 1, 1], [2, 2, 3]))
    >>> [round(x, 3) for x in hubs.to_dict().values()]
    [0.382, 0.618, 0.0, 0.0]
    """
    check_graph("hits", graph)
    check_iteration("hits", tolerance, limit)
    check_weights("hits", graph, negative=False)
    graph, n = around_one(graph), graph.nrows
    none = Vector.full(n, 0.0, like=graph)
    hubs = Vector.full(n, 1 / max(n, 1), like=graph)
    for _ in range(limit):
        authorities = none + plus_times(hubs @ graph)
        following = none + plus_times(graph @ authorities)
        if not (total := following.sum()):
            return none, none.copy()
        following = following / total
        if abs(following - hubs).sum() < tolerance:
            return following, authorities / authorities.sum()
        hubs = following
    raise NotConverged(f"hits: no convergence to {tolerance} within {limit} iterations")
