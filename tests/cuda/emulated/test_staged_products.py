"""Products whose messages never leave the device, on ranks that are threads, against the reference."""

from itertools import cycle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Semiring, Vector, binary_op
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.errors import BackendUnavailable, OperatorError
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_monoid, min_plus, min_source, plus_monoid, plus_times, source
from tests.conformance.cases import CASES, Case
from tests.cuda.emulated.staged import GridDevice, on, put_on_ranks
from tests.cuda.operators import own_min_select
from tests.cuda.support import needs_compiler
from tests.mpi.threaded import ThreadGroup, run_ranks
from tests.support.compare import assert_entries, entries

pytestmark = needs_compiler

FOLDS = ("alltoall", "scan", "wave")
SCALE = 6
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=3)
ROOT = int(SOURCES[0])


@pytest.fixture(scope="module")
def device() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        device = GridDevice()
        put_on_ranks(device, patch)
        yield device


def graph_on(backend: Any, symmetric: bool = True) -> Matrix:
    return Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=symmetric, backend=backend)


EXPECTED = {s: bfs_parents(graph_on("reference", s), ROOT).to_dict() for s in (True, False)}


@pytest.mark.parametrize(
    ("grid", "unit", "fold"),
    [("1x3", 5, "alltoall"), ("3x1", 32, "alltoall"), ("1x1", 64, "alltoall")]
    + [("2x2", 32, fold) for fold in FOLDS],
)
def test_parents_are_those_of_the_reference(device: Any, grid: str, unit: int, fold: str) -> None:
    """Blocks of whole words, blocks of any length and empty ones; each way to expand."""
    rows, columns = map(int, grid.split("x"))

    def search(world: ThreadGroup) -> None:
        ways = zip(("auto", "bitmap", "list"), cycle(EXPECTED.items()), strict=False)
        for parents, (expand, (symmetric, tree)) in zip(
            ("online", "final", "online"), ways, strict=True
        ):
            backend = on(world, grid=grid, unit=unit, fold=fold, expand=expand, parents=parents)
            assert bfs_parents(graph_on(backend, symmetric), ROOT).to_dict() == tree

    run_ranks(rows * columns, search)


