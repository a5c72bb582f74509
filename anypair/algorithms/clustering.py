"""How many of the neighbours of a vertex are neighbours of each other."""

from anypair import Matrix, Vector, ewise_add, ewise_mult, select
from anypair.algorithms.checks import check_undirected
from anypair.algorithms.triangles import triangles_per_vertex
from anypair.semiring import divide, gt, off_diagonal, plus, plus_pair


def local_clustering(graph: Matrix) -> Vector:
    """The share of the pairs of a vertex's neighbours that are joined; 0 where there is no pair.

    Triangles at each vertex, over pairs of neighbours (Watts and Strogatz 1998). Self-loops do not
    count.

    >>> local_clustering(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetric=True)).to_dict()
    {0: 1.0, 1: 1.0, 2: 0.3333333333333333, 3: 0.0}
    """
    check_undirected("local_clustering", graph)
    shares = ewise_mult(2 * triangles_per_vertex(graph), _ordered_pairs(graph), divide)
    return ewise_add(Vector.full(graph.nrows, 0.0, like=graph), shares, plus)


def average_clustering(graph: Matrix) -> float:
    """The mean of `local_clustering` over all vertices; 0 if there are none.

    >>> average_clustering(Matrix.from_edges([0, 1, 2], [1, 2, 0], n=4, symmetric=True))
    0.75
    """
    check_undirected("average_clustering", graph)
    return float(local_clustering(graph).sum()) / max(graph.nrows, 1)


def transitivity(graph: Matrix) -> float:
    """The share of all paths of two edges whose ends are joined; 0 if there are none.

    >>> transitivity(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetric=True))
    0.6
    """
    check_undirected("transitivity", graph)
    return 2 * int(triangles_per_vertex(graph).sum()) / max(int(_ordered_pairs(graph).sum()), 1)


def _ordered_pairs(graph: Matrix) -> Vector:
    """How many ordered pairs of neighbours each vertex has that has two or more."""
    ones = Vector.full(graph.nrows, 1, like=graph)
    degrees: Vector = plus_pair(select(graph, off_diagonal) @ ones)
    degrees = select(degrees, gt, right=1)
    return degrees * (degrees - 1)
