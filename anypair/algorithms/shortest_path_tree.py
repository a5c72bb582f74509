"""The tree of shortest paths, from the distances."""

from anypair import Matrix, Vector, reduce, select
from anypair.algorithms.bfs import bfs_parents
from anypair.algorithms.checks import check_vertex
from anypair.algorithms.slack import slack
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch
from anypair.semiring import eq, min_monoid


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
    spare = slack("shortest_path_parents", graph, distances)
    parents = bfs_parents(select(spare, eq, right=0), source)
    shortest = distances.get(source) == 0 and reduce(spare, min_monoid) >= 0
    if not shortest or parents.nvals != distances.nvals:
        raise InvalidValue(f"shortest_path_parents: distances are not the shortest ones from {source}")
    return parents
