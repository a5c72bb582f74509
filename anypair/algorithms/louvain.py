"""Communities by the Louvain method."""

from anypair import Matrix, Vector, reduce, scatter, select, selection, update
from anypair import semiring as s
from anypair.algorithms.checks import (
    check_equal_reverses,
    check_number,
    check_undirected,
    check_weights,
    check_whole,
)
from anypair.algorithms.moderate_weights import in_parts

ENOUGH = 1e-9  # of modularity: what is more is a gain
FEW = 32  # one of so many vertices; where fewer move, twice, a level is over
SWEEPS = 100  # of a level at most


def louvain(graph: Matrix, resolution: float = 1.0, seed: int = 1) -> Vector:
    """The community of every vertex, named by its smallest vertex, so that modularity is high.

    Vertices move to the community of a neighbour where modularity gains most, about half of them at a
    time so that few change places, until few move; then communities become the vertices of a smaller
    graph, and so on, as long as modularity grows (Blondel, Guillaume, Lambiotte and Lefebvre 2008).
    Weights are rounded to 2^-50 of their sum, so that no answer depends on the order of sums. A graph
    that does not have the reverse of each edge with the same weight is refused.

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
    while level.nvals:
        moved = _moved(level, resolution, seed)
        members = selection(moved, n)
        coarser = s.plus_second(members.T @ s.plus_first(level @ members))
        if _modularity(coarser, resolution) <= _modularity(level, resolution) + ENOUGH:
            break
        communities, level = moved[communities], coarser
    named: Vector = scatter(vertices, communities, n, s.minimum)[communities]
    return named


def _modularity(level: Matrix, resolution: float) -> float:
    """That of communities which are the vertices of this graph."""
    total = level.sum()
    shares = reduce(level, s.plus, by="rows") / total
    return float(select(level, s.diagonal).sum() / total - resolution * (shares * shares).sum())


def _moved(level: Matrix, resolution: float, seed: int) -> Vector:
    """The community of each vertex after moves of single vertices; all begin alone."""
    n, chance, edges = level.nrows, resolution / level.sum(), select(level, s.off_diagonal)
    labels = Vector.range(n, like=level)
    alone, none = reduce(level, s.plus, by="rows"), 0.0 * labels
    strengths, calm, turn = alone + none, 0, 0
    while calm < 2 and turn < SWEEPS:
        coins = Vector.random(n, seed + turn, bool, like=level).true
        asked = Vector.from_numpy(alone.where(coins).to_entries()[0], like=level)  # at most half of them
        own, strength = labels[asked], strengths[asked]
        inverse = 1 / strength
        weights = chance * (scatter(strengths, labels, n, s.plus) + none)
        votes = s.plus_first(edges[asked.to_entries()[1], :] @ selection(labels, n))
        mine = reduce(votes.where(selection(own, n).structure), s.plus, by="rows") + 0 * strength
        gains = votes.scale(rows=inverse, op=s.times).scale(columns=weights, op=s.minus)
        staying = inverse * mine - (weights[own] - chance * strength)
        gaining = (reduce(gains, s.maximum, by="rows") > staying).true
        moves = gains.argmax(by="rows").where(gaining)
        calm = calm + 1 if moves.nvals <= alone.nvals // FEW else 0
        labels, turn = update(labels.copy(), scatter(moves, asked, n, s.minimum)), turn + 1
    return labels
