"""The distance between two vertices, without those of all others."""

from anypair import Matrix, select, update, vxm
from anypair.algorithms.checks import check_vertex, check_weights
from anypair.algorithms.improvements import improvements
from anypair.algorithms.path_lengths import PathLengths
from anypair.errors import ResultOverflow
from anypair.semiring import lt


def distance_between(graph: Matrix, source: int, target: int) -> float | None:
    """The length of a shortest path from `source` to `target`; None if there is no path.

    Bellman-Ford's rounds, in which only vertices nearer than the target is known to be go on
    (weights may not be negative). So it ends as soon as no shorter way can be left.

    >>> distance_between(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0]), 0, 2)
    7.0
    """
    for argument, vertex in (("source", source), ("target", target)):
        check_vertex("distance_between", graph, vertex, argument)
    check_weights("distance_between", graph, negative=False)
    lengths = PathLengths(graph)
    distances = lengths.from_source(source)
    frontier = distances.copy()
    while frontier.nvals:
        frontier = improvements(vxm(frontier, lengths.graph, lengths.semiring), distances)
        update(distances, frontier)
        if (best := distances.get(target)) is not None:
            frontier = select(frontier, lt, right=best)
    best = distances.get(target)
    if best is not None and not lengths.fit and best >= lengths.end:
        raise ResultOverflow(f"distance_between: the path is longer than {lengths.dtype} holds")
    return None if best is None else best - lengths.zero
