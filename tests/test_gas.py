"""Vertex programs: MapGraph's three against the algorithms, and what is refused."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from anypair import Matrix, Vector, gas
from anypair.algorithms import bellman_ford, bfs_parents, pagerank
from anypair.errors import AnypairError, InvalidArgument, InvalidValue, LossyCast, NotConverged
from anypair.semiring import first, gt, min_plus, min_source, minimum, ne, plus, plus_times
from tests.algorithms.verifiers import weighted
from tests.support.graphs import NAMED, to_matrix

PROGRAMS = runpy.run_path(str(Path(__file__).parent.parent / "examples" / "vertex_programs.py"))
SOME = ["one vertex", "no edges", "directed path", "two components", "SEI example", "random directed"]
on_some_graphs = pytest.mark.parametrize("graph", [NAMED[name] for name in SOME], ids=SOME)


@on_some_graphs
def test_breadth_first_search(backend: str, graph: Any) -> None:
    matrix = to_matrix(graph)
    for source in {0, matrix.nrows // 2}:
        expected = bfs_parents(matrix, source).to_dict()
        assert PROGRAMS["breadth_first"](matrix, source).to_dict() == expected
        start = Vector.from_entries([source], [source], matrix.nrows, dtype=int)
        assert gas.run(matrix, min_source, first, ne, start=start).to_dict() == expected
        assert start.to_dict() == {source: source}


@on_some_graphs
def test_shortest_paths(backend: str, graph: Any) -> None:
    matrix = to_matrix(weighted(graph), "weight", dtype=float)
    expected = bellman_ford(matrix, 0).to_dict()
    assert PROGRAMS["shortest_paths"](matrix, 0).to_dict() == expected
    start = Vector.from_entries([0], [0.0], matrix.nrows)
    assert gas.run(matrix, min_plus, minimum, gt, start=start).to_dict() == expected


@pytest.mark.parametrize("name", ["cycle", "star", "karate club", "directed cycle", "SEI example"])
def test_page_rank(backend: str, name: str) -> None:
    graph = NAMED[name]
    graph = graph.subgraph(range(7)).copy() if name == "SEI example" else graph  # none without an edge
    matrix = to_matrix(graph)
    expected = pagerank(matrix, tolerance=1e-12, limit=500).to_dict()
    assert PROGRAMS["page_rank"](matrix).to_dict() == pytest.approx(expected, abs=1e-6)


def test_a_vertex_that_gathers_nothing_applies_the_identity(backend: str) -> None:
    graph = Matrix.from_edges([0], [1], [2.0], n=3)
    found = gas.run(graph, plus_times, plus, ne, start=Vector.from_entries([0, 1], [5.0, 1.0], 3))
    assert found.to_dict() == {0: 5.0, 1: 21.0}  # 1 + 2 * 5, and again as 0 has told of its value


def path() -> Matrix:
    return Matrix.from_edges([0, 1, 2], [1, 2, 3])


def at_zero(value: Any, size: int = 4) -> Vector:
    return Vector.from_entries([0], [value], size)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "said"),
    [
        ((plus_times, plus, ne), {"start": at_zero, "changed_only": True}, InvalidArgument, "'plus'"),
        ((plus, plus, ne), {"start": at_zero}, InvalidArgument, "not a Semiring"),
        ((min_plus, minimum, gt), {"start": lambda x: [x]}, InvalidArgument, "not a Vector"),
        ((min_plus, minimum, gt), {"start": lambda x: at_zero(x, 5)}, ValueError, "size 5"),
        ((min_plus, minimum, gt), {"start": at_zero, "limit": 0}, InvalidValue, "limit=0"),
        ((min_plus, minimum, gt), {"start": at_zero, "limit": 1.5}, InvalidValue, "limit=1.5"),
        ((min_plus, minimum, gt), {"start": at_zero, "limit": 2}, NotConverged, "after 2 rounds"),
    ],
)
def test_what_is_refused(backend: str, arguments: Any, options: Any, error: Any, said: str) -> None:
    start = options["start"](0)
    with pytest.raises(error, match=said) as found:
        gas.run(path(), *arguments, **{**options, "start": start})
    assert isinstance(found.value, AnypairError)


def test_values_keep_their_dtype(backend: str) -> None:
    with pytest.raises(LossyCast):
        gas.run(path().cast(float), min_plus, minimum, gt, start=at_zero(0))
    assert gas.run(path(), min_plus, minimum, gt, start=at_zero(0), limit=5).to_dict() == {
        v: v for v in range(4)
    }
