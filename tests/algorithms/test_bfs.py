"""Breadth-first search: levels and smallest parents are unique, of other trees each has to be valid."""

import re
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from anypair import MAX, MIN, Matrix, Semiring, Vector, apply, binary_op, monoid, position, update, vxm
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.errors import IndexOutOfRange
from anypair.semiring import any_source
from tests.algorithms.verifiers import (
    assert_vector,
    graphs_and_sources,
    no_vertices,
    on_bad_graphs,
    on_bad_vertices,
    on_named_graphs,
    on_spoiled_answers,
    refused,
    sources_of,
    verify_tree,
)
from tests.support.graphs import NAMED, SEI_PARENTS, SEI_SOURCE, sei_graph, to_matrix


# As the documentation has them, word for word.
@binary_op
def second(edge, value):
    return value


@monoid(identity=MAX, terminal=MIN)
def smallest(x, y):
    return x if x < y else y


min_select = Semiring(smallest, second)


def own_min_select_bfs(graph: Matrix, source: int) -> Vector:
    """BFS as a user writes it with operators of their own."""
    parents = Vector.from_entries([source], [source], size=graph.nrows)
    frontier = parents
    while frontier.nvals:
        ids = apply(frontier, position)
        frontier = vxm(ids, graph, min_select, mask=~parents.structure)
        update(parents, frontier)
    return parents


def any_parent_bfs(graph: Matrix, source: int) -> Vector:
    """BFS that takes whichever parent comes first."""
    parents = Vector.from_entries([source], [source], size=graph.nrows)
    frontier = parents
    while frontier.nvals:
        frontier = vxm(frontier, graph, any_source, mask=~parents.structure)
        update(parents, frontier)
    return parents


def check_levels(graph: Any, source: int, found: Vector) -> None:
    levels = nx.single_source_shortest_path_length(graph, source)
    assert_vector(found, levels, size=len(graph), dtype="int64")


def check_parents(graph: Any, source: int, found: Vector) -> None:
    """Each vertex has the smallest of its in-neighbours that are one level nearer."""
    levels = nx.single_source_shortest_path_length(graph, source)
    expected = {source: source}
    for vertex in levels.keys() - {source}:
        neighbours = graph.predecessors(vertex) if graph.is_directed() else graph.neighbors(vertex)
        expected[vertex] = min(u for u in neighbours if levels.get(u) == levels[vertex] - 1)
    assert_vector(found, expected, size=len(graph), dtype="int64")


def check_valid_tree(graph: Any, source: int, found: Vector) -> None:
    assert found.size == len(graph)
    assert found.dtype == np.int64
    verify_tree(graph, source, found.to_dict())


SEARCHES: list[tuple[Callable[..., Vector], Callable[..., None]]] = [
    (bfs_levels, check_levels),
    (bfs_parents, check_parents),
    (own_min_select_bfs, check_parents),
    (any_parent_bfs, check_valid_tree),
]
on_searches = pytest.mark.parametrize(
    ("search", "check"), SEARCHES, ids=[search.__name__ for search, _ in SEARCHES]
)
on_library_searches = pytest.mark.parametrize("search", [bfs_levels, bfs_parents])


@on_searches
@on_named_graphs
def test_named_graphs(backend: str, graph: Any, search: Any, check: Any) -> None:
    matrix = to_matrix(graph)
    for source in sources_of(graph):
        check(graph, source, search(matrix, source))


@on_searches
@pytest.mark.parametrize("weight", [None, "steps", "weight"])
@given(graph_and_source=graphs_and_sources())
def test_random_graphs(
    backend: str, graph_and_source: Any, weight: str | None, search: Any, check: Any
) -> None:
    """Weights, zeros among them, make no difference."""
    graph, source = graph_and_source
    check(graph, source, search(to_matrix(graph, weight), source))


