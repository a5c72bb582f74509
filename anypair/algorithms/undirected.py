"""A directed graph without its directions, for algorithms that take no others."""

from anypair import BinaryOp, Matrix, Monoid, ewise_add
from anypair.algorithms.checks import check_graph
from anypair.errors import InvalidArgument
from anypair.semiring import minimum


def undirected(graph: Matrix, op: BinaryOp | Monoid = minimum) -> Matrix:
    """The graph with the reverse of each edge; `op` combines the weights of two that are opposite.

    >>> undirected(Matrix.from_edges([0, 1, 1], [1, 2, 0], [4, 9, 3])).to_entries()
    (array([0, 1, 1, 2]), array([1, 0, 2, 1]), array([3, 3, 9, 9]))
    """
    check_graph("undirected", graph)
    combine = op.op if isinstance(op, Monoid) else op
    if isinstance(combine, BinaryOp) and not combine.commutes:
        raise InvalidArgument(
            f"undirected: op={combine.name!r} is not known to commute, so that an edge and its reverse "
            "might differ; take minimum, maximum or plus, say"
        )
    return graph if graph.is_symmetric else ewise_add(graph, graph.T, op)
