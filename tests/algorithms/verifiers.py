"""What the tests of all algorithms share: graphs, bad arguments, comparisons, spoiled answers."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import strategies as st

from anypair import Matrix, Vector
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue, SizeMismatch
from tests.support.compare import assert_entries
from tests.support.graphs import NAMED, random_graphs

on_named_graphs = pytest.mark.parametrize("graph", list(NAMED.values()), ids=list(NAMED))


def no_vertices() -> Matrix:
    return Matrix.from_edges([], [], n=0)


def sources_of(graph: Any) -> Sequence[int]:
    """Every vertex of a small graph, three of a larger one."""
    n = len(graph)
    return range(n) if n <= 10 else (0, n // 2, n - 1)


@st.composite
def graphs_and_sources(draw: Any, **options: Any) -> tuple[Any, int]:
    """One of `random_graphs(**options)` and one of its vertices."""
    graph = draw(random_graphs(**options))
    return graph, draw(st.integers(0, len(graph) - 1))


def weighted(graph: Any, weights: Callable[[int, int], int] = lambda u, v: (3 * u + 5 * v) % 13) -> Any:
    """A copy with the integer weights "steps" and a quarter of them, exact floats, as "weight"."""
    copy = graph.copy()
    for u, v, data in copy.edges(data=True):
        data["steps"] = weights(u, v)
        data["weight"] = data["steps"] / 4
    return copy


# Bad arguments

BAD_GRAPHS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "wide": (lambda: Matrix.empty((2, 3)), SizeMismatch, "2x3"),
    "no columns": (lambda: Matrix.empty((3, 0)), SizeMismatch, "3x0"),
    "Vector": (lambda: Vector.empty(3), InvalidArgument, "Vector(size=3"),
    "list": (lambda: [[0, 1], [1, 0]], InvalidArgument, "[[0, 1], [1, 0]]"),
    "array": (lambda: np.eye(1), InvalidArgument, "array([[1.]])"),
    "None": (lambda: None, InvalidArgument, "None"),
}
on_bad_graphs = pytest.mark.parametrize(
    ("make", "error", "shown"), list(BAD_GRAPHS.values()), ids=list(BAD_GRAPHS)
)

# Of a graph with 3 vertices.
BAD_VERTICES: list[tuple[Any, type[Exception]]] = [
    (-1, IndexOutOfRange),
    (3, IndexOutOfRange),
    (2**70, IndexOutOfRange),
    (True, InvalidValue),
    (np.True_, InvalidValue),
    (1.0, InvalidValue),
    (float("nan"), InvalidValue),
    ("1", InvalidValue),
    ([1], InvalidValue),
    (None, InvalidValue),
]
on_bad_vertices = pytest.mark.parametrize(
    ("vertex", "error"), BAD_VERTICES, ids=lambda x: x.__name__ if isinstance(x, type) else repr(x)
)


def refused(algorithm: Callable[..., Any], error: type[Exception], shown: str) -> Any:
    """Expect an error whose message begins with the algorithm's name and shows the value."""
    return pytest.raises(error, match=f"^{algorithm.__name__}: .*{re.escape(shown)}")


# Comparisons


def assert_vector(
    found: Vector, expected: dict[int, Any], *, size: int, dtype: str, rounding: float = 0.0
) -> None:
    """A vector of this size and dtype with just these entries, values up to a relative rounding."""
    assert isinstance(found, Vector), f"{found!r} is no Vector"
    assert found.size == size, f"size {found.size}, not {size}"
    assert found.dtype == dtype, f"dtype {found.dtype}, not {dtype}"
    assert_entries(found.to_dict(), expected, rounding=rounding)


def verify_tree(graph: Any, source: int, parents: dict[int, int]) -> None:
    """`parents` is a breadth-first tree of the NetworkX graph, one of those there may be."""
    levels = nx.single_source_shortest_path_length(graph, source)
    assert not (missing := levels.keys() - parents.keys()), f"reachable, not in the tree: {missing}"
    assert not (extra := parents.keys() - levels.keys()), f"in the tree, not reachable: {extra}"
    assert parents[source] == source, f"root {source} has the parent {parents[source]}"
    for vertex, parent in parents.items():
        if vertex == source:
            continue
        assert graph.has_edge(parent, vertex), f"no edge {parent} to {vertex}"
        assert levels[parent] == levels[vertex] - 1, f"{parent} is not one level nearer than {vertex}"


# Answers spoiled in one way each, to show that a comparison notices


def _rebuilt(x: Vector, indices: list[int], values: list[Any], size: int | None = None) -> Vector:
    return Vector.from_entries(indices, values, x.size if size is None else size, dtype=x.dtype)


def _changed(x: Vector) -> Vector:
    indices, values = (column.tolist() for column in x.to_entries())
    return _rebuilt(x, indices, [*values[:-1], values[-1] + 1])


def _missing(x: Vector) -> Vector:
    indices, values = (column.tolist() for column in x.to_entries())
    return _rebuilt(x, indices[:-1], values[:-1])


def _extra(x: Vector) -> Vector:
    """With an entry at the first free place, behind the end if there is no other."""
    indices, values = (column.tolist() for column in x.to_entries())
    free = min(set(range(x.size + 1)) - set(indices))
    return _rebuilt(x, [*indices, free], [*values, values[-1]], max(x.size, free + 1))


def _longer(x: Vector) -> Vector:
    indices, values = (column.tolist() for column in x.to_entries())
    return _rebuilt(x, indices, values, x.size + 1)


SPOILERS: dict[str, Callable[[Vector], Any]] = {
    "a value changed": _changed,
    "an entry missing": _missing,
    "an entry too many": _extra,
    "another size": _longer,
    "another dtype": lambda x: x.cast("int32"),
    "a dict": lambda x: x.to_dict(),
}
on_spoiled_answers = pytest.mark.parametrize("spoil", list(SPOILERS.values()), ids=list(SPOILERS))