@pytest.mark.parametrize("search", [bfs_parents, own_min_select_bfs])
def test_worked_example(backend: str, search: Any) -> None:
    assert search(sei_graph(), SEI_SOURCE).to_dict() == SEI_PARENTS


@on_library_searches
@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.int32])
def test_source_may_be_a_numpy_integer(backend: str, search: Any, kind: Any) -> None:
    found, expected = search(sei_graph(), kind(SEI_SOURCE)), search(sei_graph(), SEI_SOURCE)
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("kind", [np.int8, np.uint64])
def test_parents_have_one_dtype_for_every_kind_of_source(backend: str, kind: Any) -> None:
    """A parent, 200, that does not fit into the dtype of the source."""
    graph = nx.empty_graph(202, create_using=nx.DiGraph)
    graph.add_edges_from([(0, 200), (200, 201)])
    check_parents(graph, 0, bfs_parents(to_matrix(graph), kind(0)))


@on_library_searches
@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, search: Any, make: Any, error: Any, shown: str) -> None:
    with refused(search, error, shown):
        search(make(), 0)


@on_library_searches
@on_bad_vertices
def test_refuses_what_is_no_vertex(backend: str, search: Any, vertex: Any, error: Any) -> None:
    with refused(search, error, f"source={vertex!r} is not a vertex"):
        search(Matrix.from_edges([0, 1], [1, 2]), vertex)


@on_library_searches
def test_no_vertex_is_in_a_graph_without_any(backend: str, search: Any) -> None:
    with refused(search, IndexOutOfRange, "source=0"):
        search(no_vertices(), 0)


@on_spoiled_answers
@pytest.mark.parametrize(("search", "check"), SEARCHES[:2], ids=["levels", "parents"])
def test_checks_notice_a_spoiled_answer(backend: str, search: Any, check: Any, spoil: Any) -> None:
    graph = NAMED["SEI example"]
    answer = search(sei_graph(), SEI_SOURCE)
    check(graph, SEI_SOURCE, answer)
    with pytest.raises(AssertionError):
        check(graph, SEI_SOURCE, spoil(answer))


def test_check_of_parents_notices_a_valid_tree_without_the_smallest(backend: str) -> None:
    diamond = nx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3)])
    other = Vector.from_entries([0, 1, 2, 3], [0, 0, 0, 2], size=4)
    check_valid_tree(diamond, 0, other)
    with pytest.raises(AssertionError):
        check_parents(diamond, 0, other)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({1: 6}, "root 1 has the parent 6", id="wrong root"),
        pytest.param({0: 6}, "no edge 6 to 0", id="no such edge"),
        pytest.param({0: -1}, "no edge -1 to 0", id="no such vertex"),
        pytest.param({4: 2}, "2 is not one level nearer than 4", id="same level"),
        pytest.param({4: 8, 8: 4}, "8 is not one level nearer than 4", id="cycle"),
        pytest.param({5: None}, "reachable, not in the tree: {5}", id="missing"),
        pytest.param({1: None}, "reachable, not in the tree: {1}", id="missing root"),
        pytest.param({7: 7}, "in the tree, not reachable: {7}", id="extra"),
    ],
)
def test_verifier_rejects(change: dict[int, int | None], reason: str) -> None:
    """The tree of the worked example with some parents changed, None for taken out."""
    graph = NAMED["SEI example"]
    verify_tree(graph, SEI_SOURCE, SEI_PARENTS)
    spoiled = {v: parent for v, parent in (SEI_PARENTS | change).items() if parent is not None}
    with pytest.raises(AssertionError, match=re.escape(reason)):
        verify_tree(graph, SEI_SOURCE, spoiled)


def test_verifier_rejects_an_edge_against_its_direction() -> None:
    graph = nx.DiGraph([(0, 1), (2, 1), (0, 3), (3, 2)])
    with pytest.raises(AssertionError, match="no edge 1 to 2"):
        verify_tree(graph, 0, {0: 0, 1: 0, 3: 0, 2: 1})
