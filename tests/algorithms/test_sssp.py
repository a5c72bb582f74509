"""Shortest paths: equal to NetworkX, exactly, since all float weights are multiples of 1/4."""

import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector
from anypair.algorithms import bellman_ford, delta_stepping
from anypair.errors import InvalidValue, NegativeCycle
from tests.algorithms.verifiers import (
    assert_vector,
    graphs_and_sources,
    on_bad_graphs,
    on_bad_vertices,
    on_named_graphs,
    on_spoiled_answers,
    refused,
    sources_of,
    weighted,
)
from tests.support.graphs import NAMED, to_matrix

DELTAS = (1e-9, 0.25, 1, 3.5, 1000, math.inf)
DTYPES = {None: "int64", "steps": "int64", "weight": "float64"}  # of the distances
on_weights = pytest.mark.parametrize("weight", list(DTYPES))
on_algorithms = pytest.mark.parametrize(
    ("algorithm", "arguments"), [(bellman_ford, ()), (delta_stepping, (2.0,))]
)


def matrix_of(graph: Any, weight: str | None) -> Matrix:
    """Of bool without a weight, and of the weight's dtype even if there is no edge."""
    return to_matrix(graph, weight, DTYPES[weight] if weight else None)


def check_distances(graph: Any, source: int, weight: str | None, found: Vector) -> None:
    """Equal to NetworkX, by Bellman-Ford, for which an edge without the weight counts 1."""
    named = "an attribute that no edge has" if weight is None else weight
    expected = nx.single_source_bellman_ford_path_length(graph, source, weight=named)
    assert_vector(found, dict(expected), size=len(graph), dtype=DTYPES[weight])


@on_weights
@on_named_graphs
def test_bellman_ford_on_named_graphs(backend: str, graph: Any, weight: str | None) -> None:
    graph = weighted(graph)
    matrix = matrix_of(graph, weight)
    for source in sources_of(graph):
        check_distances(graph, source, weight, bellman_ford(matrix, source))


@on_weights
@on_named_graphs
def test_delta_stepping_on_named_graphs(backend: str, graph: Any, weight: str | None) -> None:
    graph = weighted(graph)
    matrix = matrix_of(graph, weight)
    for delta in DELTAS:
        source = len(graph) // 2
        check_distances(graph, source, weight, delta_stepping(matrix, source, delta))


@on_weights
@given(graph_and_source=graphs_and_sources())
def test_bellman_ford_on_random_graphs(backend: str, graph_and_source: Any, weight: str | None) -> None:
    graph, source = graph_and_source
    check_distances(graph, source, weight, bellman_ford(matrix_of(graph, weight), source))


@on_weights
@given(graph_and_source=graphs_and_sources(), delta=st.sampled_from(DELTAS))
def test_delta_stepping_on_random_graphs(
    backend: str, graph_and_source: Any, delta: float, weight: str | None
) -> None:
    graph, source = graph_and_source
    check_distances(graph, source, weight, delta_stepping(matrix_of(graph, weight), source, delta))


@pytest.mark.parametrize("weight", ["steps", "weight"])
@given(
    graph_and_source=graphs_and_sources(directed=True),
    heights=st.lists(st.integers(-20, 20), min_size=9, max_size=9),
)
def test_negative_weights_without_a_negative_cycle(
    backend: str, graph_and_source: Any, heights: list[int], weight: str
) -> None:
    """Heights added to weights that are not negative cancel out on every cycle."""
    graph, source = graph_and_source
    hilly = weighted(graph, lambda u, v: graph[u][v]["steps"] + heights[u] - heights[v])
    check_distances(hilly, source, weight, bellman_ford(matrix_of(hilly, weight), source))


