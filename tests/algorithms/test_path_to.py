"""One path out of a tree of parents."""

from typing import Any

import networkx as nx
import pytest

from anypair import Vector
from anypair.algorithms import bellman_ford, bfs_parents, path_to, shortest_path_parents
from anypair.errors import IndexOutOfRange, InvalidArgument, InvalidValue
from tests.algorithms.graphs import GRAPHS
from tests.algorithms.row import matrix_of
from tests.algorithms.rows.searches import smallest_parents


@pytest.mark.parametrize("name", ["long path", "karate club", "random directed", "cycles in a row"])
def test_of_a_breadth_first_tree(backend: str, name: str) -> None:
    graph = GRAPHS[name]
    parents, expected = bfs_parents(matrix_of(graph, None), 2), smallest_parents(graph, 2)
    for target in (0, 2, len(graph) // 2, len(graph) - 1):
        path = [target] if target in expected else []
        while path and path[-1] != 2:
            path.append(expected[path[-1]])
        assert path_to(parents, target).tolist() == path[::-1]


def test_of_a_tree_of_shortest_paths(backend: str) -> None:
    graph = GRAPHS["karate club"]
    matrix = matrix_of(graph, "weight")
    parents = shortest_path_parents(matrix, 0, bellman_ford(matrix, 0))
    for target in (0, 16, 33):
        path = path_to(parents, target).tolist()
        assert (path[0], path[-1]) == (0, target)
        length = nx.path_weight(graph, path, "weight")
        assert length == nx.dijkstra_path_length(graph, 0, target)


def test_parents_that_lead_in_a_circle(backend: str) -> None:
    parents = Vector.from_entries([0, 1, 2], [1, 2, 0], size=3)
    with pytest.raises(
        InvalidValue, match=r"^path_to: parents lead from 1 to no vertex that is its own"
    ):
        path_to(parents, 1)


def test_parents_that_end_nowhere(backend: str) -> None:
    with pytest.raises(
        InvalidValue, match=r"^path_to: parents lead from 1 to no vertex that is its own"
    ):
        path_to(Vector.from_entries([1], [2], size=3), 1)


@pytest.mark.parametrize(
    ("parents", "target", "error"),
    [
        (Vector.full(3, 0, backend="scipy"), 3, IndexOutOfRange),
        (Vector.full(3, 0, backend="scipy"), -1, IndexOutOfRange),
        (Vector.full(3, 0, backend="scipy"), True, InvalidValue),
        (Vector.full(3, 0, backend="scipy"), "1", InvalidValue),
        (Vector.full(3, 0.0, backend="scipy"), 1, InvalidArgument),
        (Vector.from_entries([0, 1], [0, 3], 3, backend="scipy"), 0, IndexOutOfRange),
        (Vector.from_entries([0, 1], [0, -1], 3, backend="scipy"), 1, IndexOutOfRange),
        ({0: 0}, 0, InvalidArgument),
    ],
)
def test_refuses(parents: Any, target: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^path_to: "):
        path_to(parents, target)
