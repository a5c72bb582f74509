"""What is said of operators that raise, do not compile, or are no operators: which one, why, what would do."""

import functools
import math
import traceback
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, index_unary_op, monoid, unary_op
from anypair.config import resolve
from anypair.errors import AnypairError, InvalidArgument, InvalidValue, OperatorError
from anypair.semiring import plus, plus_monoid
from tests.conformance.cases import on_gpu

TABLE = {1.0: 2.0}


@binary_op(result=float)
def fails_above(x: Any, y: Any) -> Any:
    if x > 0.8:
        raise ValueError("above")
    return x * y


@binary_op(result=float)
def reads_left_only(x: Any, y: Any) -> Any:
    return 1 // (x - 0.9) * 0


@monoid(identity=0.0)
def bounded(x: Any, y: Any) -> Any:
    if x + y > 100:
        raise ValueError("over")
    return x + y


@unary_op(result=float)
def inverse(x: Any) -> Any:
    return 1 // (x - 0.9)


@index_unary_op(result=int)
def of_place(x: Any, i: Any, j: Any) -> Any:
    return 1 // (i - 1)


@binary_op(result=float)
def hundredfold(x: Any, y: Any) -> Any:
    return 1000 * x


@binary_op(result=float)
def looked_up(x: Any, y: Any) -> Any:
    return TABLE[x]


A = Matrix.from_entries([0, 0, 1], [0, 1, 1], [0.5, 0.9, 0.2], (2, 2), backend="reference")
U = Vector.from_entries([0, 1], [3.0, 4.0], 2, backend="reference")
HALF = Vector.from_entries([0], [True], 2, backend="reference")

RAISING: dict[str, tuple[Any, str]] = {
    "mxv": (lambda a, u, h: anypair.mxv(a, u, Semiring(bounded, fails_above)), "'fails_above'.*above.*(0.9, 4.0)"),
    "vxm": (lambda a, u, h: anypair.vxm(u, a, Semiring(bounded, fails_above)), "'fails_above'.*above.*(0.9, 3.0)"),
    "mxm": (lambda a, u, h: anypair.mxm(a, a, Semiring(bounded, fails_above)), "'fails_above'.*above.*(0.9, 0.2)"),
    "masked": (
        lambda a, u, h: anypair.mxv(a, u, Semiring(bounded, fails_above), mask=h.structure),
        "'fails_above'.*above.*(0.9, 4.0)",
    ),
    "unread": (lambda a, u, h: anypair.mxv(a, u, Semiring(bounded, reads_left_only)), "'reads_left_only'.*(0.9, 4.0)"),
    "sum": (lambda a, u, h: anypair.mxv(a, u, Semiring(bounded, hundredfold)), "'bounded'.*over.*(500.0, 900.0)"),
    "ewise_mult": (lambda a, u, h: anypair.ewise_mult(a, a, fails_above), "'fails_above'.*above.*(0.9, 0.9)"),
    "ewise_add": (lambda a, u, h: anypair.ewise_add(a, a, fails_above), "'fails_above'.*above.*(0.9, 0.9)"),
    "apply": (lambda a, u, h: anypair.apply(a, inverse), "'inverse'.*(0.9,)"),
    "place": (lambda a, u, h: anypair.apply(a, of_place), "'of_place'.*(0.2, 1, 1)"),
    "bound": (lambda a, u, h: anypair.apply(a, fails_above, right=2), "'fails_above'.*above.*(0.9, 2.0)"),
    "select": (lambda a, u, h: anypair.select(a, inverse), "'inverse'.*(0.9,)"),
    "cumulate": (lambda a, u, h: anypair.cumulate(anypair.apply(u, plus, right=60.0), bounded), "'bounded'.*over.*(63.0, 64.0)"),
    "scatter": (
        lambda a, u, h: anypair.scatter(anypair.apply(u, plus, right=60.0), Vector.full(2, 0, like=u), 1, bounded),
        "'bounded'.*over.*(63.0, 64.0)",
    ),
    "kron": (lambda a, u, h: anypair.kron(a, Matrix.full((1, 1), 0.5, like=u), fails_above), "'fails_above'.*above.*(0.9, 0.5)"),
    "duplicates": (
        lambda a, u, h: Matrix.from_entries([1, 0, 1], [0, 0, 0], [70.0, 2.0, 31.0], (2, 2), duplicates=bounded, like=u),
        "'bounded'.*over.*(70.0, 31.0)",
    ),
    "mirrored": (
        lambda a, u, h: Matrix.from_edges([0, 1], [1, 0], [70.0, 31.0], symmetric=True, duplicates=bounded, like=u),
        "'bounded'.*over.*(70.0, 31.0)",
    ),
    "loops left out": (
        lambda a, u, h: Matrix.from_edges(
            [0, 0, 0, 1], [0, 0, 1, 0], [99.0, 98.0, 70.0, 31.0], symmetric=True, self_loops=False, duplicates=bounded, like=u
        ),
        "'bounded'.*over.*(70.0, 31.0)",
    ),
    "reduce": (lambda a, u, h: anypair.reduce(anypair.apply(u, plus, right=60.0), bounded), "'bounded'.*(63.0, 64.0)"),
}  # fmt: skip


