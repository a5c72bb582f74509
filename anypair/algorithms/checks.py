"""What algorithms ask of their arguments, with errors in the words of a graph."""

from typing import Any

import numpy as np

from anypair import Matrix, reduce, select
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, SizeMismatch
from anypair.semiring import is_not_finite, lt, min_monoid


def check_graph(algorithm: str, graph: Matrix) -> None:
    """Raise unless `graph` is a square matrix."""
    if not isinstance(graph, Matrix):
        raise InvalidArgument(f"{algorithm}: graph has to be a Matrix, not {graph!r}")
    if graph.nrows != graph.ncols:
        raise SizeMismatch(
            f"{algorithm}: a graph has as many rows as columns, not {graph.nrows}x{graph.ncols}"
        )


def check_vertex(algorithm: str, graph: Matrix, vertex: int, argument: str = "source") -> None:
    """Raise unless `vertex` is one of the graph's."""
    check_graph(algorithm, graph)
    if isinstance(vertex, bool) or not isinstance(vertex, int | np.integer):
        raise InvalidValue(f"{algorithm}: {argument}={vertex!r} is not a vertex number")
    if not 0 <= vertex < graph.nrows:
        raise IndexOutOfRange(
            f"{algorithm}: {argument}={vertex} is not a vertex; the graph has {graph.nrows}, from 0"
        )


def check_number(algorithm: str, argument: str, value: Any, least: float, most: float) -> None:
    """Raise unless `value` is a number from `least` to `most`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and value is not True
    if not is_number or not least <= value <= most:
        raise InvalidValue(
            f"{algorithm}: {argument}={value!r} has to be a number from {least} to {most}"
        )


def check_weights(algorithm: str, graph: Matrix, *, negative: bool) -> None:
    """Raise unless all weights are finite and, if `negative` is not allowed, at least 0."""
    if graph.dtype.kind == "f" and select(graph, is_not_finite).nvals:
        raise InvalidValue(f"{algorithm}: a weight is infinite or NaN; leave such edges out")
    if not negative and (least := reduce(select(graph, lt, right=0), min_monoid)) < 0:
        raise InvalidValue(f"{algorithm}: weight {least} is negative; all have to be 0 or more")
