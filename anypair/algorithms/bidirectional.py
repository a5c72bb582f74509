"""The fewest edges from one vertex to another, by two searches that meet."""

import numpy as np

from anypair import Matrix, Vector, mxv, update, vxm
from anypair.algorithms.checks import check_vertex
from anypair.algorithms.path_to import Vertices, path_to
from anypair.semiring import min_source


def bidirectional_path(graph: Matrix, source: int, target: int) -> Vertices:
    """The vertices along a path of the fewest edges from `source` to `target`; none if there is none.

    Two breadth-first searches, along the edges and against them; the one with the smaller frontier goes
    on, until both have reached a vertex (Pohl 1971). That one is on such a path.

    >>> bidirectional_path(Matrix.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 3, 4]), 0, 4)
    array([0, 1, 3, 4])
    """
    for argument, vertex in (("source", source), ("target", target)):
        check_vertex("bidirectional_path", graph, vertex, argument)
    n = graph.nrows
    parents, children = (
        Vector.from_entries([v], [v], n, dtype=int, like=graph) for v in (source, target)
    )
    forth, back = parents, children
    common = parents.where(children.structure)
    while forth.nvals and back.nvals and not common.nvals:
        if forth.nvals <= back.nvals:
            forth = vxm(forth, graph, min_source, mask=~parents.structure)
            update(parents, forth)
            common = forth.where(children.structure)
        else:
            back = mxv(graph, back, min_source, mask=~children.structure)
            update(children, back)
            common = back.where(parents.structure)
    if not common.nvals:
        return np.empty(0, np.int64)
    meeting = common.to_entries()[0][0]
    return np.concatenate([path_to(parents, meeting), path_to(children, meeting)[-2::-1]])