@pytest.mark.parametrize("case", RAISING)
def test_which_operator_raised_and_for_what(backend: str, case: str) -> None:
    call, message = RAISING[case]
    name, *_, arguments = message.split(".*")
    with pytest.raises(OperatorError) as error:
        call(A.to(backend), U.to(backend), HALF.to(backend))
    said = str(error.value)
    assert name in said
    # A GPU only counts the threads that failed; other ranks are not sent what an operator does not read.
    if not on_gpu(backend) and (backend, case) != ("mpi", "unread"):
        assert f"for arguments {arguments}" in said


@binary_op(result=int)
def of_the_number_alone(x: Any, y: Any) -> Any:
    return 1 // y


@pytest.mark.parametrize("shape", [(5,), (3, 4)])
def test_an_operator_is_not_called_where_no_entry_is(backend: str, shape: tuple[int, ...]) -> None:
    empty: Any = Vector.empty(*shape, int) if len(shape) == 1 else Matrix.empty(shape, int)
    found = anypair.apply(empty.to(backend), of_the_number_alone, right=0)
    assert (found.nvals, found.shape, found.dtype) == (0, shape, np.int64)


def test_a_mask_hides_what_raises_outside_of_it(backend: str) -> None:
    found = anypair.mxv(
        A.to(backend),
        U.to(backend),
        Semiring(plus_monoid, fails_above),
        mask=~HALF.to(backend).structure,
    )
    assert found.to_dict() == {1: 0.8}


@pytest.mark.parametrize("with_sum", [False, True])
def test_what_numba_does_not_compile(backend: str, with_sum: bool) -> None:
    a, u = A.to(backend), U.to(backend)
    if not resolve(backend).compiles_operators:
        pytest.skip("takes any function")
    call = anypair.mxv if with_sum else anypair.ewise_mult
    arguments = (a, u, Semiring(bounded, looked_up)) if with_sum else (a, a, looked_up)
    said = r"'looked_up' cannot be compiled: .*TABLE.*'scipy' takes any"
    with pytest.raises(OperatorError, match=said) as error:
        call(*arguments)
    assert "bounded" not in str(error.value) or on_gpu(backend)
    shown = traceback.format_exception(error.value)
    assert len(shown) < 20
    assert "site-packages" not in "".join(shown)


def by_name_alone(x: Any, y: Any = 3, *, z: Any = 4) -> Any:
    return 100 * x + 10 * y + z


