"""Paths whose worst edge is as good as possible, and paths that are likely to hold."""

import math

import numpy as np

from anypair import Matrix, Vector, closure
from anypair.algorithms.checks import check_vertex, check_weights
from anypair.algorithms.weight_checks import check_chances
from anypair.semiring import max_min, max_times


def widest_paths(graph: Matrix, source: int) -> Vector:
    """The width of the widest path from `source` to every reached vertex: that of its narrowest edge.

    The path to the source itself has no edge and so no limit: infinity, or the greatest integer. The
    closure over max_min (the bottleneck problem, Pollack 1960).

    >>> widest_paths(Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 1.0, 3.0]), 0).to_dict()
    {0: inf, 1: 4.0, 2: 3.0}
    """
    check_vertex("widest_paths", graph, source)
    check_weights("widest_paths", graph, negative=True)
    kind = graph.dtype.kind
    unlimited = math.inf if kind == "f" else True if kind == "b" else np.iinfo(graph.dtype).max
    start = Vector.from_entries([source], [unlimited], graph.nrows, dtype=graph.dtype, like=graph)
    return closure(start, graph, max_min)


def most_reliable_paths(graph: Matrix, source: int) -> Vector:
    """The chance that all edges of a path hold, of the path from `source` where it is greatest.

    Weights are chances from 0 to 1, each edge holds independently of the others. The closure over
    max_times.

    >>> most_reliable_paths(Matrix.from_edges([0, 0, 1], [1, 2, 2], [0.5, 0.25, 0.75]), 0).to_dict()
    {0: 1.0, 1: 0.5, 2: 0.375}
    """
    check_vertex("most_reliable_paths", graph, source)
    check_chances("most_reliable_paths", graph)
    start = Vector.from_entries([source], [1.0], graph.nrows, like=graph)
    return closure(start, graph.cast(float), max_times)
