"""Closures of jit in buckets and by union-find: the same bits on any number of threads, in any room."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph
from numba import types

import anypair
from anypair import MAX, Matrix, Semiring, Vector, apply, binary_op, closure, monoid, position, semiring
from anypair.backends.jit import closures
from anypair.backends.jit.kernels import closure_kernels
from anypair.backends.registry import load
from anypair.semiring import max_min, max_times, min_max, min_plus, min_select, minimum
from tests.support.cutting import tune

THREADS = [1, 2, 5]


@pytest.fixture(params=THREADS)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The backend on so many threads, which share even the smallest graph."""
    tune(monkeypatch, small_work=0)
    return load("jit", {"threads": request.param})


def random_graph(n: int, edges: int, weights: Any, *, symmetric: bool = False, seed: int = 0) -> Matrix:
    random = np.random.default_rng(seed)
    sources, targets = random.integers(0, n, (2, edges))
    return Matrix.from_edges(
        sources, targets, weights(random, edges), n=n, symmetric=symmetric, duplicates=minimum,
        self_loops=False, backend="reference",
    )  # fmt: skip


def csr(graph: Matrix) -> Any:
    rows, columns, values = graph.to_entries()
    return sp.csr_matrix((values.astype(float), (rows, columns)), graph.shape)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize(("n", "edges"), [(700, 9000), (2000, 2600)])
def test_lengths_are_those_of_scipy(engine: Any, dtype: str, n: int, edges: int) -> None:
    graph = random_graph(n, edges, lambda r, m: r.integers(1, 256, m).astype(dtype), seed=n)
    with anypair.trace() as seen:
        start = Vector.from_entries([0], [0], n, dtype=dtype, backend=engine)
        found = closure(start, graph.to(engine), min_plus)
    assert (seen.records[-1].rounds or 0) > 1
    assert (seen.records[-1].edges or 0) >= found.nvals - 1
    expected = scipy.sparse.csgraph.dijkstra(csr(graph), indices=0)
    assert found.dtype == dtype
    assert (
        found.to_numpy(missing=np.iinfo("int32").max).astype(float).tolist()
        == np.where(np.isinf(expected), np.iinfo("int32").max, expected).tolist()
    )


@pytest.mark.parametrize("over", [min_plus, max_times, min_max, max_min, min_select])
@pytest.mark.parametrize("symmetric", [True, False])
def test_many_values_to_begin_with(engine: Any, over: Semiring, symmetric: bool) -> None:
    """Values far apart: most are beyond the buckets in use at once."""
    n = 300
    graph = random_graph(n, 700, lambda r, m: r.random(m), symmetric=symmetric, seed=4)
    random = np.random.default_rng(5)
    some = np.sort(random.permutation(n)[:200])
    u = Vector.from_entries(some, random.random(200) ** 8 * 1e6, n, backend="reference")
    found = closure(u.to(engine), graph.to(engine), over)
    expected = closure(u, graph, over)
    assert found.to_entries()[0].tolist() == expected.to_entries()[0].tolist()
    assert found.to_entries()[1].tobytes() == expected.to_entries()[1].tobytes()


def test_what_no_sum_needs_is_handed_on_too(engine: Any) -> None:
    """The greatest number stands where nothing is, and may be a value all the same."""
    most = np.iinfo("int8").max
    ring = Matrix.from_edges(np.arange(90), (np.arange(90) + 1) % 90, np.int8(3), backend=engine)
    u = Vector.from_entries([4], [most], 100, dtype="int8", backend=engine)
    ring = anypair.assign(
        Matrix.empty((100, 100), "int8", like=ring), ring, np.arange(90), np.arange(90)
    )
    assert closure(u, ring, min_max).to_dict() == dict.fromkeys(range(90), most)
    assert closure(u, ring, min_select).to_dict() == dict.fromkeys(range(90), most)


@pytest.mark.parametrize("room", [0, 64])
def test_room_that_ends_is_doubled(engine: Any, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Narrow(closures.Bins):
        def __init__(self, kernels: Any, members: int, given: int, n: int) -> None:
            super().__init__(kernels, members, given, n)
            if not made:  # all chunks but so many vertices' are taken
                self.shared[kernels.USED] = len(self.arrays[5]) - room // kernels.CHUNK - 1
            made.append(given)

    monkeypatch.setattr(closures, "Bins", Narrow)
    graph = random_graph(900, 30000, lambda r, m: r.integers(1, 256, m), seed=9)
    u = Vector.from_entries([0], [0], 900, backend=engine)
    found = closure(u, graph.to(engine), min_plus)
    assert len(made) == 2
    assert (
        found.to_numpy(missing=-1).tolist()
        == scipy.sparse.csgraph.dijkstra(csr(graph), indices=0).tolist()
    )


def test_listing_a_vertex_does_not_count_who_holds_the_lists() -> None:
    """Threads would wait for each other's counting, which took longer than all else together."""
    number, numbers = types.int64, types.Array(types.int64, 1, "C")
    dtype = np.dtype(np.int32)
    put: Any = closure_kernels("buckets", min_plus.typed(dtype, dtype)).put
    taken = (*[number] * 4, *[numbers] * 6)
    put.compile(taken)
    text = put.inspect_llvm(taken)
    assert "store i64" in text
    assert "NRT_incref" not in text


@pytest.mark.parametrize("edges", [0, 60, 400, 3000])
def test_components_are_those_of_scipy(engine: Any, edges: int) -> None:
    n = 500
    graph = random_graph(n, edges, lambda r, m: np.ones(m), symmetric=True, seed=edges)
    numbers = apply(Vector.full(n, 0, backend=engine), position)
    found = closure(numbers, graph.to(engine), min_select).to_numpy(missing=-1)
    _, labels = scipy.sparse.csgraph.connected_components(csr(graph))
    least = np.full(n, n)
    np.minimum.at(least, labels, np.arange(n))
    assert found.tolist() == least[labels].tolist()


def test_an_operator_that_may_raise_is_named(engine: Any) -> None:
    @binary_op(monotone=True, grows=anypair.semiring.Grows(up=anypair.semiring.Within(edges=(1, None))))
    def longer(edge: Any, value: Any) -> Any:
        return value + 12 // edge

    graph = Matrix.from_edges([0, 1], [1, 2], [1, 0], backend=engine)
    start = Vector.from_entries([0], [0], 3, backend=engine)
    with pytest.raises(anypair.errors.OperatorError, match="longer"):
        closure(start, graph, Semiring(semiring.min_monoid, longer))


def test_a_users_twin_looks_at_as_many_edges(engine: Any) -> None:
    @monoid(identity=MAX)
    def least(x: Any, y: Any) -> Any:
        return x if x < y else y

    @binary_op
    def along(edge: Any, length: Any) -> Any:
        return length + edge

    if engine.threads > 1:
        pytest.skip("several threads look at more or fewer")
    graph = random_graph(400, 5000, lambda r, m: r.integers(1, 256, m), seed=2).to(engine)
    start = Vector.from_entries([0], [0], 400, backend=engine)
    looked = []
    for over in (min_plus, Semiring(least, along)):
        with anypair.trace() as seen:
            closure(start, graph, over)
        looked.append((seen.records[-1].edges, seen.records[-1].rounds))
    assert looked[0] == looked[1]