REFUSED: dict[str, tuple[Any, type[AnypairError], str]] = {
    "apply, function": (lambda v: anypair.apply(v, abs), InvalidArgument, "apply: op=<built-in function abs> is not an operator.*@unary_op"),
    "select, lambda": (lambda v: anypair.select(v, lambda x: x), InvalidArgument, "select: op=.*make one with @unary_op"),
    "ewise, function": (lambda v: anypair.ewise_add(v, v, max), InvalidArgument, "not a binary operator.*@binary_op"),
    "too few": (lambda v: binary_op(lambda x: x), InvalidArgument, r"takes \(x\), but a binary operator is called with \(x, y\).*use @unary_op for one of 1"),
    "too many": (lambda v: unary_op(lambda x, y: x), InvalidArgument, r"takes \(x, y\), but a unary operator.*use @binary_op for one of 2"),
    "places": (lambda v: index_unary_op(lambda x: x), InvalidArgument, r"operator that sees places is called with \(x, i, j\)"),
    "positional": (lambda v: binary_op(positional=True)(lambda x, y: x), InvalidArgument, r"a positional operator is called with \(x, y, k\)"),
    "monoid": (lambda v: monoid(identity=0)(lambda x: x), InvalidArgument, r"a binary operator is called with \(x, y\)"),
    "direct": (lambda v: anypair.BinaryOp("mine", lambda x: x), InvalidArgument, "operator 'mine' takes"),
    "ufunc": (lambda v: unary_op(np.hypot), InvalidArgument, "'hypot' takes 2 arguments, but a unary operator"),
    "of C": (lambda v: binary_op(math.sqrt), InvalidArgument, r"'sqrt' takes \(x\), but a binary operator"),
    "default": (lambda v: unary_op(lambda x, *, s=2: x + s), InvalidArgument, r"arguments that are given by name alone"),
    "default of a helper": (lambda v: unary_op(lambda x: by_name_alone(x, 5)), OperatorError, r"'by_name_alone', which it calls\) has arguments that are given by name alone"),
    "number": (lambda v: anypair.select(v, index_unary_op(lambda x, i, j, k: i < k)), InvalidArgument, "takes its number as right="),
    "number of none": (lambda v: anypair.select(v, index_unary_op(lambda x, i, j: i < j), right=1), InvalidArgument, "takes no left= or right="),
    "number, no": (lambda v: anypair.select(v, anypair.semiring.lower, right="x"), InvalidValue, "select: right: 'x' is not a number"),
    "no function": (lambda v: unary_op(5), InvalidArgument, "unary_op: 5 is not a function"),  # type: ignore[call-overload]
    "untyped unary": (lambda v: anypair.apply(v, unary_op(lambda x: str(x))), OperatorError, r"state the result, as in @unary_op\(result=np.float64\)"),
    "untyped place": (lambda v: anypair.apply(v, index_unary_op(lambda x, i, j: (x, i))), OperatorError, r"as in @index_unary_op\(result="),
    "untyped binary": (lambda v: anypair.ewise_add(v, v, binary_op(lambda x, y: str(x))), OperatorError, r"as in @binary_op\(result="),
    "partial": (lambda v: anypair.apply(v, unary_op(functools.partial(print, 2))), OperatorError, r"operator 'partial' returns none.*@unary_op\(result="),
    "too large a value": (lambda v: Vector.from_entries([0], [2**64], 1), InvalidValue, "values holds 18446744073709551616, which no integer of 64 bits holds"),
    "no number": (lambda v: Vector.from_entries([0], [None], 1), InvalidValue, "values holds None, which is not a number"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(backend: str, case: str) -> None:
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        call(Vector.full(2, 1, backend=backend))


def test_a_result_that_no_float_holds(backend: str) -> None:
    """On backends of plain Python, where integers have no end."""
    if resolve(backend).compiles_operators:
        pytest.skip("integers have 64 bits")
    power = unary_op(result=float)(lambda x: x**200)
    with pytest.raises(
        OperatorError, match=r"integer that is too large for float64, for arguments|int too large"
    ):
        anypair.apply(Vector.full(1, 10**18, backend=backend), power)


def test_partial_functions_with_a_stated_result(backend: str) -> None:
    op = unary_op(result=int)(functools.partial(max, 5))
    v = Vector.from_entries([0, 1], [3, 8], 2, backend=backend)
    assert anypair.apply(v, op).to_dict() == {0: 5, 1: 8}


@pytest.mark.parametrize("other", [True, 3], ids=["bool", "int"])
def test_exclusive_or_of_bools(backend: str, other: Any) -> None:
    x = Vector.from_entries([0, 1], [True, False], 2, backend="reference")
    y = Vector.full(2, other, backend="reference")
    op = binary_op(lambda x, y: (x ^ y) | (x & y))
    expected = {0: op(True, other), 1: op(False, other)}
    assert anypair.ewise_mult(x.to(backend), y.to(backend), op).to_dict() == expected
