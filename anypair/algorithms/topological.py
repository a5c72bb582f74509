"""Directed graphs without cycles, and the cycles of others."""

import numpy as np

from anypair import Matrix, Vector, closure, selection, vxm
from anypair.algorithms.checks import check_graph
from anypair.algorithms.path_to import Vertices
from anypair.algorithms.peeling import peeled
from anypair.errors import InvalidValue
from anypair.semiring import min_plus, min_source


def topological_levels(graph: Matrix) -> Vector:
    """How many edges the longest path to each vertex has; every edge leads to a higher level.

    Vertices that no edge enters are taken away, level by level (Kahn 1962). A graph that has a cycle is
    refused; `directed_cycle` finds one.

    >>> topological_levels(Matrix.from_edges([0, 0, 1, 2], [1, 3, 2, 3])).to_dict()
    {0: 0, 1: 1, 2: 2, 3: 3}
    """
    check_graph("topological_levels", graph)
    levels = peeled(graph, Vector.full(graph.nrows, True, like=graph))
    if levels.nvals < graph.nrows:
        cycle = ", ".join(map(str, directed_cycle(graph)[:9]))
        raise InvalidValue(f"topological_levels: the graph has a cycle, along the vertices {cycle} ...")
    return levels


def directed_cycle(graph: Matrix) -> Vertices:
    """The vertices along a cycle of the graph, from the smallest on; none if there is no cycle.

    When all vertices are taken away that no edge enters, each of the others has an edge from
    another one. Walking back along these, for as many steps as there are vertices, ends in a cycle.

    >>> directed_cycle(Matrix.from_edges([0, 1, 2, 3], [1, 2, 3, 1]))
    array([1, 2, 3])
    """
    check_graph("directed_cycle", graph)
    n, everywhere = graph.nrows, Vector.full(graph.nrows, True, like=graph)
    left = everywhere.where(~peeled(graph, everywhere).structure)
    if not left.nvals:
        return np.empty(0, np.int64)
    before = jumps = vxm(left, graph, min_source, mask=left.structure)
    for _ in range(n.bit_length()):
        jumps = jumps[jumps]  # twice as far
    start = Vector.from_entries([jumps.max()], [0], n, like=graph)
    vertices, steps = closure(start, selection(before, n), min_plus).to_entries()
    cycle: Vertices = vertices[np.argsort(-steps)]
    return np.roll(cycle, -int(np.argmin(cycle)))
