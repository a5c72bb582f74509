"""The logic of the grid on ranks that are threads: searches in all ways, every operation, failures."""

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, generators
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.errors import (
    AnypairError,
    BackendUnavailable,
    DistributedError,
    DuplicateEntries,
    ImprovingCycle,
    IndexOutOfRange,
    InvalidValue,
    OperatorError,
    ResultOverflow,
    SizeMismatch,
    UnknownOption,
)
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_monoid, min_plus, min_source, plus, plus_times
from tests.conformance.cases import CASES, Case, gives_one_answer
from tests.mpi.threaded import ThreadGroup, run_ranks
from tests.support.compare import assert_entries, entries
from tests.support.covering import cases
from tests.support.strategies import SEMIRINGS

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend, phase_table, phases_of
from anypair.backends.mpi import backend as mpi_backend
from anypair.backends.mpi.locals import load_local

GRIDS = [f"{r}x{c}" for r in range(1, 7) for c in range(1, 7) if r * c <= 6]
FOLDS, MODES, PARENTS = ("alltoall", "scan", "wave"), ("auto", "bitmap", "list"), ("online", "final")
SCALE = 7
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
ROOT = int(SOURCES[0])


def graph_on(backend: Any, symmetric: bool) -> Matrix:
    return Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=symmetric, backend=backend)


EXPECTED = {
    symmetric: bfs_parents(graph_on("reference", symmetric), ROOT).to_dict()
    for symmetric in (True, False)
}


def ranks_of(grid: str) -> int:
    return prod(map(int, grid.split("x")))


def on(world: ThreadGroup, **options: Any) -> MpiBackend:
    return MpiBackend(**{"local": "scipy", "threads": 1, **options}, world=world)


@pytest.mark.parametrize(
    ("grid", "local", "fold", "expand", "parents", "symmetric"),
    cases(GRIDS, ("scipy", "suitesparse", "jit"), FOLDS, MODES, PARENTS, (True, False), strength=3),
)
def test_parents_are_those_of_the_reference(
    grid: str, local: str, fold: str, expand: str, parents: str, symmetric: bool
) -> None:
    """Every grid of 1 to 6 ranks, each fold, each way to expand, parents on the way and at the end."""

    def search(world: ThreadGroup) -> None:
        backend = on(world, grid=grid, local=local, fold=fold, expand=expand, parents=parents)
        graph = graph_on(backend, symmetric)
        assert bfs_parents(graph, ROOT).to_dict() == EXPECTED[symmetric]

    run_ranks(ranks_of(grid), search)


