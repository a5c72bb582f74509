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
from anypair.backends.jit.storage import JitVector
from anypair.errors import OperatorError
from anypair.semiring import (
    any_pair,
    gt,
    lor_land,
    min_plus,
    minus,
    pair,
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


def test_sorting_a_list_leaves_it_as_it_is_for_those_who_walk_along_it() -> None:
    u = JitVector(N, np.array([5, 3, 9], np.uint32), np.array([50, 30, 90]), is_sorted=False)
    before = u.any_list()
    assert u.indices.tolist() == [3, 5, 9]
    assert u.values.tolist() == [30, 50, 90]
    assert [each is other for each, other in zip(u.any_list(), before, strict=True)] == [True, True]
    assert not u.is_sorted


def test_a_short_result_is_in_order_if_that_of_sums_matters() -> None:
    """Sums of floats are added up in order: the next product would have to sort it with its values."""
    with anypair.using("jit", direction="push"):
        u = Vector.from_entries([9, 2, 5], [1.0, 2.0, 3.0], N)
        for dtype, is_sorted in ((float, True), (int, False)):
            A = Matrix.from_entries([2, 5, 9], [700, 500, 30], 1, (N, N))
            assert vxm(u.cast(dtype), A, plus_times).storage.is_sorted == is_sorted


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