@pytest.mark.parametrize("operation", ["mxv", "vxm", "reduce", "mxm"])
@settings(max_examples=3)
@given(data=st.data())
def test_operations(device: Any, operation: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    fold, unit = data.draw(st.sampled_from(FOLDS)), data.draw(st.sampled_from([1, 32]))
    expected = case.run("reference")

    def run(world: ThreadGroup) -> Any:
        return entries(case.run(on(world, grid="2x2", unit=unit, fold=fold)))

    rounding = 1e-5 if expected.dtype.kind == "f" else 0.0
    for found in run_ranks(4, run):
        assert_entries(found, entries(expected), rounding=rounding)


@binary_op(result=np.int64, positional=True)
def value_and_index(edge: Any, value: Any, k: Any) -> Any:
    return 3 * k + value


SEMIRINGS = {
    "values and edges": plus_times,
    "one's own": own_min_select,
    "indices, found again": min_source,
    "indices as values": Semiring(plus_monoid, source),
    "indices and values": Semiring(min_monoid, value_and_index),
}


@pytest.mark.parametrize("name", SEMIRINGS)
@pytest.mark.parametrize("edges", [300, 3], ids=["dense", "hypersparse"])
def test_what_travels_with_a_semiring(device: Any, name: str, edges: int) -> None:
    """Values, numbers made before and after, blocks that keep few rows; masks that grow, and that shrink."""
    n = 150
    rng = np.random.default_rng(7)
    sources, targets = rng.integers(0, n, edges), rng.integers(0, n, edges)
    weights = rng.integers(1, 9, edges)
    semiring = SEMIRINGS[name]

    def run(backend: Any) -> list[Any]:
        graph = Matrix.from_edges(
            sources, targets, weights, n=n, duplicates=anypair.semiring.minimum, backend=backend
        )
        u = Vector.from_entries(np.arange(0, n, 3), np.arange(0, n, 3), n, backend=backend)
        seen = Vector.from_entries([0, 40, 149], 1, n, dtype=int, backend=backend)
        found = []
        for inside in (range(0, n, 2), [5, 40]):
            found.append(entries(anypair.vxm(u, graph, semiring, mask=~seen.structure)))
            found.append(entries(anypair.mxv(graph, u, semiring, mask=seen.structure)))
            other = Vector.from_entries(inside, 1, n, dtype=int, backend=backend)
            anypair.apply(other, anypair.semiring.identity, out=seen, replace=True, mask=other.structure)
        found.append(entries(anypair.vxm(u, graph, semiring)))
        found.append(entries(anypair.reduce(graph, plus_monoid, by="rows")))
        return found

    expected = run("reference")
    for found in run_ranks(4, lambda world: run(on(world, grid="2x2", unit=32))):
        assert found == expected


def test_no_entries_at_all(device: Any) -> None:
    def run(world: ThreadGroup) -> None:
        for n in (1, 64):
            backend = on(world, grid="2x2")
            graph = Matrix.from_edges([], [], n=n, backend=backend)
            assert bfs_levels(graph, n - 1).to_dict() == {n - 1: 0}
            empty = Vector.empty(n, dtype=float, backend=backend)
            assert anypair.vxm(empty, graph, min_plus).nvals == 0

    run_ranks(4, run)


def test_a_search_moves_scalars_only(device: Any) -> None:
    """With device buffers no array passes through the host; by way of it, all do."""
    sources, targets = kronecker_edges(8, edgefactor=4)

    def run(world: ThreadGroup) -> dict[str, list[int]]:
        moved = {}
        for stage in ("host", "device"):
            backend = on(world, grid="2x2", stage=stage, unit=32)
            graph = Matrix.from_edges(sources, targets, n=256, symmetric=True, backend=backend)
            tree = bfs_parents(graph, int(sources[0]))  # counts degrees, the first time
            device.watched.moved.clear()
            bfs_parents(graph, int(sources[0]))
            anypair.vxm(tree, graph, own_min_select, mask=tree.structure)
            moved[stage] = list(device.watched.moved)
        return moved

    for moved in run_ranks(4, run):
        assert max(moved["device"]) <= 3  # where the part of each member begins, and fillers
        assert max(moved["host"]) >= 20


@binary_op(result=np.int64)
def fails_at_40(edge: Any, value: Any) -> Any:
    return 7 // (value - 40)


@pytest.mark.parametrize("fold", FOLDS)
def test_an_operator_that_fails_on_one_rank_fails_on_all(device: Any, fold: str) -> None:
    def run(world: ThreadGroup) -> None:
        backend = on(world, grid="2x2", fold=fold, unit=1)
        graph, u = graph_on(backend), Vector.from_numpy(np.arange(1 << SCALE), backend=backend)
        out = Vector.full(1 << SCALE, 7, backend=backend)
        with pytest.raises(OperatorError, match=r"^rank \d: .*fails_at_40"):
            anypair.mxv(graph, u, Semiring(min_monoid, fails_at_40), out=out)
        assert set(out.to_dict().values()) == {7}
        assert bfs_parents(graph, ROOT).to_dict() == EXPECTED[True]

    run_ranks(4, run)


def test_an_mpi_that_would_crash_is_refused(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "on_host", False)
    run_ranks(2, lambda world: on(world))  # threads take all there is

    def run(world: ThreadGroup) -> None:
        monkeypatch.setattr(world, "why_not_on_device", lambda: "no support for CUDA")
        with pytest.raises(BackendUnavailable, match="stage='device': no support for CUDA"):
            on(world)
        on(world, stage="host")

    run_ranks(2, run)
