"""Operators written by a user as plain Python functions, on every backend."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypair
from anypair import (
    ANYTHING,
    MAX,
    MIN,
    Matrix,
    Semiring,
    Vector,
    binary_op,
    index_unary_op,
    monoid,
    unary_op,
)
from anypair.dtypes import DType
from anypair.errors import OperatorError
from anypair.semiring import any_pair, min_select, min_source, plus_times
from tests.conformance.cases import Case
from tests.support.compare import assert_same, entries
from tests.support.strategies import handles_of, matrices, shapes, sizes, vectors

INT64, FLOAT64 = np.dtype("int64"), np.dtype("float64")


@binary_op
def second(edge: Any, value: Any) -> Any:
    return value


@binary_op
def together(edge: Any, value: Any) -> Any:
    return True


@binary_op(positional=True)
def came_from(edge: Any, value: Any, k: Any) -> Any:
    return k


@binary_op
def product(x: Any, y: Any) -> Any:
    return x * y


@binary_op(result=np.float64)
def mean(x: Any, y: Any) -> Any:
    return (x + y) / 2


@monoid(identity=MAX, terminal=MIN)
def smallest(x: Any, y: Any) -> Any:
    return x if x < y else y


@monoid(identity=0)
def total(x: Any, y: Any) -> Any:
    return x + y


@monoid(identity=False, terminal=ANYTHING)
def whichever(x: Any, y: Any) -> Any:
    return x


@unary_op
def doubled(x: Any) -> Any:
    return x + x


@index_unary_op
def weighted_place(x: Any, i: Any, j: Any) -> Any:
    return x * (i + 10 * j)


@index_unary_op(result=bool)
def even_place(x: Any, i: Any, j: Any) -> Any:
    return (i + j) % 2 == 0


TWINS = {
    "min_select": (Semiring(smallest, second), min_select),
    "any_pair": (Semiring(whichever, together), any_pair),
    "min_source": (Semiring(smallest, came_from), min_source),
    "plus_times": (Semiring(total, product), plus_times),
}


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=15)
@given(data=st.data())
def test_a_user_semiring_equals_its_built_in_twin(backend: str, name: str, data: st.DataObject) -> None:
    user, built_in = TWINS[name]
    m, n, dtype = data.draw(sizes), data.draw(sizes), data.draw(st.sampled_from([INT64, FLOAT64]))
    a = data.draw(matrices((m, n), dtype))
    cases = [
        (anypair.mxv, (a, data.draw(vectors(n, dtype)))),
        (anypair.vxm, (data.draw(vectors(m, dtype)), a)),
        (anypair.mxm, (a, data.draw(matrices((n, m), dtype)))),
    ]
    for operation, operands in cases:
        found = Case(operation, (*operands, user)).run(backend)
        assert_same(found, Case(operation, (*operands, built_in)).run("reference"))


@pytest.mark.parametrize("dtype", [INT64, FLOAT64], ids=str)
@settings(max_examples=15)
@given(data=st.data())
def test_user_operators_entry_by_entry(backend: str, dtype: DType, data: st.DataObject) -> None:
    shape = data.draw(shapes)
    x, y = (
        data.draw(handles_of(shape, dtype, ends=False)),
        data.draw(handles_of(shape, dtype, ends=False)),
    )
    cases = [
        Case(anypair.ewise_add, (x, y, mean)),
        Case(anypair.ewise_mult, (x, y, mean)),
        Case(anypair.ewise_add, (x, y, smallest)),
        Case(anypair.apply, (x, doubled)),
        Case(anypair.apply, (x, weighted_place)),
        Case(anypair.apply, (x, mean), {"right": 3}),
        Case(anypair.select, (x, even_place)),
    ]
    for case in cases:
        assert_same(case.run(backend), case.run("reference"))


@settings(max_examples=15)
@given(data=st.data())
def test_user_monoid_reduces(backend: str, data: st.DataObject) -> None:
    x = data.draw(matrices(dtype=INT64))
    assert anypair.reduce(x.to(backend), total) == anypair.reduce(x, anypair.semiring.plus_monoid)
    rows = Case(anypair.reduce, (x, smallest), {"by": "rows"})
    assert_same(rows.run(backend), rows.run("reference"))


def test_the_result_dtype_is_stated_or_inferred(backend: str) -> None:
    x = Vector.from_entries([0], [4], size=2, dtype=np.int32)
    assert anypair.ewise_mult(x, x, mean).dtype == FLOAT64
    assert anypair.apply(x, doubled).dtype == INT64  # Numba adds int32 as int64
    assert anypair.apply(x, even_place).dtype == np.dtype(bool)
    assert anypair.ewise_mult(x, x, smallest).dtype == np.dtype(np.int32)


@binary_op(result=np.int64)
def distance(x: Any, y: Any) -> Any:
    return abs(x - y)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint32", "uint64"])
def test_numbers_are_those_of_python(backend: str, dtype: str) -> None:
    """1 - 2 is -1, whatever the dtype of the operands."""
    x = Vector.from_entries([0, 1], [1, 100], size=2, dtype=dtype)
    y = Vector.from_entries([0, 1], [2, 30], size=2, dtype=dtype)
    assert anypair.ewise_mult(x, y, distance).to_dict() == {0: 1, 1: 70}


@binary_op(result=np.int64)
def inverse_product(x: Any, y: Any) -> Any:
    return 1 // (x * y)


def test_an_operator_that_raises_leaves_the_output_alone(backend: str) -> None:
    graph = Matrix.from_edges([0, 1], [1, 0], [1, 0])
    u, out = Vector.full(2, 1), Vector.full(2, 7)
    for call in (
        lambda: anypair.mxv(graph, u, Semiring(total, inverse_product), out=out),
        lambda: anypair.ewise_mult(u, Vector.full(2, 0), inverse_product, out=out),
        lambda: anypair.apply(u, inverse_product, right=0, out=out),
        lambda: anypair.ewise_mult(u, u, product, out=out, accum=raising_accumulator),
    ):
        with pytest.raises(OperatorError, match=r"inverse_product|raising_accumulator"):
            call()
        assert entries(out) == {(0,): 7, (1,): 7}


@binary_op(result=np.int64)
def raising_accumulator(x: Any, y: Any) -> Any:
    return x // (y - y)
