"""Connected components, directions ignored; each is named by its smallest vertex."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from anypair import Vector
from anypair.algorithms import connected_components
from tests.algorithms.verifiers import (
    assert_vector,
    no_vertices,
    on_bad_graphs,
    on_named_graphs,
    on_spoiled_answers,
    refused,
)
from tests.support.graphs import NAMED, random_graphs, to_matrix


def check_components(graph: Any, found: Vector) -> None:
    components = nx.connected_components(graph.to_undirected())
    expected = {vertex: min(component) for component in components for vertex in component}
    assert_vector(found, expected, size=len(graph), dtype="int64")


@on_named_graphs
def test_named_graphs(backend: str, graph: Any) -> None:
    check_components(graph, connected_components(to_matrix(graph)))


@pytest.mark.parametrize("weight", [None, "weight"])
@given(graph=random_graphs(max_vertices=14))
def test_random_graphs(backend: str, graph: Any, weight: str | None) -> None:
    """Weights, zeros among them, make no difference."""
    check_components(graph, connected_components(to_matrix(graph, weight)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("directed", [False, True])
def test_long_paths_in_any_order(backend: str, seed: int, directed: bool) -> None:
    """Trees that take many rounds to hook on and to flatten: two paths with shuffled numbers."""
    order = np.random.default_rng(seed).permutation(60).tolist()
    graph = nx.empty_graph(60, create_using=nx.DiGraph if directed else nx.Graph)
    nx.add_path(graph, order[:25])
    nx.add_path(graph, order[25:])
    check_components(graph, connected_components(to_matrix(graph)))


def test_no_vertices(backend: str) -> None:
    assert_vector(connected_components(no_vertices()), {}, size=0, dtype="int64")


@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, make: Any, error: Any, shown: str) -> None:
    with refused(connected_components, error, shown):
        connected_components(make())


@on_spoiled_answers
def test_check_notices_a_spoiled_answer(backend: str, spoil: Any) -> None:
    graph = NAMED["two components"]
    answer = connected_components(to_matrix(graph))
    check_components(graph, answer)
    with pytest.raises(AssertionError):
        check_components(graph, spoil(answer))


def test_check_notices_a_name_that_is_not_the_smallest(backend: str) -> None:
    with pytest.raises(AssertionError, match="found, expected"):
        check_components(NAMED["one edge"], Vector.from_numpy([1, 1]))
