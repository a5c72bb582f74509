"""A maximal independent set, by Luby's algorithm."""

from anypair import Matrix, Vector, assign, mxv, vxm
from anypair.algorithms.checks import check_undirected, check_whole
from anypair.semiring import any_pair, max_select


def maximal_independent_set(graph: Matrix, seed: int = 1) -> Vector:
    """A set of vertices, True each, no two joined by an edge, to which no vertex can be added.

    Every vertex draws a number; those with the largest among their neighbours are taken, and their
    neighbours fall out (Luby 1986). All rounds share one draw, so the set is the one that is found by
    going through the vertices by falling numbers (Blelloch, Fineman and Shun 2012): the same on every
    backend. Loops do not count; a graph that has an edge without its reverse is refused.

    >>> star = Matrix.from_edges([0, 0, 0], [1, 2, 3], symmetric=True)
    >>> maximal_independent_set(star, seed=1).to_dict()
    {1: True, 2: True, 3: True}
    """
    check_undirected("maximal_independent_set", graph)
    check_whole("maximal_independent_set", "seed", seed, 0)
    chosen = Vector.empty(graph.nrows, bool, like=graph)
    left = Vector.random(graph.nrows, seed, int, like=graph)  # no two are equal
    while left.nvals:
        rivals = mxv(graph, left, max_select, mask=left.structure)
        winners = left.where(~(left < rivals).true)
        assign(chosen, True, mask=winners.structure)
        losers = vxm(winners, graph, any_pair, mask=left.structure)
        left = left.where(~(winners.structure | losers.structure))
    return chosen
