"""A minimum spanning forest, by Boruvka's algorithm."""

from typing import Any

from anypair import (
    Matrix,
    Vector,
    apply,
    closure,
    index_unary_op,
    reduce,
    scatter,
    select,
    update,
)
from anypair.algorithms.checks import (
    check_equal_reverses,
    check_few_vertices,
    check_undirected,
    check_weights,
)
from anypair.semiring import eq, le, min_select, minimum, ne, off_diagonal, second


@index_unary_op(result=int)
def ends(weight: Any, i: Any, j: Any) -> Any:
    """A number for the edge between i and j, the same in both directions."""
    return (i << 31) | j if i < j else (j << 31) | i


def minimum_spanning_forest(graph: Matrix) -> Matrix:
    """The edges of a spanning tree of each component, in both directions, that weigh least together.

    Each component takes the cheapest edge that leaves it, of equal ones the one with the smallest ends;
    edges within what has grown together are dropped (Boruvka 1926). Light edges come first, so that
    most others are dropped unseen (Osipov, Sanders and Singler 2009). Weights may be negative; a graph
    that does not have the reverse of each edge with the same weight is refused.

    >>> triangle = Matrix.from_edges([0, 1, 0], [1, 2, 2], [1.0, 2.0, 9.0], symmetric=True)
    >>> minimum_spanning_forest(triangle).to_entries()
    (array([0, 1, 1, 2]), array([1, 0, 2, 1]), array([1., 1., 2., 2.]))
    """
    check_undirected("minimum_spanning_forest", graph)
    check_few_vertices("minimum_spanning_forest", graph)
    check_weights("minimum_spanning_forest", graph, negative=True)
    check_equal_reverses("minimum_spanning_forest", graph)
    forest = Matrix.empty((graph.nrows, graph.nrows), graph.dtype, like=graph)
    components = vertices = Vector.range(graph.nrows, like=graph)
    edges = select(graph, off_diagonal)
    for part in (_light(edges), edges):
        while (part := _between(part, components)).nvals:
            cheapest = _least(part, components)
            numbers = apply(cheapest, ends)
            chosen = cheapest.where(_least(numbers, components).structure)
            update(forest, chosen)
            update(forest, chosen.T)
            components = closure(vertices, forest, min_select)
    return forest


def _light(edges: Matrix) -> Matrix:
    """Some of the edges, and all that are as light: of many most are then within a component."""
    least, mean = float(edges.value_range[0]), float(edges.sum()) / max(edges.nvals, 1)
    return select(edges, le, right=least + (mean - least) / 4)


def _between(edges: Matrix, components: Vector) -> Matrix:
    """Those edges that join different components."""
    return edges.where(edges.scale(rows=components, op=second).scale(columns=components, op=ne).true)


def _least(edges: Matrix, components: Vector) -> Matrix:
    """Those edges of each component that are as small as its smallest."""
    of_vertex = reduce(edges, minimum, by="rows")
    of_component = scatter(of_vertex, components, components.size, minimum)
    return edges.where(edges.scale(rows=of_component[components], op=eq).true)
