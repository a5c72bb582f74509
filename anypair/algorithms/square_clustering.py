"""How many of the squares that might be there at a vertex are there."""

from typing import Any

from anypair import (
    Matrix,
    Vector,
    apply,
    assign,
    ewise_add,
    ewise_mult,
    extract,
    mxm,
    reduce,
    select,
    unary_op,
)
from anypair.algorithms.checks import check_undirected, check_whole
from anypair.algorithms.triangles import triangles_per_vertex
from anypair.semiring import divide, gt, off_diagonal, plus, plus_pair, plus_second


@unary_op(result=int)
def pairs(count: Any) -> Any:
    """How many pairs there are of so many."""
    return count * (count - 1) // 2


def square_clustering(graph: Matrix, batch_size: int = 256) -> Vector:
    """The share of the squares at a vertex that might be there; 0 where there might be none.

    Two neighbours of a vertex make a square with each other vertex that both are joined to, of all
    that either is joined to (Zhang et al. 2008). Two vertices with c common neighbours are opposite
    corners of c (c - 1) / 2 squares; these are counted for `batch_size` vertices at a time.
    Self-loops do not count.

    >>> square = Matrix.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetric=True)
    >>> square_clustering(square).to_dict()
    {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}
    """
    check_undirected("square_clustering", graph)
    check_whole("square_clustering", "batch_size", batch_size, 1)
    graph, n = select(graph, off_diagonal), graph.nrows
    squares = Vector.full(n, 0, like=graph)
    degrees: Vector = plus_pair(graph @ squares)
    for begin in range(0, n, batch_size):
        rows = range(begin, min(begin + batch_size, n))
        common = mxm(extract(graph, rows), graph, plus_pair)
        assign(squares, reduce(apply(common, pairs), plus, by="rows"), rows, accum=plus)
    squares = squares - apply(degrees, pairs)  # a vertex is not opposite to itself
    # for neighbours u and w: degree(u) + degree(w) - 2, less 2 if they are joined, less their squares
    of_neighbours = plus_second(graph @ degrees)
    possible = (degrees - 1) * of_neighbours - degrees * (degrees - 1) - squares
    possible = possible - 2 * triangles_per_vertex(graph)
    shares: Vector = ewise_mult(squares, select(possible, gt, right=0), divide)
    return ewise_add(Vector.full(n, 0.0, like=graph), shares, plus)
