"""GAP's kernels: their graphs, their rules, and answers that are wrong in one way each."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Vector, gap
from anypair.algorithms import pagerank
from anypair.errors import InvalidValue, UnsupportedDType, ValidationFailed
from anypair.gap.graphs import EDGE_FACTOR, HEAVIEST, Graph, GraphSpec
from anypair.gap.kernels import KERNELS, Kernel
from tests.algorithms.verifiers import SPOILERS

SMALL = ("kron6", "urand6", "grid7")


@pytest.fixture(scope="module", params=SMALL)
def graph(request: pytest.FixtureRequest) -> Graph:
    with anypair.using("scipy"):
        return Graph.make(GraphSpec.parse(request.param), 1, 8)


def test_graphs_are_simple_and_symmetric(graph: Graph) -> None:
    rows, cols, weights = graph.weighted.to_entries()
    assert (rows != cols).all()
    assert graph.weighted.is_symmetric
    assert anypair.same(graph.weighted.T, graph.weighted)
    assert 1 <= weights.min() <= weights.max() <= HEAVIEST
    assert graph.weighted.dtype == "int32"
    assert graph.structure.nvals == graph.weighted.nvals
    assert set(graph.sources) <= set(rows.tolist())


def test_a_grid_has_the_edges_of_a_grid() -> None:
    a, b = GraphSpec.parse("grid3").edges(1)
    assert sorted(zip(a.tolist(), b.tolist(), strict=True)) == [
        (0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 6), (4, 5), (4, 7), (5, 8), (6, 7), (7, 8),
    ]  # fmt: skip


def test_a_seed_is_a_graph() -> None:
    one, again, other = (GraphSpec.parse("urand8").edges(seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one[0], other[0])
    assert len(one[0]) <= EDGE_FACTOR << 8


@pytest.mark.parametrize(
    "name", ["kron", "road5", "kron0", "kron41", "grid0", "kron-3", "", "grid12345678"]
)
def test_names_that_are_no_graph(name: str) -> None:
    with pytest.raises(InvalidValue, match=r"is not a graph|has to be from 1"):
        GraphSpec.parse(name)


def test_all_kernels_on_all_graphs(backend: str) -> None:
    result = gap.run(SMALL, trials=2)
    assert [(row.graph, row.kernel) for row in result.rows] == [(g, k) for g in SMALL for k in KERNELS]
    for row in result.rows:
        assert len(row.seconds) == 2
        assert row.verified == (2 if KERNELS[row.kernel].sources else 1)
        assert 0 < min(row.seconds) <= row.median
    assert result.as_json()["backend"] == backend


def test_trials_are_the_suites_own() -> None:
    assert {name: kernel.trials for name, kernel in KERNELS.items()} == {
        "bfs": 64, "sssp": 64, "pr": 16, "cc": 16, "bc": 16, "tc": 3,
    }  # fmt: skip


def _spoiled(answer: Any, spoil: Callable[[Vector], Any]) -> Any:
    return spoil(answer) if isinstance(answer, Vector) else answer + 1


@pytest.mark.parametrize("kernel", list(KERNELS.values()), ids=list(KERNELS))
@pytest.mark.parametrize("how", ["a value changed", "an entry missing"])
def test_a_wrong_answer_is_found(graph: Graph, kernel: Kernel, how: str) -> None:
    sources = graph.sources[: kernel.sources]
    answer = kernel.call(graph, sources)
    assert kernel.wrong(graph, answer, sources) == ""
    assert kernel.wrong(graph, _spoiled(answer, SPOILERS[how]), sources)


def test_a_parent_that_is_no_neighbour(graph: Graph) -> None:
    source = graph.sources[0]
    kernel = KERNELS["bfs"]
    parents = kernel.call(graph, [source])
    levels = anypair.algorithms.bfs_levels(graph.structure, source).to_numpy(missing=-1)
    found = parents.to_numpy(missing=-1)
    for vertex in np.flatnonzero(levels > 1):
        strangers = np.flatnonzero(levels == levels[vertex] - 1)
        strangers = [v for v in strangers if graph.structure.get(int(v), int(vertex)) is None]
        if strangers:
            found[vertex] = strangers[0]
            wrong = Vector.from_numpy(found, missing=-1, like=graph.structure)
            assert "an edge that the graph has not" in kernel.wrong(graph, wrong, [source])
            return
    pytest.skip("every vertex knows all of the level above it")


def test_what_is_wrong_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Kernel("tc", "triangles", 1, 0, lambda *_: -1, KERNELS["tc"].wrong)
    monkeypatch.setitem(KERNELS, "tc", broken)
    with pytest.raises(ValidationFailed, match="triangles of grid4 is wrong: -1 triangles instead of 0"):
        gap.run(["grid4"], ["tc"], backend="reference")
    assert gap.run(["grid4"], ["tc"], verify=False, backend="reference").rows[0].verified == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kernels": ["bfs", "apsp"]}, "'apsp' is not a kernel; there are bfs"),
        ({"kernels": []}, "no kernel is named"),
        ({"trials": 0}, "trials=0 has to be 1 or more"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        gap.run(["grid4"], backend="reference", **given)


def test_a_graph_without_an_edge() -> None:
    with pytest.raises(InvalidValue, match="grid1 has no edge"):
        gap.run(["grid1"], backend="reference")


# PageRank by the suite's rule


def test_so_many_iterations(backend: str) -> None:
    graph = anypair.Matrix.from_edges([0, 1, 2, 3], [1, 2, 0, 2])
    assert pagerank(graph, iterations=0).to_dict() == dict.fromkeys(range(4), 0.25)
    one = pagerank(graph, iterations=1).to_dict()
    assert one == pytest.approx({0: 0.25, 1: 0.25, 2: 0.4625, 3: 0.0375})
    many = pagerank(graph, iterations=200).to_dict()
    assert many == pytest.approx(pagerank(graph, tolerance=1e-12, limit=200).to_dict())


def test_ranks_in_single_precision(backend: str) -> None:
    weighted = anypair.Matrix.from_edges([0, 1, 2, 3, 3], [1, 2, 0, 2, 0], [1, 2, 3, 4, 5])
    for graph in (weighted, weighted.cast(bool)):
        single, double = (pagerank(graph, dtype=dtype) for dtype in ("float32", "float64"))
        assert (single.dtype, double.dtype) == ("float32", "float64")
        assert single.to_dict() == pytest.approx(double.to_dict(), rel=1e-5)
    with pytest.raises(UnsupportedDType, match="dtype='int64' has to be float64 or float32"):
        pagerank(weighted, dtype="int64")
    with pytest.raises(InvalidValue, match="iterations=-1"):
        pagerank(weighted, iterations=-1)
