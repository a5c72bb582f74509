"""A directed graph without its directions, for algorithms that take no others."""

from anypair import BinaryOp, Matrix, Monoid, ewise_add
from anypair.algorithms.checks import check_graph
from anypair.semiring import any_of


def undirected(graph: Matrix, op: BinaryOp | Monoid = any_of) -> Matrix:
    """The graph with the reverse of each edge; `op` combines the weights of two that are opposite.

    >>> undirected(Matrix.from_edges([0, 1], [1, 2], [4, 9])).to_entries()
    (array([0, 1, 1, 2]), array([1, 0, 2, 1]), array([4, 4, 9, 9]))
    """
    check_graph("undirected", graph)
    return graph if graph.is_symmetric else ewise_add(graph, graph.T, op)
