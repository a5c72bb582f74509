"""Two colours, or why they are not enough."""

import numpy as np

from anypair import Matrix, Vector, assign, ewise_mult, update, vxm
from anypair.algorithms.checks import check_undirected
from anypair.algorithms.components import connected_components
from anypair.algorithms.path_to import Vertices, path_to
from anypair.semiring import eq, min_source


def bipartition(graph: Matrix) -> tuple[Vector, Vertices]:
    """A colour, 0 or 1, for each vertex, so that edges join different ones; and a cycle of odd length.

    Only one of them is there: a graph either has such colours, and no such cycle, or none, and a
    cycle. Breadth-first searches from the smallest vertex of each component colour their levels in
    turn; an edge within a level closes a cycle of odd length.

    >>> colours, cycle = bipartition(Matrix.from_edges([0, 1, 2], [1, 2, 3], symmetric=True))
    >>> colours.to_dict(), cycle.tolist()
    ({0: 0, 1: 1, 2: 0, 3: 1}, [])
    >>> colours, cycle = bipartition(Matrix.from_edges([0, 1, 2], [1, 2, 0], symmetric=True))
    >>> colours.to_dict(), cycle.tolist()
    ({}, [2, 0, 1])
    """
    check_undirected("bipartition", graph)
    components = connected_components(graph)
    roots = ewise_mult(components, Vector.range(graph.nrows, like=graph), eq).true
    frontier = components.where(roots)
    parents, colour = frontier.copy(), 0
    colours = Vector.full(graph.nrows, 0, like=graph)
    while frontier.nvals:
        assign(colours, colour, mask=frontier.structure)
        inside = vxm(frontier, graph, min_source, mask=frontier.structure)
        if inside.nvals:
            (v, *_), (u, *_) = inside.to_entries()
            there, back = path_to(parents, u), path_to(parents, v)
            fork = int(np.count_nonzero(there == back)) - 1  # where the two ways part
            cycle = np.concatenate([there[:fork:-1], back[fork:]])
            return Vector.empty(graph.nrows, int, like=graph), cycle
        frontier = vxm(frontier, graph, min_source, mask=~parents.structure)
        update(parents, frontier)
        colour = 1 - colour
    return colours, np.empty(0, np.int64)
