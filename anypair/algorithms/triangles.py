"""Counting triangles with one masked matrix product."""

from anypair import Matrix, select
from anypair.algorithms.checks import check_undirected
from anypair.semiring import plus_pair, strict_lower


def triangle_count(graph: Matrix) -> int:
    """How many triangles an undirected graph (a symmetric matrix) has; self-loops do not count.

    A graph that has an edge without its reverse is refused. For L the edges to smaller vertices,
    C<L> = L L counts at (i, j) the paths from i down to j that the edge (i, j) closes.

    >>> triangle_count(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetric=True))
    1
    """
    check_undirected("triangle_count", graph)
    L = select(graph, strict_lower)
    return int(plus_pair(L @ L, mask=L.structure).sum())
