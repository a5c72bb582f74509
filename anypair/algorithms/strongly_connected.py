"""Strongly connected components: a search both ways for the largest, colours for the others."""

from anypair import (
    Matrix,
    Vector,
    assign,
    closure,
    ewise_mult,
    mxv,
    update,
    vxm,
)
from anypair.algorithms.checks import check_graph
from anypair.algorithms.improvements import improvements
from anypair.algorithms.peeling import peeled
from anypair.semiring import any_pair, eq, max_select, min_select, plus_pair


def strongly_connected_components(graph: Matrix) -> Vector:
    """The component of every vertex, within which paths lead both ways; named by its smallest vertex.

    The component of the vertex with the most edges is what it reaches and what reaches it. Of the
    others, vertices that no edge enters, or none leaves, are by themselves. The rest is coloured by
    the smallest vertex that leads there; what leads back to it within its colour is a component
    (Orzan 2004).

    >>> strongly_connected_components(Matrix.from_edges([0, 1, 2, 2], [1, 0, 1, 3])).to_dict()
    {0: 0, 1: 0, 2: 2, 3: 3}
    """
    check_graph("strongly_connected_components", graph)
    n, found = graph.nrows, Vector.empty(graph.nrows, int, like=graph)
    ids = Vector.range(n, like=graph)
    if graph.nvals:
        update(found, _of_the_busiest(graph, ids))
    while (left := ids.where(~found.structure)).nvals:
        for way in (graph, graph.T):
            alone = peeled(way, left).structure
            update(found, left.where(alone))
            left = left.where(~alone)
        colours, frontier = left.copy(), left
        while frontier.nvals:
            offers = vxm(frontier, graph, min_select, mask=left.structure)
            frontier = improvements(offers, colours)
            update(colours, frontier)
        frontier = colours.where(ewise_mult(colours, ids, eq).true)
        ring = frontier.copy()
        while frontier.nvals:  # a vertex leads to none of a greater colour
            offers = mxv(graph, frontier, max_select, mask=~ring.structure)
            frontier = offers.where(ewise_mult(offers, colours, eq).true)
            update(ring, frontier)
        update(found, ring)
    return found


def _of_the_busiest(graph: Matrix, ids: Vector) -> Vector:
    degrees = plus_pair(graph @ ids)
    start = Vector.from_entries([degrees.argmax()], [True], graph.nrows, like=graph)
    forth, back = closure(start, graph, any_pair), closure(start, graph.T, any_pair)
    both = ids.where(forth.structure & back.structure)
    assign(both, both.min(), mask=both.structure)
    return both
