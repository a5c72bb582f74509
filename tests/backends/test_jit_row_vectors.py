"""Short, wide matrices of `jit`, whose rows are vectors, against `scipy`, which has no such thing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import (
    Matrix,
    Semiring,
    apply,
    assign,
    binary_op,
    ewise_add,
    ewise_mult,
    extract,
    mxm,
    reduce,
    select,
    trace,
    update,
)
from anypair.backends.jit.row_vectors import JitRows
from anypair.errors import OperatorError
from anypair.semiring import (
    any_pair,
    column,
    gt,
    min_plus,
    min_source,
    minimum,
    minus,
    plus,
    plus_first,
    plus_monoid,
    plus_second,
    plus_times,
    strict_lower,
    times,
)
from tests.support.compare import assert_same
from tests.support.cutting import cut_all_work

ROWS, N = 5, 4500
SEMIRINGS = [plus_times, plus_first, plus_second, min_plus, min_source, any_pair]


@pytest.fixture(params=[1, 2, 5])
def engines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """`scipy`, and `jit` with so many threads, which share even little work."""
    if request.param > 1:
        cut_all_work(monkeypatch)
    with anypair.using("jit", threads=request.param) as jit, anypair.using("scipy") as scipy:
        return [scipy, jit]


def batch(engine: Any, entries: int, seed: int, dtype: Any = np.int64) -> Matrix:
    random = np.random.default_rng(seed)
    keys = random.permutation(ROWS * N)[:entries]
    values = random.integers(1, 9, entries).astype(dtype)
    return Matrix.from_entries(keys // N, keys % N, values, (ROWS, N), backend=engine)


def graph(engine: Any, dtype: Any = np.int64, columns: int = N) -> Matrix:
    random = np.random.default_rng(8)
    keys = np.unique(random.integers(0, N * columns, 6 * N))
    values = random.integers(1, 9, len(keys)).astype(dtype)
    return Matrix.from_entries(keys // columns, keys % columns, values, (N, columns), backend=engine)


def is_rows(x: Matrix) -> bool:
    return isinstance(x.storage, JitRows)


@pytest.mark.parametrize("semiring", SEMIRINGS, ids=lambda s: s.name)
@pytest.mark.parametrize("masked", ["", "inside", "outside"])
@pytest.mark.parametrize("entries", [0, 4, 900, 20000])
def test_products(engines: list[Any], semiring: Semiring, masked: str, entries: int) -> None:
    answers = []
    for engine in engines:
        M = batch(engine, 8000, 2)
        mask = {"": None, "inside": M.structure, "outside": ~M.structure}[masked]
        once = mxm(batch(engine, entries, 1), graph(engine), semiring, mask=mask)
        answers += [once, mxm(once, graph(engine), semiring, mask=mask)]
    assert is_rows(answers[3])
    assert_same(answers[2], answers[0])
    assert_same(answers[3], answers[1])


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float32])
def test_either_direction_and_wide_or_narrow_results(direction: str, dtype: Any) -> None:
    answers = []
    for name, options in (("scipy", {}), ("jit", {"direction": direction})):
        with anypair.using(name, **options) as engine:
            wide = mxm(batch(engine, 900, 1, dtype), graph(engine, dtype), plus_first)
            narrow = mxm(wide, graph(engine, dtype, 40), plus_times)
            answers += [wide, narrow]
    assert is_rows(answers[2])
    assert not is_rows(answers[3])
    assert_same(answers[2], answers[0])
    assert_same(answers[3], answers[1])


def rows_of_numbers(engine: Any, entries: int, seed: int) -> Matrix:
    """Such entries as a product leaves them."""
    same = Matrix.from_entries(range(N), range(N), 1, (N, N), backend=engine)
    return mxm(batch(engine, entries, seed), same, plus_first)


Operation = Callable[[Matrix, Matrix], Any]
OPERATIONS: dict[str, Operation] = {
    "ewise_add": lambda x, y: ewise_add(x, y, minus),
    "ewise_mult": lambda x, y: ewise_mult(x, y, minus),
    "with compressed rows": lambda x, y: ewise_add(batch(x.backend, 90, 6), y, minus),
    "apply a number": lambda x, y: apply(x, times, right=3),
    "apply columns": lambda x, y: apply(x, column),
    "apply inside": lambda x, y: apply(x, times, right=3, mask=y.structure),
    "select": lambda x, y: select(x, gt, right=4),
    "select places": lambda x, y: select(x, strict_lower),
    "sum of rows": lambda x, y: reduce(x, plus_monoid, by="rows"),
    "sum of columns": lambda x, y: reduce(x, plus_monoid, by="columns"),
    "transpose": lambda x, y: x.T.T,
    "extract": lambda x, y: extract(x, [3, 1, 3], slice(7, 900)),
    "cast": lambda x, y: x.cast("float32"),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("entries", [(0, 9), (50, 9000), (9000, 50), (7000, 8000)], ids=str)
def test_operations(engines: list[Any], name: str, entries: tuple[int, int]) -> None:
    expected, found = (
        OPERATIONS[name](rows_of_numbers(e, entries[0], 1), rows_of_numbers(e, entries[1], 2))
        for e in engines
    )
    assert_same(found, expected)


WRITES: dict[str, Operation] = {
    "update": update,
    "update itself": lambda x, y: update(x, x),
    "add": lambda x, y: ewise_add(x, y, plus, out=x),
    "accumulate": lambda x, y: apply(y, times, right=2, out=x, accum=minus),
    "inside": lambda x, y: apply(y, times, right=2, out=x, accum=minimum, mask=y.structure),
    "outside": lambda x, y: apply(y, times, right=2, out=x, mask=~x.structure),
    "replace": lambda x, y: apply(x, times, right=2, out=x, mask=y.structure, replace=True),
    "assign": lambda x, y: assign(x, 7, mask=y.structure),
    "product": lambda x, y: mxm(y, graph(y.backend), plus_times, out=x, mask=~x.structure, accum=plus),
    "search": lambda x, y: update(x, mxm(y, graph(y.backend), plus_first, mask=~x.structure)),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("entries", [(3, 9), (50, 9000), (9000, 50), (7000, 8000)], ids=str)
def test_writes_show_where_they_should(engines: list[Any], name: str, entries: tuple[int, int]) -> None:
    answers = []
    for engine in engines:
        x, y = rows_of_numbers(engine, entries[0], 1), rows_of_numbers(engine, entries[1], 2)
        before, sum_before = x.copy(), reduce(x, plus_monoid, by="rows")
        held = x + 1
        for _ in range(3):
            WRITES[name](x, y)
        answers.append((x, y, before, held, sum_before, reduce(x, plus_monoid, by="rows"), x.T))
    for found, expected in zip(*reversed(answers), strict=True):
        assert_same(found, expected)


def test_an_error_leaves_all_rows_as_they_were(engines: list[Any]) -> None:
    @binary_op
    def picky(x, y):  # type: ignore[no-untyped-def]
        if y == 8:
            raise ValueError("no eights")
        return x + y

    jit = engines[1]
    x, y = rows_of_numbers(jit, 9000, 1), rows_of_numbers(jit, 9000, 2)
    before = x.copy()
    with pytest.raises(OperatorError, match="no eights"):
        apply(y, times, right=1, out=x, accum=picky)
    assert_same(x, before)


def test_the_trace_knows_direction_and_edges() -> None:
    with anypair.using("jit") as jit:
        A, few = graph(jit), batch(jit, 6, 1)
        with trace() as recorded:
            mxm(few, A, plus_first)
        (record,) = recorded.records
        assert record.direction == "push"
        degrees = np.bincount(A.to_entries()[0], minlength=N)
        assert record.edges == degrees[few.to_entries()[1]].sum()


@pytest.mark.parametrize("op", [plus_monoid, minimum])
@pytest.mark.parametrize("dtype", [np.int8, np.float64])
def test_columns_of_a_batch_are_summed_without_a_transpose(
    engines: list[Any], op: Any, dtype: Any
) -> None:
    found = []
    for engine in engines:
        same = Matrix.from_entries(range(N), range(N), True, (N, N), backend=engine)
        A = mxm(batch(engine, 9000, 3, dtype), same, plus_first)
        found.append([reduce(A, op, by="columns"), reduce(Matrix.empty(A.shape), op, by="columns")])
    assert_same(found[1][0], found[0][0])
    assert found[1][1].nvals == 0
    assert isinstance(A.storage, JitRows)
    assert A.storage.transposed is None
