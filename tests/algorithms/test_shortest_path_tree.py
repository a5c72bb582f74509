"""Trees of shortest paths: over edges that make up the distances, to the source, smallest parents first."""

from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from anypair import Matrix, Vector
from anypair.algorithms import bellman_ford, bfs_parents, shortest_path_parents
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch
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


def expected_parents(graph: Any, source: int, weight: str) -> dict[int, int]:
    """Breadth-first over the edges as long as the distances of their ends differ."""
    distances = nx.single_source_bellman_ford_path_length(graph, source, weight=weight)
    directed = graph if graph.is_directed() else graph.to_directed()
    tight = nx.DiGraph()
    tight.add_nodes_from(distances)
    for u, v, data in directed.edges(data=True):
        if u in distances and distances[u] + data[weight] == distances[v]:
            tight.add_edge(u, v)
    levels = nx.single_source_shortest_path_length(tight, source)
    assert levels.keys() == distances.keys()
    parents = {source: source}
    for v in levels.keys() - {source}:
        parents[v] = min(u for u in tight.predecessors(v) if levels[u] == levels[v] - 1)
    return parents


def check(graph: Any, source: int, weight: str, found: Vector) -> None:
    assert_vector(found, expected_parents(graph, source, weight), size=len(graph), dtype="int64")


def tree(graph: Any, source: int, weight: str) -> Vector:
    matrix = to_matrix(graph, weight, {"steps": "int64", "weight": "float64"}[weight])
    return shortest_path_parents(matrix, source, bellman_ford(matrix, source))


on_weights = pytest.mark.parametrize("weight", ["steps", "weight"])


@on_weights
@on_named_graphs
def test_named_graphs(backend: str, graph: Any, weight: str) -> None:
    graph = weighted(graph)
    for source in sources_of(graph):
        check(graph, source, weight, tree(graph, source, weight))


@on_weights
@given(graph_and_source=graphs_and_sources())
def test_random_graphs(backend: str, graph_and_source: Any, weight: str) -> None:
    graph, source = graph_and_source
    check(graph, source, weight, tree(graph, source, weight))


def test_edges_of_weight_0_make_no_cycle(backend: str) -> None:
    graph = weighted(nx.complete_graph(6), lambda u, v: 0)
    check(graph, 2, "steps", tree(graph, 2, "steps"))
    assert set(tree(graph, 2, "steps").to_dict().values()) == {2}


def test_negative_weights(backend: str) -> None:
    graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4, 1, -4])
    assert shortest_path_parents(graph, 0, bellman_ford(graph, 0)).to_dict() == {0: 0, 1: 0, 2: 1}


def test_without_weights_it_is_breadth_first(backend: str) -> None:
    graph = to_matrix(NAMED["karate club"])
    found = shortest_path_parents(graph, 5, bellman_ford(graph, 5))
    assert found.to_dict() == bfs_parents(graph, 5).to_dict()


def test_single_precision_weights_and_double_precision_distances(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 0], [1, 2, 2], [0.1, 0.2, 0.5], dtype="float32")
    assert shortest_path_parents(graph, 0, bellman_ford(graph, 0)).to_dict() == {0: 0, 1: 0, 2: 1}


@pytest.mark.parametrize(
    "wrong",
    [{0: 0.0, 1: 3.0, 2: 7.0}, {0: 0.0, 1: 4.0, 2: 6.5}, {0: 0.0, 1: 4.0, 2: 9.0}, {1: 4.0}, {}],
    ids=["too short", "too short at the end", "a detour", "no source", "none"],
)
def test_refuses_other_distances(backend: str, wrong: dict[int, float]) -> None:
    graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4.0, 9.0, 3.0])
    distances = Vector.from_entries(list(wrong), list(wrong.values()), 3, dtype=float)
    with refused(shortest_path_parents, InvalidValue, "are not the shortest ones from 0"):
        shortest_path_parents(graph, 0, distances)


def test_refuses_what_are_no_distances(backend: str) -> None:
    graph = Matrix.from_edges([0], [1])
    with refused(shortest_path_parents, SizeMismatch, "3 distances are not one for each of the 2"):
        shortest_path_parents(graph, 0, Vector.empty(3))
    with refused(shortest_path_parents, InvalidArgument, "distances=[0, 1] is not a Vector"):
        shortest_path_parents(graph, 0, [0, 1])  # type: ignore[arg-type]


@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, make: Any, error: Any, shown: str) -> None:
    with refused(shortest_path_parents, error, shown):
        shortest_path_parents(make(), 0, Vector.empty(3))


@on_bad_vertices
def test_refuses_what_is_no_vertex(backend: str, vertex: Any, error: Any) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2])
    with refused(shortest_path_parents, error, f"source={vertex!r} is not a vertex"):
        shortest_path_parents(graph, vertex, Vector.empty(3))


@on_spoiled_answers
def test_check_notices_a_spoiled_answer(backend: str, spoil: Any) -> None:
    graph = weighted(NAMED["two components"])
    answer = tree(graph, 0, "steps")
    check(graph, 0, "steps", answer)
    with pytest.raises(AssertionError):
        check(graph, 0, "steps", spoil(answer))
