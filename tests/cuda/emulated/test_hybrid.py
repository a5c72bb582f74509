"""A CPU and an emulated GPU by turns: where they change, and that both sides of an object stay equal."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import (
    Matrix,
    Semiring,
    Vector,
    apply,
    assign,
    binary_op,
    closure,
    ewise_add,
    ewise_mult,
    mxm,
    mxv,
    reduce,
    select,
    trace,
    update,
    vxm,
)
from anypair.algorithms import (
    bellman_ford,
    betweenness,
    bfs_levels,
    bfs_parents,
    connected_components,
    delta_stepping,
    pagerank,
    triangle_count,
)
from anypair.backends.hybrid import HybridBackend
from anypair.backends.hybrid.states import Seen, next_state
from anypair.backends.hybrid.storage import TwoSided
from anypair.errors import NotEnoughMemory, OperatorError
from anypair.graph500 import kronecker_edges
from anypair.semiring import (
    any_pair,
    gt,
    min_plus,
    min_source,
    minimum,
    plus,
    plus_monoid,
    plus_times,
    second,
)
from tests.cuda.support import emulated, needs_compiler  # noqa: F401  a fixture
from tests.support.compare import assert_same

pytestmark = [needs_compiler, pytest.mark.usefixtures("emulated")]

SMALL = replace(HybridBackend.tuning, read_from=16, queue_below=32, device_from=200.0, device_below=60.0)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds that small graphs reach."""
    monkeypatch.setattr(HybridBackend, "tuning", SMALL)


def kronecker(scale: int, backend: Any, *, weighted: bool = False, symmetric: bool = True) -> Matrix:
    sources, targets = kronecker_edges(scale)
    weights = 1 + (sources ^ targets) % 13 if weighted else None
    kinds: dict[str, Any] = {"symmetric": symmetric, "self_loops": False, "duplicates": minimum}
    return Matrix.from_edges(sources, targets, weights, n=1 << scale, backend=backend, **kinds)


def sides_of(x: Any) -> tuple[str, ...]:
    return tuple(sorted(x.storage.sides))


def check_sides(x: Any) -> None:
    """Each side has what the first one has."""
    backend = x.backend
    found = [backend._on(side).entries(storage) for side, storage in x.storage.all()]
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


# Where it changes


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("scale", range(6, 11))
def test_a_search_changes_where_the_table_says(scale: int, symmetric: bool) -> None:
    root = int(kronecker_edges(scale)[0][0])
    graph = kronecker(scale, "hybrid", symmetric=symmetric)
    expected = bfs_parents(kronecker(scale, "reference", symmetric=symmetric), root)
    met = states_of_a_search(graph, root, expected)
    assert met[0] == "queue"
    assert "device" in met
    assert sides_of(graph) == ("cpu", "device")


def test_a_search_that_goes_there_and_back() -> None:
    """A path, two layers of many edges, and a path again."""
    edges = [(0, 1), (1, 2), *((2, v) for v in range(3, 27)), *((27, v) for v in range(51, 75))]
    edges += [(v, w) for v in range(3, 27) for w in range(51, 75)] + [(v, v + 1) for v in range(27, 40)]
    graphs = [Matrix.from_edges(*zip(*edges, strict=True), n=75, symmetric=True, backend=name)
              for name in ("hybrid", "reference")]  # fmt: skip
    met = states_of_a_search(graphs[0], 0, bfs_parents(graphs[1], 0))
    assert met == [*["queue"] * 3, "device", "device", *["queue"] * 15][: len(met)]
    assert len(met) > 12


def states_of_a_search(graph: Matrix, root: int, expected: Vector) -> list[str]:
    """In which states its products ran, which are those of the machine; its answer is right."""
    with trace() as seen:
        parents = bfs_parents(graph, root)
    assert_same(parents.to("reference"), expected)
    state, before, met = "queue", 0, []
    for record in (r for r in seen.records if r.operation == "vxm"):
        entries = record.nvals_in["u"]
        edges = graph.nvals * entries / graph.nrows
        state, reason = next_state(state, Seen(entries, before, graph.nrows, edges), SMALL)  # type: ignore[arg-type]
        assert (record.method, record.reason) == (state, reason)
        before, met = entries, [*met, state]
    assert {r.method for r in seen.records if r.operation == "update"} == {"cpu", "device"}
    check_sides(graph)
    check_sides(parents)
    return met


