"""Breadth-first search, as masked sparse vector-matrix multiplication."""

from anypair import Matrix, Vector, assign, update, vxm
from anypair.algorithms.checks import check_vertex
from anypair.semiring import any_pair, min_source


def bfs_parents(graph: Matrix, source: int) -> Vector:
    """The breadth-first tree from `source`: every reached vertex with its smallest-numbered parent.

    >>> bfs_parents(Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3]), 0).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 1}
    """
    check_vertex("bfs_parents", graph, source)
    parents = Vector.from_entries([source], [source], graph.nrows, dtype=int, like=graph)
    frontier = parents
    while frontier.nvals:
        # children<not yet reached> = the smallest vertex of the frontier that has an edge to each
        frontier = vxm(frontier, graph, min_source, mask=~parents.structure)
        update(parents, frontier)
    return parents


def bfs_levels(graph: Matrix, source: int) -> Vector:
    """How many edges each reached vertex is away from `source`.

    >>> bfs_levels(Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3]), 0).to_dict()
    {0: 0, 1: 1, 2: 1, 3: 2}
    """
    check_vertex("bfs_levels", graph, source)
    levels = Vector.from_entries([source], [0], graph.nrows, like=graph)
    frontier, depth = levels, 0
    while frontier.nvals:
        depth += 1
        frontier = vxm(frontier, graph, any_pair, mask=~levels.structure)
        assign(levels, depth, mask=frontier.structure)
    return levels
