"""How far the farthest vertex is, from a few searches."""

from anypair import Matrix, Vector, ewise_add, scatter
from anypair.algorithms.bfs import bfs_levels
from anypair.algorithms.checks import check_undirected, check_whole
from anypair.algorithms.components import connected_components
from anypair.semiring import maximum, minimum, plus


def diameter_bounds(graph: Matrix, sweeps: int = 16) -> tuple[int, int]:
    """A lower and an upper bound of the longest distance between two vertices that are connected.

    A search from a vertex of eccentricity e shows that one at distance d has an eccentricity of e -
    d or d at least, and of e + d at most (Takes and Kosters 2011). Searches begin in turn where the
    upper bound is greatest and where, of what may still be the farthest, the lower one is smallest,
    until the bounds meet (often after a few) or there were `sweeps`.

    >>> diameter_bounds(Matrix.from_edges([0, 1, 2], [1, 2, 3], symmetric=True))
    (3, 3)
    """
    check_undirected("diameter_bounds", graph)
    check_whole("diameter_bounds", "sweeps", sweeps, 0)
    n, sweep = graph.nrows, 0
    components = connected_components(graph)
    lower = Vector.full(n, 0, like=graph)
    upper = scatter(lower + 1, components, n, plus)[components] - 1  # no path has more vertices
    while n and sweep < sweeps and lower.max() < upper.max():
        start = lower.where((upper > lower.max()).true).argmin() if sweep % 2 else upper.argmax()
        levels = bfs_levels(graph, start)
        most = levels.max()
        lower = ewise_add(lower, ewise_add(levels, most - levels, maximum), maximum)
        upper = ewise_add(upper, levels + most, minimum)
        sweep += 1
    return (int(lower.max()), int(upper.max())) if n else (0, 0)
