"""Modularity: how good communities are."""

from anypair import Matrix, Vector, reduce, scatter
from anypair.algorithms.checks import (
    check_communities,
    check_graph,
    check_number,
    check_weights,
)
from anypair.algorithms.moderate_weights import around_one
from anypair.semiring import eq, plus, second


def modularity(graph: Matrix, communities: Vector, resolution: float = 1.0) -> float:
    """The share of edges, by weight, within communities, above what chance would put there.

    Chance gives an edge from i to j the weight out(i) in(j) / all; it counts `resolution` times (Newman
    and Girvan 2004; Leicht and Newman 2008 where edges have a direction). A loop is one edge, from its
    vertex to itself. Between -1/2 and 1 for `resolution` 1, and 0 if nothing has weight.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetric=True)
    >>> round(modularity(two, Vector.from_numpy([0, 0, 0, 3, 3, 3])), 4)
    0.3571
    """
    check_graph("modularity", graph)
    check_weights("modularity", graph, negative=False)
    check_number("modularity", "resolution", resolution, 0, 1e300)
    check_communities("modularity", graph, communities)
    graph = around_one(graph).cast(float)
    if not (total := graph.sum()):
        return 0.0
    within = graph.scale(rows=communities, op=second).scale(columns=communities, op=eq)
    inside = graph.where(within.true).sum()
    leaving = scatter(reduce(graph, plus, by="rows"), communities, graph.nrows, plus)
    entering = scatter(reduce(graph, plus, by="columns"), communities, graph.nrows, plus)
    return float(inside / total - resolution * (leaving / total * (entering / total)).sum())
