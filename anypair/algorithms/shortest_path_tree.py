"""The tree of shortest paths, from the distances."""

import numpy as np

from anypair import Matrix, Semiring, Vector, diag, mxm, reduce, select
from anypair.algorithms.bfs import bfs_parents
from anypair.algorithms.checks import check_vertex
from anypair.algorithms.path_lengths import PathLengths
from anypair.algorithms.saturating import min_compared
from anypair.errors import InvalidArgument, InvalidValue, ResultOverflow, SizeMismatch
from anypair.semiring import eq, max_monoid, min_monoid, min_plus, minus

min_minus = Semiring(min_monoid, minus)


def shortest_path_parents(graph: Matrix, source: int, distances: Vector) -> Vector:
    """Every reached vertex with its parent in a tree of shortest paths; `distances` say how long.

    An edge is tight if it is as long as the distances of its ends differ. The tree is that of a
    breadth-first search over tight edges, so edges of weight 0 make no cycles, and the parent is the
    smallest-numbered one that leads to the source by the fewest edges.

    >>> from anypair.algorithms import bellman_ford
    >>> graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0])
    >>> shortest_path_parents(graph, 0, bellman_ford(graph, 0)).to_dict()
    {0: 0, 1: 0, 2: 1}
    """
    check_vertex("shortest_path_parents", graph, source)
    if not isinstance(distances, Vector):
        raise InvalidArgument(f"shortest_path_parents: distances={distances!r} is not a Vector")
    if distances.size != graph.nrows:
        raise SizeMismatch(
            f"shortest_path_parents: {distances.size} distances are not one for each of the "
            f"{graph.nrows} vertices"
        )
    lengths = PathLengths(graph)
    longest = max(abs(reduce(distances, monoid)) for monoid in (min_monoid, max_monoid))
    if distances.nvals and longest >= lengths.end - lengths.zero:
        raise ResultOverflow(
            f"shortest_path_parents: {longest} is the end of dtype {lengths.dtype}; "
            "give distances that are not as large"
        )
    # slack(u, v) = distance(u) + weight(u, v) - distance(v), at the edges between reached vertices
    dtype = np.promote_types(distances.dtype, lengths.dtype)
    fits = lengths.takes(2 * longest + lengths.greatest_weight)
    if dtype.kind == "f" or (dtype.kind == "i" and fits):
        by_vertex = diag(distances.cast(dtype))
        slack = mxm(mxm(by_vertex, graph, min_plus), by_vertex, min_minus)
    else:
        lengths = PathLengths(graph, careful=True)
        by_vertex = diag(lengths.inward(distances.cast(dtype)))
        slack = mxm(mxm(by_vertex, lengths.graph, lengths.semiring), by_vertex, min_compared)
    parents = bfs_parents(select(slack, eq, right=0), source)
    shortest = distances.get(source) == 0 and reduce(slack, min_monoid) >= 0
    if not shortest or parents.nvals != distances.nvals:
        raise InvalidValue(f"shortest_path_parents: distances are not the shortest ones from {source}")
    return parents
