"""What algorithms ask of their arguments, with errors in the words of a graph."""

import math
from typing import Any

import numpy as np

from anypair import Matrix, apply
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, SizeMismatch
from anypair.semiring import one


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
            f"{algorithm}: {argument}={vertex} is not a vertex; the graph has {graph.nrows}, from 0",
            value=int(vertex),
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
    if graph.dtype.kind == "b":
        return
    least, greatest = graph.value_range
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise InvalidValue(f"{algorithm}: a weight is infinite or NaN; leave such edges out")
    if not negative and least < 0:
        raise InvalidValue(f"{algorithm}: weight {least} is negative; all have to be 0 or more")


def check_undirected(algorithm: str, graph: Matrix) -> None:
    """Raise unless `graph` is square and has the reverse of each edge."""
    check_graph(algorithm, graph)
    if not graph.has_symmetric_structure:
        rows, columns, _ = apply(graph, one, mask=~graph.T.structure).to_entries()
        raise InvalidValue(
            f"{algorithm}: the graph has to be undirected, but the edge from {rows[0]} to {columns[0]} "
            "has no reverse; Matrix.from_edges(..., symmetric=True) adds it, "
            "or ewise_add(graph, graph.T, any_of)"
        )
