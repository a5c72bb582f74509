"""Cosine similarity of rows of weights."""

import math

from anypair import Matrix, apply, reduce, select, unary_op
from anypair.algorithms.checks import check_pairs, check_weights
from anypair.semiring import divide, is_true, maximum, plus, plus_times

square_root = unary_op(result=float)(math.sqrt)


def cosine_similarity(graph: Matrix, pairs: Matrix | None = None) -> Matrix:
    """For pairs of vertices, the cosine of the angle between their rows of weights (Salton 1975).

    The structure of `pairs` says for which; by default for those that an edge joins. Pairs without a
    common neighbour have no entry, which means 0; so has a cosine that is 0.

    >>> graph = Matrix.from_edges([0, 0, 1, 1], [2, 3, 2, 4], [3.0, 4.0, 3.0, 4.0])
    >>> round(cosine_similarity(graph, Matrix.from_entries([0], [1], True, (5, 5))).get(0, 1), 3)
    0.36
    """
    pairs = check_pairs("cosine_similarity", graph, pairs)
    check_weights("cosine_similarity", graph, negative=True)
    graph = select(graph.cast(float), is_true)
    rows = graph.scale(rows=reduce(abs(graph), maximum, by="rows"), op=divide)  # squares fit now
    rows = rows.scale(rows=apply(reduce(rows * rows, plus, by="rows"), square_root), op=divide)
    cosines: Matrix = plus_times(rows @ rows.T, mask=pairs.structure)
    return select(cosines, is_true)
