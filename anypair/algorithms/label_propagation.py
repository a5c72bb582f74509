"""Communities by label propagation."""

from typing import Any

from anypair import Matrix, Vector, apply, index_unary_op, mxm, reduce, same, selection, unary_op, update
from anypair.algorithms.checks import check_few_vertices, check_undirected, check_whole
from anypair.semiring import max_monoid, plus_pair


@index_unary_op(result=int)
def count_and_label(count: Any, i: Any, j: Any) -> Any:
    """In one number: larger for a larger count and, of equal ones, for a smaller label."""
    return (count << 32) | (0xFFFFFFFF - j)


@unary_op(result=int)
def label(packed: Any) -> Any:
    """The label in it."""
    return 0xFFFFFFFF - (packed & 0xFFFFFFFF)


def label_propagation(graph: Matrix, limit: int = 100) -> Vector:
    """The community of every vertex, as the label that it ends with.

    Every vertex begins with its own number; in each round all take the label that most of their
    neighbours have, the smallest of several, until nothing changes or for `limit` rounds (Raghavan,
    Albert and Kumara 2007; all at once, so that there is one answer, and so that in a bipartite part
    labels may change sides until the limit). Weights do not count; a graph that has an edge without
    its reverse is refused.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], symmetric=True)
    >>> label_propagation(two).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 3}
    """
    check_undirected("label_propagation", graph)
    check_few_vertices("label_propagation", graph)
    check_whole("label_propagation", "limit", limit, 1)
    labels = Vector.range(graph.nrows, like=graph)
    for _ in range(limit):
        votes = mxm(graph, selection(labels, graph.nrows), plus_pair)
        winners = apply(reduce(apply(votes, count_and_label), max_monoid, by="rows"), label)
        before = labels.copy()
        update(labels, winners)
        if same(labels, before):
            break
    return labels