@pytest.mark.parametrize("method", ["queue", "read", "device"])
def test_what_is_asked_for(method: str) -> None:
    root = int(kronecker_edges(7)[0][0])
    with anypair.using("hybrid", method=method):
        graph = kronecker(7, None)
        with trace() as seen:
            parents = bfs_parents(graph, root)
        side = "device" if method == "device" else "cpu"
        assert sides_of(graph) == sides_of(parents) == (side,)
        assert {(r.method, r.reason) for r in seen.records if r.operation == "vxm"} == {
            (method, "asked for")
        }
    assert_same(parents.to("reference"), bfs_parents(kronecker(7, "reference"), root))
    with anypair.using("hybrid", method="queue"):  # an option of execution
        assert_same(bfs_parents(graph, root).to("reference"), parents.to("reference"))


ALGORITHMS: dict[str, Any] = {
    "levels": lambda graph, root: bfs_levels(graph, root),
    "bellman_ford": lambda graph, root: bellman_ford(graph, root),
    "delta_stepping": lambda graph, root: delta_stepping(graph, root, 3),
    "components": lambda graph, root: connected_components(graph),
    "pagerank": lambda graph, root: pagerank(graph),
    "betweenness": lambda graph, root: betweenness(graph, [root, 1, 2]),
    "triangles": lambda graph, root: triangle_count(graph),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms(name: str) -> None:
    root = int(kronecker_edges(5)[0][0])
    weighted = name in ("bellman_ford", "delta_stepping")
    found, expected = (
        ALGORITHMS[name](kronecker(5, backend, weighted=weighted), root)
        for backend in ("hybrid", "reference")
    )
    if isinstance(found, Vector):
        assert_same(found.to("reference"), expected)
    else:
        assert found == expected


# Both sides are equal at any time

N = 40


def entries_at_random(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    count = int(random.integers(0, 90))
    places = [random.integers(0, n, count) for n in shape]
    return places, random.integers(0, 9, count)


def made(random: np.random.Generator, matrix: bool) -> list[Any]:
    """The same object on `hybrid`, on one side or both, and on `reference`."""
    places, values = entries_at_random(random, (N, N) if matrix else (N,))
    kind: Any = Matrix if matrix else Vector
    given = {"shape": (N, N)} if matrix else {"size": N}
    both = [
        kind.from_entries(*places, values, **given, duplicates=plus, backend=backend)
        for backend in ("hybrid", "reference")
    ]
    look_at(both[0], ["cpu", "device"][: random.integers(1, 3)])
    return both


def look_at(x: Any, sides: Any) -> None:
    """Have these sides made."""
    for side in sides:
        x.backend._given(x.storage, side)


def step(random: np.random.Generator, u: Any, v: Any, A: Any, kind: int) -> Any:
    """One operation that writes to u, or makes a vector."""
    mask = v.structure if kind % 2 else ~v.structure
    way = kind // 2
    if way == 0:
        return update(u, v)
    if way == 1:
        return vxm(u, A, min_plus, out=u, mask=mask, accum=minimum, replace=bool(kind % 4))
    if way == 2:
        return mxv(A, v, plus_times, out=u, mask=mask)
    if way == 3:
        return apply(u, plus, right=3, out=u, mask=mask)
    if way == 4:
        return assign(u, 5, mask=mask)
    if way == 5:
        return ewise_add(u, v, plus, out=u, accum=second)
    if way == 6:
        return ewise_mult(u, u, plus, out=u)
    if way == 7:
        return select(u, gt, right=3, out=u, replace=True, mask=mask)
    return mxv(A.T, u, min_source, mask=mask)


@pytest.mark.parametrize("seed", range(8))
def test_both_sides_stay_equal_whatever_is_written_where(seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = [made(random, False) for _ in range(4)]
    matrices = [made(random, True) for _ in range(2)]
    for _ in range(25):
        i, j = random.integers(0, 4, 2)
        which, kind = int(random.integers(0, 2)), int(random.integers(0, 18))
        for x in (vectors[i][0], vectors[j][0], matrices[which][0]):
            look_at(x, ["cpu", "device"][:: int(random.choice([1, -1]))][: random.integers(0, 3)])
        results = [step(random, vectors[i][b], vectors[j][b], matrices[which][b], kind) for b in (0, 1)]
        if kind >= 16:
            vectors[random.integers(0, 4)] = results
        for ours, expected in (*vectors, *matrices):
            assert_same(ours.to("reference"), expected)
            check_sides(ours)


@pytest.mark.parametrize("side", ["cpu", "device"])
def test_a_write_drops_the_other_side(side: Any) -> None:
    x = Vector.from_entries([1, 5], [1, 2], size=N, backend="hybrid")
    y = Vector.from_entries([5, 7], [8, 9], size=N, backend="hybrid")
    look_at(x, [side])
    look_at(y, ["cpu", "device"])
    old = x.storage
    old.begin_write(side)  # so that writing there moves least
    y.storage.begin_write(side)
    update(x, y)
    assert sides_of(x) == (side,)
    assert x.to_dict() == {1: 1, 5: 8, 7: 9}
    look_at(x, ["cpu", "device"])
    check_sides(x)
    copy = x.copy()
    update(x, Vector.from_entries([0], [3], size=N, backend="hybrid"))
    assert copy.to_dict() == {1: 1, 5: 8, 7: 9}
    held = x + 1  # an expression holds what x was
    update(x, y)
    assert held.to_dict() == {0: 4, 1: 2, 5: 9, 7: 10}


def test_a_transpose_that_was_made_before_a_write() -> None:
    A = Matrix.from_entries([0, 1], [1, 2], [5, 6], shape=(3, 4), backend="hybrid")
    look_at(A, ["device"])
    turned = A.T
    assert turned.shape == (4, 3)
    assign(A, 9, [0], [0])
    look_at(turned, ["cpu", "device"])
    assert_same(turned.to("reference"), A.T.to("reference") if A.T is turned else turned.to("reference"))
    check_sides(turned)
    check_sides(A)
    kept = Matrix.from_entries([0, 1], [1, 2], [5, 6], shape=(3, 4), backend="hybrid")
    look_at(kept, ["device"])
    look_at(kept.T, ["cpu", "device"])  # the other side is the transpose of that side
    check_sides(kept.T)
    assert kept.T.to_entries()[2].tolist() == [5, 6]


def test_a_symmetric_graph_is_its_own_transpose_on_both_sides() -> None:
    graph = kronecker(6, "hybrid")
    look_at(graph, ["device"])
    for _, storage in graph.storage.all():
        assert storage.transposed is storage
    weights = graph.cast(float)
    look_at(weights, ["cpu", "device"])
    check_sides(weights)


# The rest of the contract


@binary_op(result=int)
def careful(edge: Any, value: Any) -> Any:
    return 1 // (value - 7)


@pytest.mark.parametrize("method", ["queue", "device"])
def test_an_operator_that_raises_leaves_the_output(method: str) -> None:
    with anypair.using("hybrid", method=method):
        A = Matrix.from_entries([0, 1], [1, 2], [1, 1], shape=(3, 3))
        u = Vector.from_entries([0, 1], [3, 7], size=3)
        look_at(u, ["cpu", "device"])
        with pytest.raises(OperatorError, match="careful") as caught:
            vxm(u, A, Semiring(plus_monoid, careful), out=u)
        noted = "".join(getattr(caught.value, "__notes__", []))
        assert ('method="queue"' in noted) == (method == "device")
        assert u.to_dict() == {0: 3, 1: 7}
        check_sides(u)


def test_a_gpu_that_is_too_small() -> None:
    with anypair.using("hybrid", memory_limit=2000):
        graph = kronecker(8, None)
        with pytest.raises(NotEnoughMemory, match=r'^vxm: .* using\("hybrid", method="queue"\)'):
            bfs_parents(graph, int(kronecker_edges(8)[0][0]))
        assert sides_of(graph) == ("cpu",)
        with anypair.using("hybrid", memory_limit=2000, method="read"):
            assert bfs_parents(graph, int(kronecker_edges(8)[0][0])).nvals > 1


def test_pickles_moves_and_sizes() -> None:
    graph = kronecker(6, "hybrid")
    look_at(graph, ["device"])
    again = pickle.loads(pickle.dumps(graph))
    assert again.backend is graph.backend
    assert_same(again.to("jit"), graph.to("jit"))
    assert_same(graph.to("scipy").to("hybrid").to("reference"), graph.to("reference"))
    backend: Any = graph.backend
    assert graph.nbytes == sum(backend._on(s).nbytes(x) for s, x in graph.storage.all())
    assert graph.finish() is graph
    assert "cuda" not in repr(graph)


def test_both_engines_are_made_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def search(graph: Matrix, root: int) -> Vector:
        seen.append((graph.backend.method, sides_of(graph)))  # type: ignore[attr-defined]
        return bfs_parents(graph, root)

    graph = kronecker(6, "hybrid")
    graph.prepare(search, 0)
    assert {method for method, _ in seen} == {"queue", "device"}
    seen.clear()
    few = Matrix.from_edges([0, 1], [1, 2], backend="hybrid")
    few.prepare(search, 0)
    assert {method for method, _ in seen} == {"queue"}
    assert sides_of(few) == ("cpu",)


def test_products_of_matrices_and_closures_go_where_there_is_much_to_do() -> None:
    graph, few = kronecker(6, "hybrid"), Matrix.from_edges([0, 1], [1, 2], n=64, backend="hybrid")
    found = {}
    for name, a in (("many", graph), ("few", few)):
        with trace() as seen:
            squared = mxm(a, a, plus_times)
            total = reduce(squared, plus_monoid)
            reached = closure(Vector.from_entries([0], [True], size=64, like=a), a, any_pair)
        found[name] = sides_of(squared), seen.records[0].method, seen.records[-1].method
        expected = mxm(a.to("reference"), a.to("reference"), plus_times)
        assert_same(squared.to("reference"), expected)
        assert total == reduce(expected, plus_monoid)
        start = Vector.from_entries([0], [True], size=64, backend="reference")
        assert_same(reached.to("reference"), closure(start, a.to("reference"), any_pair))
    assert found["few"] == (("cpu",), "cpu", "cpu")
    assert found["many"][:2] == (("device",), "device")


def test_two_threads_that_look_at_one_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, copies = kronecker(7, "hybrid"), []
    original = HybridBackend._copy

    def counted(self: HybridBackend, x: TwoSided, side: Any) -> Any:
        copies.append(len(x.shape))
        return original(self, x, side)

    monkeypatch.setattr(HybridBackend, "_copy", counted)
    roots = kronecker_edges(7)[0][:4].tolist()
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda root: bfs_parents(graph, root).to_dict(), roots))
    assert copies.count(2) == 1
    expected = kronecker(7, "jit")
    assert found == [bfs_parents(expected, root).to_dict() for root in roots]


@pytest.mark.parametrize("cpu", ["scipy", "reference"])
def test_another_backend_for_the_cpu(cpu: str) -> None:
    root = int(kronecker_edges(6)[0][0])
    with anypair.using("hybrid", cpu=cpu):
        with trace() as seen:
            parents = bfs_parents(kronecker(6, None), root)
        assert "device" in {r.method for r in seen.records}
    assert_same(parents.to("reference"), bfs_parents(kronecker(6, "reference"), root))
