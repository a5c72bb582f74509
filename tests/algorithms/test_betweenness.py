"""Betweenness against NetworkX; of an undirected graph each pair counts both ways."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector
from anypair.algorithms import betweenness
from anypair.errors import InvalidValue
from tests.algorithms.verifiers import (
    assert_vector,
    no_vertices,
    on_bad_graphs,
    on_bad_vertices,
    on_named_graphs,
    on_spoiled_answers,
    refused,
)
from tests.support.graphs import NAMED, random_graphs, to_matrix


def check_centrality(graph: Any, found: Vector, sources: list[int] | None = None) -> None:
    """Equal to NetworkX up to rounding, with entries for just those vertices that have any."""
    if sources is None:
        expected = nx.betweenness_centrality(graph, normalized=False)
    else:
        expected = nx.betweenness_centrality_subset(graph, sources, list(graph), normalized=False)
    ways = 1 if graph.is_directed() else 2
    nonzero = {vertex: ways * share for vertex, share in expected.items() if share}
    assert_vector(found, nonzero, size=len(graph), dtype="float64", rounding=1e-9)


@on_named_graphs
def test_named_graphs(backend: str, graph: Any) -> None:
    check_centrality(graph, betweenness(to_matrix(graph)))


@pytest.mark.parametrize("weight", [None, "steps", "weight"])
@given(graph=random_graphs())
def test_random_graphs(backend: str, graph: Any, weight: str | None) -> None:
    """Weights, zeros among them, make no difference."""
    check_centrality(graph, betweenness(to_matrix(graph, weight)))


@on_named_graphs
def test_some_sources_of_named_graphs(backend: str, graph: Any) -> None:
    sources = list(graph)[1::3]
    check_centrality(graph, betweenness(to_matrix(graph), sources), sources)


@given(graph=random_graphs(), data=st.data())
def test_some_sources_of_random_graphs(backend: str, graph: Any, data: Any) -> None:
    """In any order; one that is given twice counts twice."""
    sources = data.draw(st.lists(st.integers(0, len(graph) - 1), max_size=5))
    batch_size = data.draw(st.integers(1, 6))
    check_centrality(graph, betweenness(to_matrix(graph), sources, batch_size), sources)


@pytest.mark.parametrize("batch_size", [1, 2, 7, 34, 35, 10**9])
@pytest.mark.parametrize("name", ["karate club", "random directed"])
def test_batches_add_up(backend: str, name: str, batch_size: int) -> None:
    check_centrality(NAMED[name], betweenness(to_matrix(NAMED[name]), batch_size=batch_size))


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_kinds_of_sources(backend: str, kind: Any) -> None:
    graph, sources = NAMED["karate club"], [0, 5, 33]
    check_centrality(graph, betweenness(to_matrix(graph), kind(sources), 2), sources)


def test_range_of_sources(backend: str) -> None:
    graph, sources = NAMED["grid"], range(3, 9)
    check_centrality(graph, betweenness(to_matrix(graph), sources, 4), list(sources))


def test_no_sources(backend: str) -> None:
    assert_vector(betweenness(to_matrix(NAMED["path"]), []), {}, size=9, dtype="float64")


def test_no_vertices(backend: str) -> None:
    assert_vector(betweenness(no_vertices()), {}, size=0, dtype="float64")


@pytest.mark.parametrize("batch_size", [0, -1, 2.5, None])
def test_refuses_batch_size(backend: str, batch_size: Any) -> None:
    with refused(
        betweenness, InvalidValue, f"batch_size={batch_size} has to be a whole number from 1 on"
    ):
        betweenness(to_matrix(NAMED["path"]), batch_size=batch_size)


@pytest.mark.parametrize("sources", [3, "12"])
def test_refuses_sources(backend: str, sources: Any) -> None:
    with refused(betweenness, InvalidValue, f"sources={sources!r} is not a list of vertices"):
        betweenness(to_matrix(NAMED["path"]), sources)


@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, make: Any, error: Any, shown: str) -> None:
    with refused(betweenness, error, shown):
        betweenness(make())


@on_bad_vertices
def test_refuses_what_is_no_vertex(backend: str, vertex: Any, error: Any) -> None:
    with refused(betweenness, error, f"sources={vertex!r} is not a vertex"):
        betweenness(Matrix.from_edges([0, 1], [1, 2]), [0, vertex])


@on_spoiled_answers
@pytest.mark.parametrize("sources", [None, [1, 9, 12]])
def test_check_notices_a_spoiled_answer(backend: str, sources: Any, spoil: Any) -> None:
    graph = NAMED["random directed"]
    answer = betweenness(to_matrix(graph), sources)
    check_centrality(graph, answer, sources)
    with pytest.raises(AssertionError):
        check_centrality(graph, spoil(answer), sources)
