"""Operators of three values and more, where all operands have an entry."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypair import (
    Matrix,
    NaryOp,
    Vector,
    binary_op,
    ewise_all,
    ewise_mult,
    nary_op,
    select,
    trace,
    unary_op,
)
from anypair.errors import InvalidArgument, LossyCast, OperatorError, SizeMismatch
from anypair.semiring import is_true, plus, times
from tests.conformance.cases import Case, move
from tests.support.compare import assert_same
from tests.support.strategies import handles_of, shapes


@nary_op(result=np.int64)
def apart(x: Any, y: Any, z: Any) -> Any:
    """Tells all three apart."""
    return x + 10 * y + 100 * z


@nary_op
def blended(x: Any, y: Any, share: Any) -> Any:
    return share * x + (1 - share) * y


@nary_op
def between(low: Any, x: Any, high: Any) -> Any:
    return low <= x and x <= high


@nary_op(result=lambda *dtypes: np.result_type(*dtypes))
def chosen(x: Any, y: Any, z: Any, u: Any) -> Any:
    return x if z < u else y


@nary_op(result=np.int64)
def dividing(x: Any, y: Any, z: Any) -> Any:
    return x // (y - z)


@pytest.mark.parametrize("op", [apart, blended, between, chosen], ids=str)
@settings(max_examples=15)
@given(data=st.data())
def test_values_where_all_have_an_entry(backend: str, op: NaryOp, data: st.DataObject) -> None:
    shape = data.draw(shapes)
    kinds = st.sampled_from(["int64", "float64"])
    operands = [
        data.draw(handles_of(shape, np.dtype(data.draw(kinds)), ends=False)) for _ in op.arguments
    ]
    if op is apart:
        operands = [x.cast(np.int64) for x in operands]
    case = Case(partial(ewise_all, op), tuple(operands))
    assert_same(case.run(backend), case.run("reference"))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", "float32"])
def test_numbers_are_those_of_python(backend: str, dtype: str) -> None:
    columns = [np.array([1, 0, 1]), np.array([0, 1, 1]), np.array([1, 1, 1])]
    x, y, z = (Vector.from_numpy(column.astype(dtype)) for column in columns)
    found = ewise_all(nary_op(result=np.int64)(lambda x, y, z: x - 300 * y - z), x, y, z)
    assert found.to_dict() == {0: 0, 1: -301, 2: -300}


def test_places_and_writes(backend: str) -> None:
    x = Vector.from_entries([0, 1, 2, 4], [1, 2, 3, 4], size=5)
    y = Vector.from_entries([1, 2, 3, 4], [1, 1, 1, 1], size=5)
    z = Vector.from_entries([0, 2, 4], [1, 2, 3], size=5)
    assert ewise_all(apart, x, y, z).to_dict() == {2: 213, 4: 314}
    assert ewise_all(apart, x, x, x).to_dict() == {0: 111, 1: 222, 2: 333, 4: 444}
    assert ewise_all(apart, x, y, z, mask=~x.where(y.structure).structure).to_dict() == {}
    out = x.copy()
    ewise_all(apart, x, out, z, out=out, mask=y.structure, accum=plus)
    assert out.to_dict() == {0: 1, 1: 2, 2: 236, 4: 348}
    ewise_all(apart, out, out, out, out=out, mask=z.structure, replace=True)
    assert out.to_dict() == {0: 111, 2: 236 * 111, 4: 348 * 111}
    narrow = Vector.empty(5, np.int8)
    assert ewise_all(apart, x, y, z, out=narrow).to_dict() == {2: 213 - 256, 4: 314 - 256}
    with pytest.raises(LossyCast):
        ewise_all(blended, x, y, z.cast(float), out=narrow)
    assert narrow.nvals == 2
    assert (
        ewise_all(apart, x + y, x * y, z - x).to_dict()
        == ewise_all(apart, ewise_mult(x, y, plus), ewise_mult(x, y, times), z - x).to_dict()
    )
    A = Matrix.from_entries([0, 0, 2], [1, 3, 0], [1, 2, 3], shape=(3, 4))
    B = Matrix.from_entries([0, 2, 2], [3, 0, 1], [4, 5, 6], shape=(3, 4))
    assert list(ewise_all(apart, A, B, A)) == [(0, 3, 242), (2, 0, 353)]
    assert list(ewise_all(apart, A, B, A, mask=B.where(A.structure).structure)) == [
        (0, 3, 242), (2, 0, 353)
    ]  # fmt: skip
    with trace() as recorded:
        ewise_all(apart, x, y, z)
    assert "ewise_all" in str(recorded)


def test_nothing_in_common_and_no_places(backend: str) -> None:
    x, y = Vector.from_entries([0], [1], size=3), Vector.from_entries([1], [1], size=3)
    assert ewise_all(apart, x, y, x).nvals == 0
    for shape in ((0, 3), (3, 0), (1, 1)):
        A = Matrix.empty(shape, int)
        assert (ewise_all(apart, A, A, A).shape, ewise_all(apart, A, A, A).nvals) == (shape, 0)
    assert ewise_all(apart, *[Vector.empty(0, int)] * 3).size == 0


def test_long_vectors_in_pieces(backend: str) -> None:
    n = 300 if backend in ("cuda", "hybrid") else 70_000
    numbers = np.arange(n)
    x = Vector.from_numpy(numbers)
    odd = select(x, unary_op(result=bool)(lambda x: x % 2 == 1))
    found = ewise_all(apart, x, odd, x)
    assert found.nvals == n // 2
    assert found.to_entries()[1].tolist() == (111 * numbers[1::2]).tolist()


def test_more_values_and_other_functions(backend: str) -> None:
    x = Vector.from_numpy([1, 2])
    eight = nary_op(result=np.int64)(lambda a, b, c, d, e, f, g, h: a + b + c + d + e + f + g - h)
    assert ewise_all(eight, *[x] * 8).to_dict() == {0: 6, 1: 12}
    assert ewise_all(nary_op(partial(max_of_four, 5)), x, x, x).to_dict() == {0: 5, 1: 5}
    by = 2
    captured = nary_op(lambda a, b, c: by * apart_again(a, b, c))
    by = 3
    assert ewise_all(captured, x, x, x).to_dict() == {0: 2 * by, 1: 4 * by}


def max_of_four(a: Any, b: Any, c: Any, d: Any) -> Any:
    return max(max(a, b), max(c, d))


def apart_again(a: Any, b: Any, c: Any) -> Any:
    return a + b + c


def test_errors_name_the_operator_and_its_values(backend: str) -> None:
    x, out = Vector.from_numpy([1, 2]), Vector.from_numpy([7, 7])
    told = r"dividing" if backend in ("cuda", "hybrid") else r"dividing.*\(1, 1, 1\)"
    with pytest.raises(OperatorError, match=told):
        ewise_all(dividing, x, x, x, out=out)
    assert out.to_dict() == {0: 7, 1: 7}


def test_what_is_refused() -> None:
    x = Vector.from_numpy([1, 2])
    with pytest.raises(InvalidArgument, match=r"times.*@nary_op.*ewise_mult"):
        ewise_all(times, x, x)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="takes 3 values, and there are 2"):
        ewise_all(apart, x, x)
    with pytest.raises(InvalidArgument, match=r"y=3 is not a Matrix or Vector"):
        ewise_all(apart, x, 3, x)  # type: ignore[type-var]
    with pytest.raises(SizeMismatch, match="ewise_all"):
        ewise_all(apart, x, x, Vector.full(3, 1))
    with pytest.raises(SizeMismatch, match="ewise_all"):
        ewise_all(apart, x, x, Matrix.full((2, 2), 1))  # type: ignore[type-var]
    for function in (lambda: 1, lambda x: x, lambda x, y: x, lambda *x: x, 3):
        with pytest.raises(InvalidArgument, match="nary_op"):
            nary_op(function)  # type: ignore[call-overload]
    with pytest.raises(InvalidArgument, match="nary_op"):
        binary_op(lambda x, y, z, u: x)


def test_travels() -> None:
    for op in (apart, nary_op(lambda x, y, z: x + y + z), chosen):
        again = pickle.loads(pickle.dumps(op))
        assert repr(again) == repr(op)
        assert again(*range(len(op.arguments))) == op(*range(len(op.arguments)))
    assert is_true(1)


def test_operands_move_with_the_backend(backend: str) -> None:
    x = Vector.from_numpy([1, 2], backend="reference")
    moved = move(x, backend)
    assert_same(ewise_all(apart, moved, moved, moved), ewise_all(apart, x, x, x))
