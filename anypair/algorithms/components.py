"""Connected components: a closure where each edge has its reverse, else FastSV (Zhang, Azad and Hu)."""

from anypair import Matrix, Vector, closure, ewise_add, mxv, same, selection, vxm
from anypair.algorithms.checks import check_graph
from anypair.semiring import min_select, minimum


def connected_components(graph: Matrix) -> Vector:
    """The component of every vertex, named by its smallest vertex; directions do not count.

    Each vertex hands its number on to its neighbours, and keeps the smallest that it is offered: the
    closure over min_select. In a directed graph that would be the smallest vertex which leads there.

    >>> connected_components(Matrix.from_edges([3, 1], [4, 2], n=5)).to_dict()
    {0: 0, 1: 1, 2: 1, 3: 3, 4: 3}
    """
    check_graph("connected_components", graph)
    numbers = Vector.range(graph.nrows, like=graph)
    if graph.has_symmetric_structure:
        return closure(numbers, graph, min_select)
    return _along_and_against(graph, numbers)


def _along_and_against(graph: Matrix, parents: Vector) -> Vector:
    """Components of a directed graph: on most backends it takes longer to add the reverse of each edge.

    Vertices point to a parent in a forest; each round hooks trees onto the smallest grandparent
    among their neighbours and halves the paths, until no grandparent changes.
    """
    n, grandparents = graph.nrows, parents.copy()
    while True:
        # the smallest grandparent that a neighbour, along or against the edge, has to offer
        offers = mxv(graph, grandparents, min_select)
        vxm(grandparents, graph, min_select, out=offers, accum=minimum)
        # parents[parents] min= offers: whole trees hook on
        vxm(offers, selection(parents, n), min_select, out=parents, accum=minimum)
        # parents min= offers, grandparents: vertices hook on by themselves and skip a step
        ewise_add(parents, offers, minimum, out=parents)
        ewise_add(parents, grandparents, minimum, out=parents)
        following = mxv(selection(parents, n), parents, min_select)
        if same(following, grandparents):
            return parents
        grandparents = following
