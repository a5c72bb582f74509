"""What is particular to the backend `cuda`, in the emulator: strategies, buffers, long rows, formats."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypair
from anypair import ANYTHING, Matrix, Semiring, Vector, apply, assign, mxm, mxv, reduce, update, vxm
from anypair.algorithms import bellman_ford, bfs_levels, bfs_parents
from anypair.backends.cuda import (
    CudaBackend,
    arrays,
    building,
    elementwise,
    extraction,
    pulling,
    pushing,
)
from anypair.errors import OperatorError
from anypair.graph500 import kronecker_edges
from anypair.semiring import any_pair, max_select, min_first, min_plus, plus_monoid, plus_times
from tests.cuda.emulator.device import Emulated
from tests.cuda.operators import own_min_select
from tests.cuda.support import needs_compiler
from tests.support.compare import assert_same, entries
from tests.support.graphs import SEI_EDGES, SEI_PARENTS, SEI_SOURCE

pytestmark = needs_compiler

WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "push": {"direction": "push"},
    "pull": {"direction": "pull"},
    "two phases": {"strategy": "two_phase"},
    "small buffer": {"direction": "push", "buffer": 20},
}


BLOCK = 32


def emulated(block: int = BLOCK, **options: Any) -> CudaBackend:
    return CudaBackend.on(Emulated(block, most_blocks=3), **options)


@anypair.binary_op
def together(edge: Any, value: Any) -> Any:
    return True


@anypair.monoid(identity=False, terminal=ANYTHING)
def whichever(x: Any, y: Any) -> Any:
    return x


own_any_pair = Semiring(whichever, together)


def own_parents(graph: Matrix, source: int) -> Vector:
    """As the documentation has it, with operators of a user."""
    parents = Vector.from_entries([source], [source], graph.nrows, backend=graph.backend)
    frontier = parents
    while frontier.nvals:
        ids = apply(frontier, anypair.position)
        frontier = vxm(ids, graph, own_min_select, mask=~parents.structure)
        update(parents, frontier)
    return parents


def own_levels(graph: Matrix, source: int) -> Vector:
    levels = Vector.from_entries([source], [0], graph.nrows, backend=graph.backend)
    frontier, depth = levels, 0
    while frontier.nvals:
        depth += 1
        frontier = vxm(frontier, graph, own_any_pair, mask=~levels.structure)
        assign(levels, depth, mask=frontier.structure)
    return levels


TWINS = {own_parents: bfs_parents, own_levels: bfs_levels}


def kronecker(scale: int, backend: Any) -> Matrix:
    sources, targets = kronecker_edges(scale, edgefactor=8)
    return Matrix.from_edges(sources, targets, n=1 << scale, symmetric=True, backend=backend)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("search", [bfs_parents, own_parents])
def test_worked_example(way: str, search: Any) -> None:
    ends = np.transpose(SEI_EDGES)
    graph = Matrix.from_edges(*ends, n=9, symmetric=True, backend=emulated(**WAYS[way]))
    assert search(graph, SEI_SOURCE).to_dict() == SEI_PARENTS


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("search", [bfs_parents, bfs_levels, own_parents, own_levels])
def test_kronecker_6(way: str, search: Any) -> None:
    backend = emulated(**WAYS[way])
    backend.arrays.long = 16  # so that blocks work on some of the rows
    source = int(kronecker_edges(6, edgefactor=8)[0][0])
    expected = TWINS.get(search, search)(kronecker(6, "reference"), source)
    assert entries(search(kronecker(6, backend), source)) == entries(expected)


@pytest.mark.parametrize("scale", [7, 8])
@pytest.mark.parametrize("search", [bfs_parents, bfs_levels])
def test_kronecker_7_and_8(scale: int, search: Any) -> None:
    source = int(kronecker_edges(scale, edgefactor=8)[0][0])
    expected = search(kronecker(scale, "reference"), source)
    assert entries(search(kronecker(scale, emulated()), source)) == entries(expected)


def weighted(backend: Any) -> Matrix:
    """A directed graph with weights that round when they are added."""
    sources, targets = kronecker_edges(4, edgefactor=4)
    weights = 1 / (1 + (3 * sources + targets) % 17)
    return Matrix.from_edges(sources, targets, weights, n=16, duplicates=plus_monoid, backend=backend)


def answers(backend: Any) -> list[Any]:
    graph = weighted(backend)
    sparse = Vector.from_entries(range(0, 16, 3), 0.1, 16, backend=graph.backend)
    handles = [
        bellman_ford(graph, int(graph.to_entries()[0][0])),
        mxv(graph, Vector.full(16, 1.0, backend=graph.backend), plus_times),
        vxm(sparse, graph, plus_times),
        vxm(sparse, graph, min_plus, mask=~sparse.structure),
        mxm(graph, graph, plus_times),
        mxm(graph, graph, plus_times, mask=graph.structure),
        mxm(graph, graph, any_pair, mask=~graph.structure),
        graph.T,
        reduce(graph, plus_monoid, by="columns"),
    ]
    return [*map(entries, handles)]


def test_floats_are_those_of_the_reference_bit_by_bit() -> None:
    """Sums are added up in the order of k, whatever the direction and the number of threads."""
    expected = answers("reference")
    for block in (BLOCK, 2 * BLOCK):
        for way in ("push", "pull"):
            assert answers(emulated(block, **WAYS[way])) == expected, (block, way)


def test_long_sums_do_not_depend_on_anything_but_the_block() -> None:
    found = []
    for options in ({"direction": "push"}, {"direction": "push", "buffer": 10**6}):
        backend = emulated(**options)
        backend.arrays.long = 3
        found.append([answers(backend), reduce(weighted(backend), plus_monoid)])
    assert found[0] == found[1]
    for one, other in zip(found[0][0], answers("reference"), strict=True):
        assert one == pytest.approx(other, rel=1e-12)


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -1.5, 2.25]
specials = st.lists(st.sampled_from(SPECIAL), min_size=8, max_size=8)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("way", ["push", "two phases"])
@given(numbers=specials)
def test_minima_and_maxima_of_floats_pass_over_nan(way: str, kind: Any, numbers: list[float]) -> None:
    """They are kept as integers of the same order on the way."""
    edges = [0, 0, 1, 1, 2, 2, 3, 3], [4, 5, 4, 5, 4, 6, 4, 5]
    for semiring in (min_first, max_select, min_plus):
        found = []
        for backend in (emulated(**WAYS[way]), "reference"):
            graph = Matrix.from_entries(*edges, numbers, (7, 7), dtype=kind, backend=backend)
            u = Vector.from_entries(range(4), numbers[:4], 7, dtype=kind, backend=graph.backend)
            found.append(vxm(u, graph, semiring))
        assert_same(*found)


class Counting(Emulated):
    """Counts the launches of each kernel."""

    def __init__(self) -> None:
        super().__init__(BLOCK, most_blocks=3)
        self.by_kernel: Counter[str] = Counter()

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        self.by_kernel[kernel.py_func.__name__] += 1
        super().launch(kernel, blocks, block, *arguments)


@pytest.mark.parametrize(("buffer", "most"), [(32, 5), (64, 3), (1 << 20, 1)])
def test_a_full_buffer_is_emptied_and_the_rest_launched_again(buffer: int, most: int) -> None:
    device = Counting()
    backend = CudaBackend.on(device, direction="push", buffer=buffer)
    graph = Matrix.from_edges([0] * 150, range(1, 151), n=151, backend=backend)
    reached = vxm(Vector.from_entries([0], [0], 151, backend=backend), graph, any_pair)
    assert reached.nvals == 150
    assert reached.to_entries()[0].tolist() == list(range(1, 151))
    assert 1 <= device.by_kernel["push"] <= most
    assert (device.by_kernel["push"] > 1) == (buffer < 150)


@pytest.mark.parametrize(
    ("way", "kernel"), [("push", "push"), ("pull", "pull"), ("two phases", "expand_vertices")]
)
def test_each_way_runs_its_own_kernel(way: str, kernel: str) -> None:
    device = Counting()
    bfs_parents(kronecker(4, CudaBackend.on(device, **WAYS[way])), 0)
    assert kernel in device.by_kernel
    assert not {"push", "pull", "expand_vertices"} - {kernel} & device.by_kernel.keys()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, 2, 33])
def test_a_sum_leaves_nothing_behind_for_the_next(way: str, size: int) -> None:
    backend = emulated(**WAYS[way])
    graph = Matrix.from_edges([0] * size, range(size), n=size, backend=backend)
    u = Vector.from_entries([0], [1], size, backend=backend)
    for _ in range(2):
        assert set(vxm(u, graph, plus_times).to_dict().values()) == {1}


def test_rows_of_any_length_have_their_kernel() -> None:
    device = Counting()
    backend = CudaBackend.on(device, direction="pull")
    backend.arrays.long = 4
    graph = Matrix.from_edges([0] * 10, range(1, 11), n=11, symmetric=True, backend=backend)
    vxm(Vector.full(11, 1, backend=backend), graph, plus_times)
    assert device.by_kernel["pull"] == device.by_kernel["pull_long_rows"] == 1


def test_answers_with_64_bit_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers("reference")
    for module in (arrays, building, elementwise, extraction, pulling, pushing):
        if hasattr(module, "index_dtype"):
            monkeypatch.setattr(module, "index_dtype", lambda bound: np.dtype(np.int64))
    for name in ("storage", "backend", "matrix_products"):
        wide = lambda bound: np.dtype(np.int64)  # noqa: E731
        monkeypatch.setattr(f"anypair.backends.cuda.{name}.index_dtype", wide)
    assert weighted(emulated()).storage.indices.dtype == np.int64
    assert answers(emulated(direction="push")) == expected


def test_an_unweighted_graph_stores_one_value() -> None:
    graph = kronecker(6, emulated())
    assert graph.storage.values.shape == (1,)
    assert graph.nbytes <= 4.5 * graph.nvals + 9 * graph.nrows
    assert graph.T.storage is graph.storage
    assert graph.cast(np.int64).storage.values.shape == (1,)


def test_vectors_change_their_format_with_their_density() -> None:
    backend = emulated()
    v = Vector.from_entries([5], [5], size=300, backend=backend)
    assert v.storage.format == "list"
    update(v, Vector.from_entries([70], [1], size=300, backend=backend))
    assert v.storage.format == "list"
    update(v, Vector.from_entries(range(100, 150), 2, size=300, backend=backend))
    assert v.storage.format == "bitmap"
    assert v.nvals == 52
    assign(v, 7)
    assert v.storage.format == "full"
    assert set(v.to_dict().values()) == {7}


def test_writing_in_place_leaves_others_alone() -> None:
    backend = emulated()
    v = Vector.from_entries(range(50), range(50), size=64, backend=backend)
    copy, applied = v.copy(), apply(v, anypair.semiring.identity)
    for _ in range(2):
        update(v, Vector.from_entries([60, 3], [1, -1], size=64, backend=backend))
        assert (copy.nvals, applied.nvals, v.nvals) == (50, 50, 51)
        assert (copy.get(3), v.get(3)) == (3, -1)


def test_writing_in_place_leaves_a_shared_value_alone() -> None:
    backend = emulated()
    v = Vector.full(1, 7, backend=backend)
    nothing = anypair.select(v, anypair.semiring.gt, right=100)
    update(nothing, Vector.from_entries([0], [9], size=1, backend=backend))
    assert (v.get(0), nothing.get(0)) == (7, 9)


def test_the_trace_tells_direction_formats_and_edges() -> None:
    graph = kronecker(4, emulated(direction="push"))
    with anypair.trace() as seen:
        bfs_parents(graph, int(graph.to_entries()[0][0]))
    levels = [record for record in seen.records if record.operation == "vxm"]
    assert {record.direction for record in levels} == {"push"}
    assert levels[0].formats.startswith("list to")
    assert sum(record.edges or 0 for record in levels) == graph.nvals


@anypair.binary_op(result=np.int64)
def fragile(edge: Any, value: Any) -> Any:
    return 1 // value


@pytest.mark.parametrize("way", WAYS)
def test_an_operator_that_raises_leaves_no_marks_behind(way: str) -> None:
    backend = emulated(**WAYS[way])
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [1, 1, 1], backend=backend)
    u = Vector.from_entries([0, 1], [1, 0], size=4, backend=backend)
    with pytest.raises(OperatorError, match="fragile"):
        vxm(u, graph, Semiring(plus_monoid, fragile))
    whole = vxm(
        Vector.from_entries([2], [1], size=4, backend=backend), graph, Semiring(plus_monoid, fragile)
    )
    assert whole.to_dict() == {3: 1}


def test_a_thread_that_did_not_finish_is_noticed() -> None:
    """On a GPU an exception ends its thread in silence; here a kernel that leaves early stands for it."""
    backend = emulated()
    module = Silent()
    with pytest.raises(arrays.ThreadFailedError, match="in a thread of the GPU"):
        backend.arrays.run_operators(module, "half", 8)  # type: ignore[arg-type]


class Silent:
    """A module of kernels, one of which forgets half of its threads."""

    CHECKED = True

    def __init__(self) -> None:
        from numba import cuda

        names: dict[str, Any] = {"cuda": cuda}
        exec(
            "def half(finished):\n    if cuda.grid(1) % 2:\n        cuda.atomic.add(finished, 0, 1)\n",
            names,
        )
        self.half = cuda.jit(names["half"])
