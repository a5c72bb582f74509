"""Counting triangles with masked matrix products."""

from anypair import Matrix, Vector, ewise_add, reduce, select
from anypair.algorithms.checks import check_undirected
from anypair.algorithms.oriented import oriented
from anypair.semiring import plus, plus_pair, strict_lower


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


def triangles_per_vertex(graph: Matrix) -> Vector:
    """How many triangles each vertex is a corner of; those of none have no entry.

    For L the edges from smaller to larger degrees (`oriented`) and U = L.T, C<U> = U U counts
    triangles by the edge between their first and last corner, B<L> = L U by that from the first to
    the middle one.

    >>> triangles_per_vertex(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetric=True)).to_dict()
    {0: 1, 1: 1, 2: 1}
    """
    check_undirected("triangles_per_vertex", graph)
    L = oriented(graph)
    U = L.T
    ends = plus_pair(U @ U, mask=U.structure)
    counts = reduce(ends, plus, by="rows")
    ewise_add(counts, reduce(ends, plus, by="columns"), plus, out=counts)
    middles = plus_pair(L @ U, mask=L.structure)
    return ewise_add(counts, reduce(middles, plus, by="columns"), plus, out=counts)
