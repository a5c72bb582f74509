"""Triangles of undirected graphs; loops and weights make no difference."""

from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from anypair.algorithms import triangle_count
from tests.algorithms.verifiers import no_vertices, on_bad_graphs, on_named_graphs, refused, weighted
from tests.support.graphs import NAMED, random_graphs, to_matrix

on_weights = pytest.mark.parametrize(
    ("weight", "dtype"),
    [(None, None), ("steps", "int8"), ("steps", "uint64"), ("weight", "float32"), ("weight", None)],
)


def check_count(graph: Any, found: int) -> None:
    """Each triangle is counted once; NetworkX counts it at each corner."""
    expected = sum(nx.triangles(graph).values()) // 3
    assert type(found) is int, f"{found!r} is a {type(found).__name__}"
    assert found == expected, f"{found} triangles, not {expected}"


@on_weights
@on_named_graphs
def test_named_graphs(backend: str, graph: Any, weight: str | None, dtype: str | None) -> None:
    graph = weighted(graph.to_undirected())
    check_count(graph, triangle_count(to_matrix(graph, weight, dtype)))


@on_weights
@given(graph=random_graphs(directed=False))
def test_random_graphs(backend: str, graph: Any, weight: str | None, dtype: str | None) -> None:
    check_count(graph, triangle_count(to_matrix(graph, weight, dtype)))


def _book(pages: int) -> Any:
    """Triangles that all share the edge from the first vertex to the last."""
    return nx.Graph([(0, pages + 1), *((v, p) for v in (0, pages + 1) for p in range(1, pages + 1))])


@pytest.mark.parametrize("dtype", [bool, "int8", "uint8"])
@pytest.mark.parametrize("graph", [_book(300), nx.complete_graph(13)], ids=["book", "complete"])
def test_counts_outgrow_the_dtype_of_the_weights(backend: str, graph: Any, dtype: Any) -> None:
    check_count(graph, triangle_count(to_matrix(graph, dtype=dtype)))


def test_no_vertices(backend: str) -> None:
    assert triangle_count(no_vertices()) == 0


@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, make: Any, error: Any, shown: str) -> None:
    with refused(triangle_count, error, shown):
        triangle_count(make())


@pytest.mark.parametrize("spoil", [lambda n: n + 1, lambda n: 3 * n, lambda n: 0, float])
def test_check_notices_a_spoiled_answer(spoil: Any) -> None:
    graph = NAMED["complete"]
    check_count(graph, 20)
    with pytest.raises(AssertionError):
        check_count(graph, spoil(20))
