"""Breadth-first search from several vertices at once: a frontier is a matrix with a row for each."""

from collections.abc import Iterable

import numpy as np

from anypair import Matrix, Vector, assign, mxm, update, vxm
from anypair.algorithms.checks import check_vertices
from anypair.semiring import any_pair, min_select, min_source


def multi_source_levels(graph: Matrix, sources: Iterable[int]) -> Matrix:
    """How many edges vertex j is away from the i-th source, at (i, j).

    >>> multi_source_levels(Matrix.from_edges([0, 1], [1, 2]), [0, 2]).to_entries()
    (array([0, 0, 0, 1]), array([0, 1, 2, 2]), array([0, 1, 2, 0]))
    """
    chosen = check_vertices("multi_source_levels", graph, sources)
    shape, rows = (len(chosen), graph.nrows), np.arange(len(chosen))
    levels = Matrix.from_entries(rows, chosen, 0, shape, dtype=int, like=graph)
    frontier, depth = levels, 0
    while frontier.nvals:
        depth += 1
        frontier = mxm(frontier, graph, any_pair, mask=~levels.structure)
        assign(levels, depth, mask=frontier.structure)
    return levels


def multi_source_parents(graph: Matrix, sources: Iterable[int]) -> Matrix:
    """The parent of vertex j in the breadth-first tree of the i-th source, at (i, j): its smallest.

    >>> multi_source_parents(Matrix.from_edges([0, 1], [1, 2]), [0, 2]).to_entries()
    (array([0, 0, 0, 1]), array([0, 1, 2, 2]), array([0, 0, 1, 2]))
    """
    chosen = check_vertices("multi_source_parents", graph, sources)
    shape, rows = (len(chosen), graph.nrows), np.arange(len(chosen))
    parents = Matrix.from_entries(rows, chosen, chosen, shape, dtype=int, like=graph)
    frontier = parents
    while frontier.nvals:
        frontier = mxm(frontier, graph, min_source, mask=~parents.structure)
        update(parents, frontier)
    return parents


def nearest_sources(graph: Matrix, sources: Iterable[int]) -> tuple[Vector, Vector]:
    """For each vertex that is reached, the nearest of the sources, and how many edges it is away.

    Of several that are as near, the smallest-numbered one. One search, in which each vertex hands on
    the number of its source.

    >>> graph = Matrix.from_edges([0, 1, 4], [1, 2, 2], symmetric=True)
    >>> nearest, levels = nearest_sources(graph, [0, 4])
    >>> nearest.to_dict(), levels.to_dict()
    ({0: 0, 1: 0, 2: 4, 4: 4}, {0: 0, 1: 1, 2: 1, 4: 0})
    """
    chosen = np.unique(check_vertices("nearest_sources", graph, sources))
    nearest = Vector.from_entries(chosen, chosen, graph.nrows, dtype=int, like=graph)
    levels = Vector.from_entries(chosen, 0, graph.nrows, dtype=int, like=graph)
    frontier, depth = nearest, 0
    while frontier.nvals:
        depth += 1
        frontier = vxm(frontier, graph, min_select, mask=~nearest.structure)
        update(nearest, frontier)
        assign(levels, depth, mask=frontier.structure)
    return nearest, levels
