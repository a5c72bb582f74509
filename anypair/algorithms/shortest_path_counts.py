"""How many shortest paths there are."""

from anypair import Matrix, Vector, ewise_add, select, vxm
from anypair.algorithms.checks import check_vertex
from anypair.algorithms.slack import slack
from anypair.algorithms.sssp import bellman_ford
from anypair.algorithms.weight_checks import check_positive
from anypair.errors import InvalidValue, ResultOverflow
from anypair.semiring import eq, is_not_finite, plus, plus_second


def shortest_path_counts(graph: Matrix, source: int) -> tuple[Vector, Vector]:
    """The distance of every reached vertex from `source`, and how many paths are as short.

    Weights have to be positive. Counts are floats, exact up to 2**53; what no float holds raises
    `ResultOverflow`. Edges that are as long as the distances of their ends differ make no cycle;
    along them counts are handed on until nothing is left (as in the forward half of Brandes 2001).

    >>> graph = Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3], [2, 1, 2, 3])
    >>> distances, counts = shortest_path_counts(graph, 0)
    >>> distances.to_dict(), counts.to_dict()
    ({0: 0, 1: 2, 2: 1, 3: 4}, {0: 1.0, 1: 1.0, 2: 1.0, 3: 2.0})
    """
    check_vertex("shortest_path_counts", graph, source)
    check_positive("shortest_path_counts", graph)
    distances = bellman_ford(graph, source)
    tight = select(slack("shortest_path_counts", graph, distances), eq, right=0)
    frontier = Vector.from_entries([source], [1.0], graph.nrows, like=graph)
    counts = frontier.copy()
    for _ in range(graph.nrows):
        frontier = vxm(frontier, tight, plus_second)
        if not frontier.nvals:
            break
        ewise_add(counts, frontier, plus, out=counts)
    else:
        raise InvalidValue("shortest_path_counts: some weights vanish when they are added to distances")
    if select(counts, is_not_finite).nvals:
        raise ResultOverflow("shortest_path_counts: there are more shortest paths than float64 counts")
    return distances, counts
