"""Communities by label propagation."""

from typing import Any

from anypair import (
    Matrix,
    Vector,
    apply,
    diag,
    ewise_mult,
    index_unary_op,
    reduce,
    same,
    selection,
    unary_op,
    update,
)
from anypair.algorithms.checks import check_few_vertices, check_undirected, check_whole
from anypair.semiring import any_pair, any_second, max_monoid, min_select, ne, plus_pair


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
    Albert and Kumara 2007; all at once, so that there is one answer). In a bipartite part labels may
    change sides for ever: once they do nothing else, those of the last round are known. Weights do not
    count; a graph that has an edge without its reverse is refused.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], symmetric=True)
    >>> label_propagation(two).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 3}
    """
    check_undirected("label_propagation", graph)
    check_few_vertices("label_propagation", graph)
    check_whole("label_propagation", "limit", limit, 1)
    n = graph.nrows
    before: Vector = Vector.range(n, like=graph)
    labels: Vector = update(
        before.copy(), min_select(graph @ before)
    )  # each neighbour has a label of its own
    for left in reversed(range(limit - 1)):
        changed = ewise_mult(labels, before, ne).true
        if not changed.handle.nvals:
            break
        asked = any_pair(graph @ labels.where(changed))  # all others would vote as they did
        voting = any_second(diag(asked) @ graph) if 2 * asked.nvals < n else graph
        votes = plus_pair(voting @ selection(labels, n))
        winners = apply(reduce(apply(votes, count_and_label), max_monoid, by="rows"), label)
        earlier, before, labels = before, labels, update(labels.copy(), winners)
        if same(labels, earlier):  # from here on the two take turns
            return before if left % 2 else labels
    return labels
