"""Taking away what no edge enters, until nothing is left to take."""

from anypair import Matrix, Vector, assign, ewise_mult, select, update, vxm
from anypair.semiring import eq, minus, plus_pair


def peeled(graph: Matrix, among: Vector) -> Vector:
    """In which round each vertex `among` these is taken away, when no edge from others leads there.

    What is left lies on cycles, or behind one. Other vertices and their edges do not count.

    >>> graph = Matrix.from_edges([0, 1, 2, 3], [1, 2, 3, 2])
    >>> peeled(graph, Vector.full(4, True)).to_dict()
    {0: 0, 1: 1}
    """
    levels = Vector.empty(graph.nrows, int, like=graph)
    waiting = vxm(among, graph, plus_pair, mask=among.structure)  # how many edges still lead there
    frontier, level = among.where(~waiting.structure), 0
    while frontier.nvals:
        assign(levels, level, mask=frontier.structure)
        fewer = ewise_mult(waiting, vxm(frontier, graph, plus_pair), minus)
        update(waiting, fewer)
        frontier, level = select(fewer, eq, right=0), level + 1
    return levels
