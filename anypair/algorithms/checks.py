"""What algorithms ask of their arguments, with errors in the words of a graph."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from anypair import Matrix, Vector, apply, ewise_mult
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, SizeMismatch, shown
from anypair.semiring import ne, one


def check_matrix(algorithm: str, A: Matrix, argument: str = "A") -> None:
    """Raise unless `A` is a matrix."""
    if not isinstance(A, Matrix):
        raise InvalidArgument(f"{algorithm}: {argument} has to be a Matrix, not {shown(A)}")


def check_graph(algorithm: str, graph: Matrix) -> None:
    """Raise unless `graph` is a square matrix."""
    check_matrix(algorithm, graph, "graph")
    if graph.nrows != graph.ncols:
        raise SizeMismatch(
            f"{algorithm}: a graph has as many rows as columns, not {graph.nrows}x{graph.ncols}"
        )


def check_few_vertices(algorithm: str, graph: Matrix) -> None:
    """Raise unless two numbers of vertices fit into one of int64."""
    if graph.nrows > 2**31:
        raise InvalidValue(f"{algorithm}: the graph has {graph.nrows} vertices; 2**31 is the most")


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


def check_vertices(
    algorithm: str, graph: Matrix, vertices: Iterable[int], argument: str = "sources"
) -> list[int]:
    """What is given, as a list; raise unless these are vertices of the graph."""
    check_graph(algorithm, graph)
    if isinstance(vertices, str) or not isinstance(vertices, Iterable):
        raise InvalidValue(f"{algorithm}: {argument}={vertices!r} is not a list of vertices")
    chosen = list(vertices)
    kinds = set(map(type, chosen))  # of many vertices there are few
    are_numbers = all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
    if not are_numbers or (chosen and not 0 <= min(chosen) <= max(chosen) < graph.nrows):
        for vertex in chosen:  # which of them is wrong
            check_vertex(algorithm, graph, vertex, argument)
    return chosen


def check_number(algorithm: str, argument: str, value: Any, least: float, most: float) -> None:
    """Raise unless `value` is a number from `least` to `most`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise InvalidValue(
            f"{algorithm}: {argument}={value!r} has to be a number from {least} to {most}"
        )


def check_whole(algorithm: str, argument: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise unless `value` is a whole number from `least` on, or to `most`, and fits into int64."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= (2**63 - 1 if most is None else most):
        end = "on" if most is None else f"to {most}"
        raise InvalidValue(
            f"{algorithm}: {argument}={value!r} has to be a whole number from {least} {end}"
        )


def check_iteration(algorithm: str, tolerance: Any, limit: Any, iterations: Any = None) -> None:
    """Raise unless these say when an iteration ends: a number, and whole ones."""
    check_number(algorithm, "tolerance", tolerance, 0, math.inf)
    check_whole(algorithm, "limit", limit, 0)
    if iterations is not None:
        check_whole(algorithm, "iterations", iterations, 0)


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
            "or undirected(graph) of anypair.algorithms"
        )


def check_equal_reverses(algorithm: str, graph: Matrix) -> None:
    """Raise unless the reverse of each edge, which is there, has the same weight."""
    if not graph.is_symmetric and (differing := (ewise_mult(graph, graph.T, ne)).true.handle).nvals:
        rows, columns, _ = differing.to_entries()
        raise InvalidValue(
            f"{algorithm}: the edge between {rows[0]} and {columns[0]} has two weights, one for each "
            "direction; ewise_add(graph, graph.T, minimum) takes the smaller one"
        )


def check_communities(algorithm: str, graph: Matrix, communities: Vector) -> None:
    """Raise unless `communities` has a number for each vertex, all of them numbers of vertices."""
    if not isinstance(communities, Vector):
        raise InvalidArgument(f"{algorithm}: communities={shown(communities)} is not a Vector")
    if communities.dtype.kind not in "iu":
        raise InvalidArgument(f"{algorithm}: communities are {communities.dtype}, not whole numbers")
    if communities.size != graph.nrows or communities.nvals != graph.nrows:
        raise SizeMismatch(
            f"{algorithm}: {communities.nvals} communities are not one for each of the "
            f"{graph.nrows} vertices"
        )
    least, greatest = communities.min(), communities.max()
    if graph.nrows and not 0 <= least <= greatest < graph.nrows:
        raise IndexOutOfRange(
            f"{algorithm}: communities are numbered from {least} to {greatest}; "
            f"give 0 to {graph.nrows - 1}"
        )


def check_pairs(algorithm: str, graph: Matrix, pairs: Matrix | None) -> Matrix:
    """The pairs of vertices that are asked for, the edges by default; raise unless they are pairs."""
    check_graph(algorithm, graph)
    if pairs is None:
        return graph
    check_matrix(algorithm, pairs, "pairs")
    if pairs.shape != graph.shape:
        raise SizeMismatch(
            f"{algorithm}: pairs are {pairs.nrows}x{pairs.ncols}, of a graph with {graph.nrows} vertices"
        )
    return pairs
