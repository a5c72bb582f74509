"""Ways of `jit` that only sizes beyond those of the conformance tests take, against `scipy`."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import (
    MAX,
    Matrix,
    Semiring,
    Vector,
    apply,
    binary_op,
    ewise_mult,
    extract,
    monoid,
    mxm,
    mxv,
    select,
    trace,
    update,
    vxm,
)
from anypair.errors import OperatorError
from anypair.semiring import (
    any_pair,
    gt,
    lor_land,
    min_plus,
    min_source,
    minus,
    pair,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
    strict_lower,
    times,
)
from tests.support.compare import assert_same
from tests.support.cutting import cut_all_work

N = 1000
SEMIRINGS = {
    "plus_times": plus_times,
    "min_plus": min_plus,
    "any_pair": any_pair,
    "plus_pair": plus_pair,
    "lor_land": lor_land,
    "plus_pair in a byte": Semiring(plus_monoid, pair.returning(np.dtype(np.uint8))),
}


@pytest.fixture(params=[1, 3])
def engines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """`scipy`, and `jit` with so many threads, which share even little work."""
    if request.param > 1:
        cut_all_work(monkeypatch)
    with anypair.using("jit", threads=request.param) as jit, anypair.using("scipy") as scipy:
        return [scipy, jit]


def list_of(count: int, engine: Any, seed: int = 1) -> Vector:
    random = np.random.default_rng(seed)
    places = random.permutation(N)[:count]
    return Vector.from_entries(places, random.integers(1, 90, count), size=N, backend=engine)


def bitmap_of(count: int, engine: Any) -> Vector:
    """Many entries that were written to in place."""
    found = Vector.empty(N, np.int64, backend=engine)
    update(found, list_of(count, engine, 2))
    update(found, list_of(count // 2, engine, 3))
    return found


OTHERS: dict[str, Callable[[Any], Vector]] = {
    "bitmap": lambda engine: bitmap_of(700, engine),
    "full": lambda engine: Vector.from_numpy(np.arange(N) * 3, backend=engine),
    "one value": lambda engine: Vector.full(N, 7, backend=engine),
    "list": lambda engine: list_of(900, engine, 4),
    "empty": lambda engine: Vector.empty(N, np.int64, backend=engine),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("count", [0, 1, 40])
@pytest.mark.parametrize("few_is_left", [True, False])
def test_few_entries_with_many(engines: list[Any], other: str, count: int, few_is_left: bool) -> None:
    answers = []
    for engine in engines:
        pairs = [list_of(count, engine), OTHERS[other](engine)]
        answers.append(ewise_mult(*(pairs if few_is_left else pairs[::-1]), minus))
    assert_same(answers[1], answers[0])


@pytest.mark.parametrize("bound", [0, 45, 100])
def test_selections_of_vectors_and_matrices(engines: list[Any], bound: int) -> None:
    for make in (lambda engine: bitmap_of(600, engine), lambda engine: graph(engine, weighted=True)):
        expected, found = (select(make(engine), gt, right=bound) for engine in engines)
        assert_same(found, expected)
    expected, found = (select(graph(engine, weighted=False), strict_lower) for engine in engines)
    assert_same(found, expected)


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.float32, np.float64, np.bool_])
def test_one_operator_over_all_values(engines: list[Any], kind: Any) -> None:
    values = np.random.default_rng(6).integers(0, 100, N).astype(kind)
    expected, found = (
        apply(Vector.from_numpy(values, backend=engine), times, right=kind(3)) for engine in engines
    )
    assert_same(found, expected)


def graph(engine: Any, *, weighted: bool, rows: int = 60, columns: int = 60) -> Matrix:
    """Long and short rows, a few empty ones."""
    random = np.random.default_rng(8)
    degrees = random.integers(0, 25, rows) * (random.random(rows) > 0.2)
    sources = np.repeat(np.arange(rows), degrees)
    key = np.unique(sources * columns + random.integers(0, columns, len(sources)))
    values = random.integers(1, 90, len(key)) if weighted else np.ones(len(key), np.bool_)
    return Matrix.from_entries(key // columns, key % columns, values, (rows, columns), backend=engine)


@pytest.mark.parametrize("name", SEMIRINGS)
@pytest.mark.parametrize("weighted", [True, False])
def test_products_inside_a_mask(engines: list[Any], name: str, weighted: bool) -> None:
    answers = []
    for engine in engines:
        a = graph(engine, weighted=weighted, rows=60, columns=45)
        b = graph(engine, weighted=weighted, rows=45, columns=70)
        mask = graph(engine, weighted=False, rows=60, columns=70)
        answers.append(mxm(a, b, SEMIRINGS[name], mask=mask.structure))
    assert_same(answers[1], answers[0])


@binary_op
def scaled(edge: Any, value: Any) -> Any:
    return edge + 2 * value


@monoid(identity=MAX)
def least(x: Any, y: Any) -> Any:
    return x if x < y else y


@pytest.mark.parametrize("name", [*SEMIRINGS, "a user's"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_vectors_that_cover_every_edge(engines: list[Any], name: str, masked: bool, full: bool) -> None:
    """Without an entry at vertices that no edge touches, a vector need not be full for that."""
    semiring = SEMIRINGS.get(name) or Semiring(least, scaled)
    answers = []
    for engine in engines:
        A = graph(engine, weighted=True)
        rows = range(60) if full else np.unique(A.to_entries()[0])
        u = Vector.from_entries(rows, np.arange(len(rows)), size=60, backend=engine)
        mask = ~Vector.from_entries([1, 5, 30], True, size=60, backend=engine).structure
        for _ in range(2):  # the second time the transpose is there
            A.T.nvals  # noqa: B018  made once
            answers.append([vxm(u, A, semiring, mask=mask if masked else None), mxv(A.T, u, semiring)])
    for expected, found in zip(answers[0], answers[-1], strict=True):
        assert_same(found, expected)


@pytest.mark.parametrize("name", [*SEMIRINGS, "a user's"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("empty", [[], [64], [0, 127, 199]], ids=str)
def test_rows_side_by_side_are_pulled_at_once(
    engines: list[Any], name: str, weighted: bool, empty: list[int]
) -> None:
    """A word of rows that all have entries, whole or with a gap, and one that ends before its time."""
    semiring = SEMIRINGS.get(name) or Semiring(least, scaled)
    degrees = np.random.default_rng(3).integers(1, 5, 200)
    degrees[empty] = 0
    rows = np.repeat(np.arange(200), degrees)
    columns = np.concatenate([(row * 7 + np.arange(count)) % 50 for row, count in enumerate(degrees)])
    values = np.arange(1, len(rows) + 1) if weighted else True
    expected, found = (
        mxv(
            Matrix.from_entries(rows, columns, values, (200, 50), backend=engine),
            Vector.range(50, backend=engine),
            semiring,
        )
        for engine in (engines[0], engines[-1])
    )
    assert_same(found, expected)


def test_a_covering_vector_is_pulled() -> None:
    with anypair.using("jit"):
        A = graph(None, weighted=True)
        with trace() as seen:
            mxv(A, Vector.full(60, 2), plus_times)
    assert [(r.direction, r.edges) for r in seen.records] == [("pull", A.nvals)]


@pytest.mark.parametrize("masked", ["", "inside", "outside"])
@pytest.mark.parametrize("name", SEMIRINGS)
@pytest.mark.parametrize("shape", [(90, 60, 5000), (1, 60, 70), (300, 60, 64), (40, 60, 1)], ids=str)
def test_rows_of_products_are_counted_first_or_not(
    engines: list[Any], name: str, masked: str, shape: tuple[int, int, int]
) -> None:
    """With one thread these are computed at once; with more, each row is counted first."""
    nrows, _, ncols = shape
    answers = []
    for engine in engines:
        A, B = graph(engine, weighted=True, rows=nrows), graph(engine, weighted=True, columns=ncols)
        M = graph(engine, weighted=False, rows=nrows, columns=ncols)
        mask = {"": None, "inside": M.structure, "outside": ~M.structure}[masked]
        answers.append(mxm(A, B, SEMIRINGS[name], mask=mask))
    assert_same(answers[1], answers[0])


def test_an_operator_that_raises_leaves_clear_scratch(engines: list[Any]) -> None:
    @binary_op
    def picky(x, y):  # type: ignore[no-untyped-def]
        if y == 80:
            raise ValueError("no eighties")
        return x + y

    jit = engines[1]
    A = graph(jit, weighted=True)
    expected = mxm(A, A, plus_times)
    for _ in range(3):
        with pytest.raises(OperatorError, match="no eighties"):
            mxm(A, A, Semiring(plus_monoid, picky))
        assert_same(mxm(A, A, plus_times), expected)


def test_a_product_peaks_at_little_more_than_its_result() -> None:
    """No copy of it, nor room for all products: those are twenty times as many."""
    random = np.random.default_rng(3)
    n = 2000
    key = np.unique(random.integers(0, n * n, 100 * n))
    A = Matrix.from_entries(key // n, key % n, random.random(len(key)), (n, n), backend="jit")
    mxm(A, A, plus_times)
    tracemalloc.start()
    try:
        product = mxm(A, A, plus_times)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.1 * product.nbytes


def test_products_of_matrices_have_a_direction() -> None:
    with anypair.using("jit") as jit:
        A = graph(jit, weighted=True, rows=600, columns=600)  # a smaller one is multiplied row by row
        degrees = np.bincount(A.to_entries()[0], minlength=600)
        with trace() as recorded:
            mxm(A, A, plus_times)
            mxm(A, A, plus_times, mask=Matrix.from_entries([3], [4], True, (600, 600)).structure)
    pushed, pulled = recorded.records
    assert (pushed.direction, pushed.edges) == ("push", degrees[A.to_entries()[1]].sum())
    assert pulled.direction == "pull"


ROWS: dict[str, Any] = {
    "all": None, "range": slice(4, 50), "backwards": slice(50, 4, -3), "some": [7, 3, 59, 0],
    "repeated": [5, 5, 9, 5, 0, 9], "none": [], "random": np.random.default_rng(4).permutation(60)[:30],
}  # fmt: skip
COLUMNS: dict[str, Any] = {
    "all": None, "leading": slice(0, 30), "middle": slice(20, 41), "empty": slice(30, 30),
    "steps": slice(3, 60, 4), "backwards": slice(59, None, -1), "sorted": [0, 2, 3, 30, 59],
    "unsorted": [30, 2, 59], "repeated": [4, 4, 7], "none": [],
}  # fmt: skip


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("weighted", [True, False])
def test_parts_of_matrices(engines: list[Any], rows: str, columns: str, weighted: bool) -> None:
    expected, found = (
        extract(graph(engine, weighted=weighted), ROWS[rows], COLUMNS[columns]) for engine in engines
    )
    assert_same(found, expected)


LARGE = 5000  # places, of which a product may use the values of its mask


@pytest.mark.parametrize("mask", ["", "inside", "inside a bitmap", "outside", "outside a buffer"])
@pytest.mark.parametrize("name", [*SEMIRINGS, "min_source"])
def test_what_few_edges_lead_to_is_listed_in_order(name: str, mask: str) -> None:
    """In the same order as ever, or float sums would be others; twice, as marks have to be cleared."""
    semiring = min_source if name == "min_source" else SEMIRINGS[name]
    random = np.random.default_rng(7)
    sources, targets = random.integers(0, LARGE, (2, 9000))
    with anypair.using("jit", direction="push") as jit, anypair.using("scipy") as scipy:
        found = []
        for engine in (scipy, jit):
            A = Matrix.from_entries(
                sources, targets, sources % 7 / 3, (LARGE, LARGE), duplicates=plus, backend=engine
            )
            some = Vector.from_entries(np.arange(0, LARGE, 300), 0.1, LARGE, backend=engine)
            named = Vector.from_entries(np.arange(0, LARGE, 20), 1.5, LARGE, backend=engine)
            if mask.endswith(("bitmap", "buffer")):
                named = update(Vector.from_entries([0], 0.5, LARGE, backend=engine), named)
            inside = named.structure if mask.startswith("inside") else ~named.structure if mask else None
            with trace() as seen:
                found.append([vxm(some, A, semiring, mask=inside) for _ in range(2)])
        assert {(r.direction, r.method, r.reason) for r in seen.records} == {
            ("push", "queue", "few edges")
        }
    for expected, result in zip(*found, strict=True):
        assert 0 < result.nvals < LARGE // 16
        assert result.storage.format == "list"
        assert_same(result, expected)


def test_a_short_list_may_lie_between_the_values_of_its_mask() -> None:
    """Without values of its own; what is written there later does not show in it."""
    with anypair.using("jit", direction="push"):
        path = Matrix.from_edges(np.arange(LARGE - 1), np.arange(1, LARGE), n=LARGE)
        reached = Vector.from_entries(range(100), 7, LARGE)
        update(reached, vxm(reached, path, min_source, mask=~reached.structure))  # has a buffer then
        steps = []
        for _ in range(3):
            steps.append(vxm(reached, path, min_source, mask=~reached.structure))
            update(reached, steps[-1])
        values = reached.storage.by_place
        assert [step.storage.by_place is values for step in steps] == [True, True, True]
        assert [apply(step, times, right=2).to_dict() for step in steps[1:]] == [{102: 202}, {103: 204}]
        assert not any(step.storage.has_words for step in steps)
        assert reached.nvals == 104
        alone = vxm(steps[-1], path, min_source, mask=~reached.structure)
        update(reached, Vector.from_entries([101, 104], [-1, -1], LARGE))
        found = [step.to_dict() for step in (*steps, alone)]
        assert found == [{101: 100}, {102: 101}, {103: 102}, {104: 103}]
        assert (reached.get(101), reached.get(104)) == (-1, -1)


def test_edges_are_few_beside_a_vertex_that_has_many() -> None:
    """They are counted: by the longest row there might be many."""
    with anypair.using("jit", direction="push"):
        star = np.arange(2, LARGE), np.zeros(LARGE - 2, int)
        A = Matrix.from_edges(*star, n=LARGE, symmetric=True)
        alone, hub = (Vector.from_entries([place], [1.0], LARGE) for place in (2, 0))
        few, many = vxm(alone, A, plus_times), vxm(hub, A, plus_times)
    assert (few.to_dict(), few.storage.has_words) == ({0: 1.0}, False)
    assert (many.nvals, many.storage.has_words) == (LARGE - 2, True)


def test_nothing_is_found_where_there_is_no_place() -> None:
    with anypair.using("jit", direction="push") as jit:
        A = Matrix.from_entries([0], [0], 1, (3, 3))[:, 3:]
        assert A.shape == (3, 0)
        found = vxm(Vector.from_entries([0], [1], 3), A, plus_times)
        assert (found.size, found.nvals) == (0, 0)
        assert len(jit.workspace.push_scratch(0).groups) == 0
