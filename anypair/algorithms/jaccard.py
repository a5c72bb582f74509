"""Jaccard similarity of neighbourhoods."""

from typing import Any

from anypair import Matrix, Vector, binary_op, ewise_mult
from anypair.algorithms.checks import check_pairs
from anypair.semiring import plus, plus_pair, second


@binary_op(result=float)
def of_union(common: Any, both: Any) -> Any:
    """What two sets have in common, as a part of their union; `both` is the sum of their sizes."""
    return common / (both - common)


def jaccard_similarity(graph: Matrix, pairs: Matrix | None = None) -> Matrix:
    """For pairs of vertices, the out-neighbours of both as a part of those of either (Jaccard 1901).

    The structure of `pairs` says for which; by default for those that an edge joins. Pairs without a
    common neighbour have no entry, which means 0. Weights do not count.

    >>> graph = Matrix.from_edges([0, 0, 1, 1], [2, 3, 2, 4])
    >>> jaccard_similarity(graph, Matrix.from_entries([0], [1], True, (5, 5))).get(0, 1)
    0.3333333333333333
    """
    pairs = check_pairs("jaccard_similarity", graph, pairs)
    common: Matrix = plus_pair(graph @ graph.T, mask=pairs.structure)
    degrees = plus_pair(graph @ Vector.range(graph.nrows, like=graph))
    both = common.scale(rows=degrees, op=second).scale(columns=degrees, op=plus)
    return ewise_mult(common, both, of_union)
