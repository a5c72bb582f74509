"""What lies within a few edges."""

from collections.abc import Iterable

from anypair import Matrix, Vector, assign, vxm
from anypair.algorithms.checks import check_vertices, check_whole
from anypair.semiring import any_pair


def neighbourhood(graph: Matrix, sources: Iterable[int], hops: int) -> Vector:
    """The vertices at most `hops` edges away from the nearest of the sources, with how many it takes.

    A breadth-first search that ends after so many levels.

    >>> neighbourhood(Matrix.from_edges([0, 1, 2], [1, 2, 3]), [0], hops=2).to_dict()
    {0: 0, 1: 1, 2: 2}
    """
    chosen = check_vertices("neighbourhood", graph, sources)
    check_whole("neighbourhood", "hops", hops, 0)
    levels = Vector.from_entries(sorted(set(chosen)), 0, graph.nrows, dtype=int, like=graph)
    frontier, depth = levels, 0
    while frontier.nvals and depth < hops:
        depth += 1
        frontier = vxm(frontier, graph, any_pair, mask=~levels.structure)
        assign(levels, depth, mask=frontier.structure)
    return levels