@pytest.mark.parametrize("direction", ["push", "pull", "auto"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_directions_layouts_and_uneven_blocks(direction: str, lanes: int) -> None:
    def search(world: ThreadGroup) -> None:
        for unit in (1, 3, 64):
            backend = on(world, local="jit", unit=unit, direction=direction, lanes=lanes, grid="2x2")
            for symmetric, tree in EXPECTED.items():
                assert bfs_parents(graph_on(backend, symmetric), ROOT).to_dict() == tree

    run_ranks(4, search)


@pytest.mark.parametrize("grid", ["1x1", "2x2", "1x3", "3x1", "3x2"])
@pytest.mark.parametrize("operation", CASES)
@settings(max_examples=8)
@given(data=st.data())
def test_every_operation(operation: str, grid: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[operation])
    fold = data.draw(st.sampled_from(FOLDS))
    expected = case.run("reference")

    def run(world: ThreadGroup) -> Any:
        result = case.run(on(world, grid=grid, unit=1, fold=fold))  # type: ignore[arg-type]
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        assert result.nvals == expected.nvals
        return entries(result)

    rounding = 1e-5 if expected.dtype.kind == "f" else 0.0
    for found in run_ranks(ranks_of(grid), run):
        assert_entries(found, entries(expected), rounding=rounding)


@pytest.mark.parametrize(
    ("name", "product", "grid", "fold"),
    cases(sorted(SEMIRINGS), ("mxv", "vxm", "mxm"), ("2x2", "1x3", "3x2"), FOLDS),
)
def test_every_semiring(name: str, product: str, grid: str, fold: str) -> None:
    """On a graph whose vertices have several neighbours on several ranks; `any` may choose among them."""
    semiring = SEMIRINGS[name]

    def run(backend: Any) -> dict[Any, Any]:
        graph = graph_on(backend, False).cast(np.int16)
        values = np.arange(1 << SCALE, dtype=np.int16) % 5
        u = Vector.from_entries(range(0, 1 << SCALE, 3), values[::3], 1 << SCALE, backend=backend)
        arguments = {"mxv": (graph, u), "vxm": (u, graph), "mxm": (graph, graph)}[product]
        return entries(getattr(anypair, product)(*arguments, semiring))

    expected = run("reference")
    one_answer = gives_one_answer(semiring.typed(np.dtype(np.int16), np.dtype(np.int16)))
    for found in run_ranks(ranks_of(grid), lambda world: run(on(world, grid=grid, fold=fold, unit=1))):
        assert found == expected if one_answer else found.keys() == expected.keys()


@pytest.mark.parametrize("grid", ["2x2", "3x1"])
def test_all_ranks_refuse_a_closure_in_the_same_words(grid: str) -> None:
    """A cycle through all blocks, a length that one rank has, and NaN that one rank has."""
    ring = (range(10), [*range(1, 10), 0])
    cases: list[tuple[Any, Any, type[AnypairError]]] = [
        ([1] * 9 + [-10], 0, ImprovingCycle),
        (np.array([50] * 9 + [0], np.int8), np.int8(0), ResultOverflow),
        ([2**62] * 9 + [0], 0, ResultOverflow),
        ([1.0] * 10, np.nan, InvalidValue),
        ([1.0] * 9 + [np.nan], 0.0, InvalidValue),
    ]

    def refused(backend: Any) -> list[str]:
        said = []
        for weights, value, error in cases:
            graph = Matrix.from_edges(*ring, weights, backend=backend)
            u = Vector.from_entries([7], [value], 10, dtype=graph.dtype, backend=backend)
            with pytest.raises(error) as found:
                anypair.closure(u, graph, min_plus)
            said.append(str(found.value))
        return said

    expected = refused("reference")
    assert "0 -> 1 -> 2" in expected[0]
    for found in run_ranks(ranks_of(grid), lambda world: refused(on(world, grid=grid, unit=1))):
        assert found == expected


@pytest.mark.parametrize("entries_in_a_round", [1 << 20, 100])
def test_slices_of_edges_make_the_whole_graph(
    entries_in_a_round: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In rounds, with weights and duplicates folded in the order of the ranks, some slices empty."""
    for module in ("building", "exchange"):
        monkeypatch.setattr(f"anypair.backends.mpi.{module}.ROUND", entries_in_a_round)
    weights = np.arange(len(SOURCES))
    whole = Matrix.from_edges(
        SOURCES, TARGETS, weights, n=1 << SCALE, duplicates=anypair.semiring.minus, backend="reference"
    )

    def build(world: ThreadGroup) -> Any:
        mine = slice(len(SOURCES) * max(world.rank - 1, 0) // 3, len(SOURCES) * world.rank // 3)
        backend = on(world, grid="2x2")
        graph = Matrix.from_edges(
            SOURCES[mine],
            TARGETS[mine],
            weights[mine],
            duplicates=anypair.semiring.minus,
            distributed=True,
            backend=backend,
        )
        unweighted = Matrix.from_edges(
            SOURCES[mine], TARGETS[mine], symmetric=True, distributed=True, backend=backend
        )
        return entries(graph), bfs_levels(unweighted, ROOT).to_dict()

    levels = bfs_levels(graph_on("reference", True), ROOT).to_dict()
    for found, reached in run_ranks(4, build):
        assert found == entries(whole)
        assert reached == levels


def test_shuffled_vertices_give_the_same_levels() -> None:
    levels = bfs_levels(graph_on("reference", True), ROOT).to_dict()

    def run(world: ThreadGroup) -> Any:
        shuffled = graph_on(on(world, grid="2x2"), True).shuffled(seed=4)
        found = bfs_levels(shuffled.graph, shuffled.new(ROOT))
        tree = shuffled.restore(bfs_parents(shuffled.graph, shuffled.new(ROOT)), vertices=True)
        return shuffled.restore(found, vertices=False).to_dict(), tree.to_dict()

    for found, tree in run_ranks(4, run):
        assert found == levels
        assert all(v == p == ROOT or levels[v] == levels[p] + 1 for v, p in tree.items())


@pytest.mark.parametrize("unit", [1, 64])
def test_compacted_vertices_give_the_same_tree(unit: int) -> None:
    whole = graph_on("reference", True)
    tree = bfs_parents(whole, ROOT).to_dict()

    def run(world: ThreadGroup) -> Any:
        compacted = graph_on(on(world, grid="2x2", unit=unit), True).compact()
        found = bfs_parents(compacted.graph, compacted.new(ROOT))
        with pytest.raises(IndexOutOfRange, match="is not a vertex"):
            compacted.restore(Vector.full(compacted.graph.nrows, -1, like=found), vertices=True)
        return entries(compacted.graph), compacted.restore(found, vertices=True).to_dict()

    expected = entries(whole.compact().graph)
    for graph, found in run_ranks(4, run):
        assert graph == expected
        assert found == tree


def test_phases_of_all_ranks_come_together() -> None:
    """Bytes sent are bytes received, and every product has its phases."""

    def run(world: ThreadGroup) -> Any:
        backend = on(world, grid="2x2")
        graph = graph_on(backend, True)
        with anypair.trace() as trace:
            bfs_parents(graph, ROOT)
        return trace, phases_of(trace, backend), phase_table(trace, backend)

    for trace, rows, table in run_ranks(4, run):
        products = [record for record in trace.records if record.operation == "vxm"]
        named = [row for row in rows if row["operation"] == "vxm"]
        assert {row["phase"] for row in named} == {"expand", "mask", "local", "fold", "reduce"}
        assert len({row["number"] for row in named}) == len(products)
        for row in rows:
            assert row["sent"] == row["received"]
            assert row["imbalance"] >= 1 or row["seconds"] == 0
        assert table.splitlines()[0].split()[:3] == ["number", "operation", "phase"]
        assert len(table.splitlines()) == 1 + len(rows)


@pytest.mark.parametrize(
    ("sources", "targets", "weights", "kind"),
    [
        ([0, 10], [1, 2], [1, 1], IndexOutOfRange),
        ([0, 1], [1], [1, 1], SizeMismatch),
        ([0, 1.5], [1, 2], [1, 1], InvalidValue),
        ([0, 1], [1, 2], [1, 1 << 70], InvalidValue),
        ([0, 1], [1, 2], [1], SizeMismatch),
    ],
)
def test_a_slice_of_one_rank_that_is_wrong(
    sources: Any, targets: Any, weights: Any, kind: type[AnypairError]
) -> None:
    """All ranks hear why, and of which rank it is; afterwards they are in step."""

    def build(world: ThreadGroup) -> tuple[type[AnypairError], str]:
        backend = on(world, grid="2x2")
        given = (sources, targets, weights) if world.rank == 2 else ([0], [1], [1])
        with pytest.raises(AnypairError) as told:
            Matrix.from_edges(*given, n=6, distributed=True, backend=backend)
        assert Matrix.from_edges([0], [1], distributed=True, backend=backend).nvals == 1
        return told.type, str(told.value)

    (said,) = set(run_ranks(4, build))
    assert said[0] is kind
    assert said[1].startswith("rank 2: Matrix.from_edges: ")


@pytest.mark.parametrize(
    "make",
    [
        lambda rank, **here: generators.kronecker(4, seed=1 + rank, **here),
        lambda rank, **here: generators.uniform(9, 20 + rank, **here),
        lambda rank, **here: generators.small_world(9, 2, rank / 4, **here),
        lambda rank, **here: generators.planted_partition(2, 4, 1 + rank, 4 - rank, **here),
        lambda rank, **here: generators.planted_partition(2 + rank, 12 // (2 + rank), 1, 1, **here),
    ],
)
def test_generators_that_are_told_different_things(make: Any) -> None:
    """Slices of different graphs would make one that is none of them."""

    def generate(world: ThreadGroup) -> str:
        backend = on(world, grid="2x1")
        with pytest.raises(DistributedError, match="ranks disagree on what to do") as told:
            make(world.rank, backend=backend)
        assert generators.path(5, backend=backend).nvals == 8
        return str(told.value)

    assert len(set(run_ranks(2, generate))) == 1


def test_one_process_takes_a_slice_for_the_whole(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 2], distributed=True)
    assert graph.shape == (3, 3)
    assert graph.nvals == 2


def test_empty_rows_and_columns_take_no_memory() -> None:
    """Blocks with many more rows than entries keep those with entries only."""

    def build(world: ThreadGroup) -> tuple[int, Any]:
        n = 1 << 20
        backend = on(world, local="jit", grid="2x2")
        graph = Matrix.from_edges([5, n - 1], [n - 2, 5], n=n, symmetric=True, backend=backend)
        assert bfs_levels(graph, 5).to_dict() == {5: 0, n - 1: 1, n - 2: 1}
        return graph.nbytes, bfs_parents(graph, n - 1).to_dict()

    n = 1 << 20
    for nbytes, tree in run_ranks(4, build):
        assert nbytes < 4096
        assert tree == {5: n - 1, n - 1: n - 1, n - 2: 5}


def test_searches_that_reach_one_place_twice_keep_the_later_value() -> None:
    """Values that wait for the end are those that each write would have written."""

    def run(world: ThreadGroup) -> None:
        found = []
        for backend in ("reference", on(world, grid="2x2", parents="final", unit=1)):
            graph = graph_on(backend, True)
            start = Vector.from_entries([ROOT], [ROOT], graph.nrows, backend=backend)
            one = anypair.vxm(start, graph, min_source)
            two = anypair.vxm(one, graph, min_source)
            out = start.copy()
            anypair.update(out, two)
            anypair.update(out, one)
            three = anypair.vxm(two, graph, min_source, mask=~out.structure)
            four = anypair.vxm(one, graph, min_source, mask=~out.structure)
            anypair.update(out, three)
            anypair.update(out, four)
            anypair.update(two, three)
            found.append([entries(x) for x in (one, two, three, four, out, out.copy())])
        assert found[0] == found[1]

    run_ranks(4, run)


def test_only_what_is_new_in_a_mask_is_shared() -> None:
    """The second product with a mask that has grown a little sends a little."""

    def run(world: ThreadGroup) -> list[int]:
        n = 1 << 12
        backend = on(world, grid="1x4")
        graph = Matrix.from_edges([0, 1], [1, 2], n=n, backend=backend)
        seen = Vector.from_entries(np.arange(0, n, 2), 1, n, backend=backend)
        sent = []
        for _ in range(3):
            with anypair.trace() as trace:
                anypair.mxv(graph, seen, min_source, mask=~seen.structure)
            sent.append(int(trace.records[0].phases["mask"]["sent"]))
            anypair.update(seen, Vector.from_entries([1], [1], n, backend=backend))
        return sent

    for first, second, third in run_ranks(4, run):
        assert first > 3 * (1 << 12) // 4 // 8
        assert 0 < second <= 150
        assert 0 < third <= 150


@binary_op(result=np.int64)
def fails_at_100(edge: Any, value: Any) -> Any:
    return 7 // (value - 100)


@pytest.mark.parametrize("fold", FOLDS)
@pytest.mark.parametrize("grid", ["1x3", "3x1", "2x2", "1x1"])
def test_an_operator_that_fails_on_one_rank_fails_on_all(fold: str, grid: str) -> None:
    def run(world: ThreadGroup) -> None:
        backend = on(world, grid=grid, fold=fold, unit=1)
        graph, u = graph_on(backend, True), Vector.from_numpy(np.arange(1 << SCALE), backend=backend)
        out = Vector.full(1 << SCALE, 7, backend=backend)
        failing = Semiring(min_monoid, fails_at_100)
        for call in (
            lambda: anypair.mxv(graph, u, failing, out=out),
            lambda: anypair.vxm(u, graph, failing, out=out),
            lambda: anypair.ewise_mult(u, u, fails_at_100, out=out),
            lambda: anypair.apply(u, fails_at_100, left=1, out=out),
            lambda: anypair.ewise_add(u, u, plus, out=out, accum=accumulates_badly),
        ):
            with pytest.raises(OperatorError, match=r"fails_at_100|accumulates_badly") as error:
                call()
            assert world.size == 1 or str(error.value).startswith("rank ")
            assert set(out.to_dict().values()) == {7}

    run_ranks(ranks_of(grid), run)


@binary_op(result=np.int64)
def accumulates_badly(x: Any, y: Any) -> Any:
    return x // (y - 200)


def test_ranks_that_disagree_are_told() -> None:
    def run(world: ThreadGroup) -> None:
        backend = on(world, grid="2x2")
        graph = graph_on(backend, True)
        u = Vector.full(1 << SCALE, 1, backend=backend)
        semiring = min_source if world.rank == 2 else plus_times
        with pytest.raises(DistributedError, match=r"rank 0: vxm\(plus_times.*rank 2: vxm\(min_source"):
            anypair.vxm(u, graph, semiring)
        with pytest.raises(DistributedError, match="rank 3: build"):
            Vector.from_entries([1], [1], 5 + (world.rank == 3), backend=backend)
        with pytest.raises(DistributedError, match="disagree"):
            on(world, grid="2x2" if world.rank else "4x1")

    run_ranks(4, run)


def test_duplicates_are_named_by_their_global_place() -> None:
    def run(world: ThreadGroup) -> None:
        backend = on(world, grid="2x2", unit=1)
        with pytest.raises(DuplicateEntries, match=r"more than one entry at \(7, 5\)"):
            Matrix.from_entries([7, 0, 7], [5, 1, 5], [1, 2, 3], (9, 9), backend=backend)
        with pytest.raises(DuplicateEntries, match=r"more than one entry at 8;"):
            Vector.from_entries([8, 8], [1, 2], 9, backend=backend)

    run_ranks(4, run)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("grid", "3x3"),
        ("local", "magic"),
        ("local", "mpi"),
        ("fold", "magic"),
        ("expand", "magic"),
        ("parents", "magic"),
        ("stage", "magic"),
        ("stage", "device"),
        ("direction", "magic"),
        ("lanes", 0),
        ("unit", True),
        ("chunk", -1),
    ],
)
def test_options_out_of_range_are_refused(option: str, value: Any) -> None:
    def run(world: ThreadGroup) -> None:
        with pytest.raises(UnknownOption, match=f"{option}="):
            on(world, **{option: value})

    run_ranks(2, run)


def test_a_local_backend_that_one_rank_cannot_have(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, threads: int, number: int) -> dict[str, Any]:
        if number == 1:
            raise BackendUnavailable("backend 'cuda' is not ready: no device")
        return load_local(name, threads, number)

    monkeypatch.setattr(mpi_backend, "load_local", load)

    def attempt(world: ThreadGroup) -> str:
        with pytest.raises(BackendUnavailable) as refused:
            on(world)
        return str(refused.value)

    assert run_ranks(4, attempt) == ["rank 1: backend 'cuda' is not ready: no device"] * 4


def idioms(backend: Any) -> list[Any]:
    """What each name for an idiom gives, of entries that lie on several ranks."""
    rows, columns = [0, 0, 0, 2, 2, 2, 2, 4, 6], [4, 1, 0, 3, 2, 1, 0, 2, 5]
    A = Matrix.from_entries(rows, columns, [5, 9, 5, -1, 4, 4, 0, 7, 1], (7, 6), backend=backend)
    x = Vector.from_entries([1, 2, 5, 6, 7], [3, -1, 4, 100, 4], 9, like=A)
    p = Vector.from_entries([0, 1, 3, 6], [5, 2, 2, 4], 7, like=A)
    u = Vector.from_entries([0, 2], [2, 3], 7, like=A)
    numbers = Vector.range(7, like=A)
    found = [
        A.where(A.scale(rows=u).structure), A.scale(columns=Vector.range(6, like=A)), x[p],
        anypair.scatter(numbers, p, 6, plus), anypair.union(x, Vector.full(9, 1, like=A), plus, default=0),
        Vector.random(20, 3, like=A), Vector.random(9, 3, "int8", like=A), anypair.sample(A, 1, 3),
        anypair.head(A, 2), anypair.top(A, 2), anypair.sort(x), anypair.order(x), anypair.cumulate(x, plus),
        anypair.cumulate(A, plus), A.argmax(by="rows"), Matrix.full((3, 4), 2, like=A),
        Matrix.identity(5, 0.5, like=A), anypair.select(A, anypair.semiring.lower, right=1),
        x.where(x.true & ~Vector.full(9, 1, like=A)[:9].where(u[[0, 2, 1] * 3].structure).structure),
    ]  # fmt: skip
    x[3] = 9
    del A[2]
    shown = [repr(y).split("\n")[1:] for y in (A, x, Vector.random(40, 1, like=A))]
    return [*(list(y) for y in (*found, x, A)), shown, x.argmin(), (0, 4) in A, len(A), x[5]]


@pytest.mark.parametrize("grid", ["2x2", "1x3", "3x2"])
def test_idioms(grid: str) -> None:
    expected = idioms("reference")

    def work(world: ThreadGroup) -> None:
        assert idioms(on(world, grid=grid)) == expected

    run_ranks(ranks_of(grid), work)
