"""Communities by the Louvain method."""

import math

from anypair import Matrix, Vector, reduce, same, scatter, select, selection, update
from anypair.algorithms.checks import (
    check_equal_reverses,
    check_number,
    check_undirected,
    check_weights,
    check_whole,
)
from anypair.algorithms.moderate_weights import in_parts
from anypair.semiring import (
    maximum,
    minimum,
    off_diagonal,
    plus,
    plus_first,
    plus_second,
    second,
)

ENOUGH = 1e-3  # of modularity: what is more is a gain
PATIENCE = 5  # sweeps without one


def louvain(graph: Matrix, resolution: float = 1.0, seed: int = 1) -> Vector:
    """The community of every vertex, named by its smallest vertex, so that modularity is high.

    Vertices move to the community of a neighbour where modularity gains most, about half of them at a
    time so that no two change places, as long as it grows; then communities become the vertices of a
    smaller graph, and so on (Blondel, Guillaume, Lambiotte and Lefebvre 2008). Weights are rounded to
    2^-50 of their sum, so that no answer depends on the order of sums. A graph that does not have the
    reverse of each edge with the same weight is refused.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetric=True)
    >>> louvain(two).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 3}
    """
    check_undirected("louvain", graph)
    check_number("louvain", "resolution", resolution, 0, 1e6)
    check_whole("louvain", "seed", seed, 0)
    check_weights("louvain", graph, negative=False)
    check_equal_reverses("louvain", graph)
    n, level = graph.nrows, in_parts(graph)
    vertices = communities = Vector.range(n, like=graph)
    while level.nvals and not same(moved := _moved(level, resolution, seed), vertices):
        communities = moved[communities]
        members = selection(moved, n)
        level = plus_second(members.T @ plus_first(level @ members))
    named: Vector = scatter(vertices, communities, n, minimum)[communities]
    return named


def _moved(level: Matrix, resolution: float, seed: int) -> Vector:
    """The community of each vertex after moves of single vertices; all begin alone."""
    n, total, edges = level.nrows, level.sum(), select(level, off_diagonal)
    best = labels = Vector.range(n, like=level)
    strengths = reduce(level, plus, by="rows") + 0.0 * labels
    chances, highest, turn, since = resolution / total * strengths, -math.inf, 0, 0
    while turn <= since + PATIENCE:
        members = selection(labels, n)
        votes: Matrix = plus_first(edges @ members).finish()
        mine = reduce(votes.where(members.structure), plus, by="rows") + 0.0 * labels
        weights = scatter(strengths, labels, n, plus)
        height = (mine.sum() - resolution / total * (weights * weights).sum()) / total
        if height > highest + ENOUGH:
            best, highest, since = labels, height, turn
        gains = votes - votes.scale(rows=chances, op=second).scale(columns=weights)
        staying = mine - chances * (weights[labels] - strengths)
        gaining = (reduce(gains, maximum, by="rows") > staying).true
        if not gaining.handle.nvals:
            break
        coins = Vector.random(n, seed + turn, bool, like=level)
        moves = gains.argmax(by="rows").where(gaining & coins.true)
        labels, turn = update(labels.copy(), moves), turn + 1
    return best
