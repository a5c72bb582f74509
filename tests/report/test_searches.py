"""Searches are found in traces by how their frontiers follow each other."""

from pathlib import Path

import pytest

import anypair
from anypair import Matrix
from anypair.algorithms import bellman_ford, bfs_levels, bfs_parents
from anypair.report.reading import TraceFile, collect
from anypair.report.searches import by_phase, frontiers, searches, typical
from tests.report.samples import operations, trace, write
from tests.support.graphs import SEI_SOURCE, sei_graph


def read(folder: Path, content: object) -> TraceFile:
    write(folder / "trace.json", content)
    (found,) = collect(folder).traces
    return found


def test_the_searches_of_a_real_trace(backend: str, tmp_path: Path) -> None:
    graph = sei_graph()
    with anypair.trace() as seen:
        bfs_parents(graph, SEI_SOURCE)
        bellman_ford(graph, SEI_SOURCE)
        bfs_levels(graph, 7)  # a vertex without edges
        bfs_parents(Matrix.from_edges([0, 1], [1, 2]), 0)  # a smaller graph
    seen.to_json(tmp_path / "trace.json", {"backend": backend, "graph": "SEI"})
    (found,) = collect(tmp_path).traces
    assert found.name == f"{backend}, SEI, trace.json"
    assert [[level.frontier for level in search] for search in searches(found)] == [[1, 2, 3, 2], [1]]


def test_levels_hold_what_happens_until_the_next_product(tmp_path: Path) -> None:
    found = searches(read(tmp_path, trace([1, 40, 3], [1, 9])))
    assert [len(search) for search in found] == [3, 2]
    assert all([o.operation for o in level.others] == ["update"] for s in found for level in s)
    assert [(f.least, f.median, f.most) for f in frontiers(found)] == [
        (1, 1, 1),
        (9, 24.5, 40),
        (3, 3, 3),
    ]


def test_phases_are_taken_from_their_product(tmp_path: Path) -> None:
    sent = {"expand": {"seconds": 4e-6, "sent": 100, "imbalance": 1.5}, "fold": {"sent": 7}}
    (search,) = searches(read(tmp_path, trace([1, 2], **sent)))
    seconds = by_phase([level.seconds() for level in search])
    assert seconds["expand"] == [4e-6, 4e-6]
    assert sum(map(sum, seconds.values())) == pytest.approx(2e-5 + 3e-7 + 1e-5)
    assert by_phase([level.bytes() for level in search]) == {"expand": [100, 100], "fold": [7, 7]}
    assert by_phase([level.imbalance() for level in search]) == {"expand": [1.5, 1.5], "fold": [1, 1]}


def test_the_typical_search_is_one_that_ran(tmp_path: Path) -> None:
    found = searches(read(tmp_path, trace([1, 5000], [1, 300], [1, 2])))
    assert [level.frontier for level in typical(found)] == [1, 300]


@pytest.mark.parametrize(
    "records",
    [
        [],
        operations([1, 5, 2])[:-2],  # breaks off
        operations([4, 2]),  # starts with more than one vertex
        [{**record, "operation": "mxm"} for record in operations([1, 2])],
    ],
    ids=["nothing", "breaks off", "starts wide", "other operations"],
)
def test_what_is_no_search(tmp_path: Path, records: list[dict[str, object]]) -> None:
    assert searches(read(tmp_path, {"operations": records})) == []
