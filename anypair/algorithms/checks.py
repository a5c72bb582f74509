"""What algorithms ask of their arguments, with errors in the words of a graph."""

import numpy as np

from anypair import Matrix
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, SizeMismatch


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
