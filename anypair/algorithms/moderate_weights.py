"""Weights whose sums neither overflow nor vanish."""

import math
from typing import Any

from anypair import Matrix, Semiring, apply, binary_op, diag, mxm, reduce, select, unary_op
from anypair.semiring import any_monoid, is_true, max_monoid, min_monoid

#: Of a dtype; leaves room for numbers to be multiplied and divided by it.
LARGE = {"float64": 1e290, "float32": 1e20}
rounded = unary_op(result=float)(round)


@binary_op(result=float)
def share(greatest: Any, weight: Any) -> Any:
    """A weight as a part of the greatest one."""
    return weight / greatest if greatest > 0 else 0.0


def of_moderate_weights(graph: Matrix, dtype: str = "float64") -> Matrix:
    """The graph, each vertex's weights divided by their greatest where sums might overflow or vanish.

    For algorithms to which only matters how the weights of one vertex compare; `dtype` is that of sums.

    >>> of_moderate_weights(Matrix.from_edges([0, 0], [1, 2], [1e308, 5e307])).to_entries()[2]
    array([1. , 0.5])
    """
    if graph.dtype.kind != "f" or not graph.nvals:
        return graph
    least, greatest = graph.value_range
    if least == 0:
        least = reduce(select(graph, is_true), min_monoid)
    if greatest * graph.ncols <= LARGE[dtype] and least >= 1 / LARGE[dtype]:
        return graph
    by_vertex = diag(reduce(graph, max_monoid, by="rows"))
    return mxm(by_vertex, graph, Semiring(any_monoid, share))


def times_power_of_two(graph: Matrix, exponent: int) -> Matrix:
    """The graph with each weight times 2^exponent, which no number may hold by itself, as floats."""
    if not exponent:
        return graph
    first = max(-1000, min(1000, exponent))
    graph = graph.cast(float) * 2.0**first
    return graph * 2.0 ** (exponent - first) if exponent != first else graph


def around_one(graph: Matrix) -> Matrix:
    """The graph, all weights times the power of two that brings the greatest to 1 or a little more.

    For algorithms to which only matters how all weights compare, and which count on their size.

    >>> around_one(Matrix.from_edges([0, 0], [1, 2], [3e-9, 1e-9])).value_range[1]
    1.610612736
    """
    greatest = graph.value_range[1]
    return times_power_of_two(graph, 1 - math.frexp(greatest)[1]) if greatest else graph


def in_parts(graph: Matrix) -> Matrix:
    """Weights as floats that are whole numbers, sums of which are exact: the same in any order.

    Floats are rounded to 2^-50 of what they add up to at most.

    >>> in_parts(Matrix.from_edges([0, 0], [1, 2], [3, 4])).to_entries()[2]
    array([3., 4.])
    """
    mantissa, exponent = math.frexp(graph.value_range[1])
    spare = 50 - exponent - math.frexp(mantissa * graph.nvals)[1]
    weights = graph.cast(float)
    if graph.dtype.kind == "f" or spare < 0:
        weights = apply(times_power_of_two(weights, spare), rounded)
    return select(weights, is_true)