@given(graph_and_source=graphs_and_sources())
def test_negative_cycles_are_found_where_networkx_finds_them(
    backend: str, graph_and_source: Any
) -> None:
    graph, source = graph_and_source
    lower = weighted(graph, lambda u, v: graph[u][v]["steps"] - 6)
    matrix = matrix_of(lower, "steps")
    try:
        nx.single_source_bellman_ford_path_length(lower, source, weight="steps")
    except nx.NetworkXUnbounded:
        with refused(bellman_ford, NegativeCycle, f"negative length can be reached from {source}"):
            bellman_ford(matrix, source)
    else:
        check_distances(lower, source, "steps", bellman_ford(matrix, source))


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param([(0, 0, -1)], id="loop"),
        pytest.param([(0, 1, 5), (1, 1, -1)], id="loop further on"),
        pytest.param([(0, 1, 3), (1, 0, -4)], id="to and fro"),
        pytest.param([(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, -4)], id="through all vertices"),
        pytest.param([(0, 1, 0.25), (1, 2, -0.5), (2, 1, 0.25)], id="floats"),
    ],
)
def test_negative_cycle(backend: str, edges: list[tuple[int, int, float]]) -> None:
    graph = Matrix.from_edges(*map(list, zip(*edges, strict=True)))
    with refused(bellman_ford, NegativeCycle, "can be reached from 0"):
        bellman_ford(graph, 0)


def test_cycles_that_do_no_harm(backend: str) -> None:
    """One of length 0, and a negative one that is out of reach."""
    graph = Matrix.from_edges([0, 1, 2, 2], [1, 0, 2, 0], [2, -2, -1, 1])
    assert bellman_ford(graph, 0).to_dict() == {0: 0, 1: 2}


@on_algorithms
@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("int8", "int64"), ("uint8", "int64"), ("float32", "float64"), ("uint64", "uint64")],
)
def test_sums_outgrow_the_dtype_of_the_weights(
    backend: str, algorithm: Any, arguments: Any, narrow: str, wide: str
) -> None:
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [100, 100, 100], dtype=narrow)
    distances = {0: 0, 1: 100, 2: 200, 3: 300}
    assert_vector(algorithm(graph, 0, *arguments), distances, size=4, dtype=wide)


@on_algorithms
def test_false_counts_nothing(backend: str, algorithm: Any, arguments: Any) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [True, False])
    assert algorithm(graph, 0, *arguments).to_dict() == {0: 0, 1: 1, 2: 1}


@on_algorithms
@pytest.mark.parametrize("weight", [math.inf, -math.inf, math.nan])
def test_refuses_weights_that_are_not_finite(
    backend: str, algorithm: Any, arguments: Any, weight: float
) -> None:
    graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [weight, 4.0, 1.0])
    with refused(algorithm, InvalidValue, "a weight is infinite or NaN"):
        algorithm(graph, 0, *arguments)


def test_delta_far_below_the_spacing_of_floats(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], [2.0**60, 1024.0])
    assert delta_stepping(graph, 0, 1e-300).to_dict() == {0: 0.0, 1: 2.0**60, 2: 2.0**60 + 1024}


@pytest.mark.parametrize("delta", [0, 0.0, -1, -math.inf, math.nan, True, "wide", None])
def test_delta_stepping_refuses_delta(backend: str, delta: float) -> None:
    with refused(delta_stepping, InvalidValue, f"delta={delta!r} has to be a number from"):
        delta_stepping(Matrix.from_edges([0], [1]), 0, delta)


@pytest.mark.parametrize("least", [-2, -0.25])
def test_delta_stepping_refuses_negative_weights(backend: str, least: float) -> None:
    """Also out of reach of the source."""
    with refused(delta_stepping, InvalidValue, f"weight {least} is negative"):
        delta_stepping(Matrix.from_edges([0, 2], [1, 1], [1, least]), 0, 1)


@on_algorithms
@on_bad_graphs
def test_refuses_what_is_no_graph(
    backend: str, algorithm: Any, arguments: Any, make: Any, error: Any, shown: str
) -> None:
    with refused(algorithm, error, shown):
        algorithm(make(), 0, *arguments)


@on_algorithms
@on_bad_vertices
def test_refuses_what_is_no_vertex(
    backend: str, algorithm: Any, arguments: Any, vertex: Any, error: Any
) -> None:
    with refused(algorithm, error, f"source={vertex!r} is not a vertex"):
        algorithm(Matrix.from_edges([0, 1], [1, 2]), vertex, *arguments)


@on_weights
@on_spoiled_answers
def test_check_notices_a_spoiled_answer(backend: str, weight: str | None, spoil: Any) -> None:
    graph = weighted(NAMED["two components"])
    answer = bellman_ford(matrix_of(graph, weight), 0)
    check_distances(graph, 0, weight, answer)
    with pytest.raises(AssertionError):
        check_distances(graph, 0, weight, spoil(answer))
