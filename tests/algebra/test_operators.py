"""How Python functions become operators, and what is found out about them."""

import math
from typing import Any

import numpy as np
import pytest

from anypair import ANYTHING, MAX, Monoid, binary_op, index_unary_op, monoid, unary_op
from anypair import semiring as s
from anypair.errors import InvalidArgument, OperatorError

INT64 = np.dtype("int64")


def test_decorators_with_and_without_arguments() -> None:
    @binary_op
    def bare(x: Any, y: Any) -> Any:
        return x

    @binary_op(result=np.int8)
    def stated(x: Any, y: Any) -> Any:
        return x

    @unary_op(result=lambda operand: operand)
    def by_rule(x: Any) -> Any:
        return x

    @index_unary_op
    def place(x: Any, i: Any, j: Any) -> Any:
        return i

    @monoid(identity=MAX, terminal=ANYTHING)
    def whichever(x: Any, y: Any) -> Any:
        return x

    assert [op.name for op in (bare, stated, by_rule, place)] == ["bare", "stated", "by_rule", "place"]
    assert bare.typed(INT64, INT64).result == INT64
    assert stated.typed(INT64, INT64).result == np.dtype("int8")
    assert by_rule.typed(np.dtype("uint8")).result == np.dtype("uint8")
    assert place.indexed
    assert isinstance(whichever, Monoid)
    assert whichever.typed(INT64).takes_any
    assert bare(1, 2) == whichever(1, 2) == 1
    assert by_rule(5) == 5


@pytest.mark.parametrize("decorator", [unary_op, binary_op, index_unary_op, monoid(identity=0)])
def test_only_functions_become_operators(decorator: Any) -> None:
    with pytest.raises(InvalidArgument, match="5 is not a function"):
        decorator(5)


def test_an_identity_is_a_number() -> None:
    with pytest.raises(InvalidArgument, match="identity='zero' is neither a number"):
        monoid(identity="zero")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        (s.plus, True, True),
        (s.first, True, False),
        (s.second, False, True),
        (s.pair, False, False),
        (s.source, False, False),
        (s.minimum, True, True),
        (s.BinaryOp("builtin", max), True, True),
        (binary_op(lambda x, y: [x for _ in range(y)]), True, True),
    ],
    ids=str,
)
def test_which_operands_an_operator_reads(op: s.BinaryOp, left: bool, right: bool) -> None:
    assert (op.reads_left, op.reads_right) == (left, right)


def test_typing_happens_once() -> None:
    assert s.plus.typed(INT64, INT64) is s.plus.typed(INT64, INT64)
    assert s.min_plus.typed(INT64, INT64) is s.min_plus.typed(INT64, INT64)
    assert s.plus_monoid.typed(INT64) is s.plus_monoid.typed(INT64)


def test_operators_are_told_apart_by_identity() -> None:
    mine = s.BinaryOp("plus", s.plus.function, s.plus.rule)
    assert mine != s.plus
    assert len({mine, s.plus}) == 2


def test_a_typed_operator_computes_then_casts() -> None:
    boolean, unsigned = np.dtype(bool), np.dtype("uint64")
    wrapped = s.plus.typed(unsigned, unsigned)
    assert wrapped(2**64 - 1, 1) == 0
    assert wrapped.into(boolean)(2**64 - 1, 1) is False


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x, y: len(str(x)) if y else "text", "cannot be typed for"),
        (lambda x, y: (x, y), "not a number that can be stored"),
        (lambda x, y: None, "not a number that can be stored"),
        (lambda x, y: open("never").read(), "cannot be typed for"),  # noqa: PTH123, SIM115
        (divmod, "not a number that can be stored"),
    ],
    ids=["two types", "tuple", "None", "not compilable", "built-in"],
)
def test_a_result_that_cannot_be_inferred(function: Any, message: str) -> None:
    op = s.BinaryOp("mine", function)
    with pytest.raises(OperatorError, match=rf"operator 'mine'.*{message}.*state the result") as error:
        op.typed(INT64, INT64)
    assert "(int64, int64)" in str(error.value)


def test_an_operator_that_raises_is_named_with_its_arguments() -> None:
    typed = binary_op(result=int)(lambda x, y: x // y).typed(INT64, INT64)
    with pytest.raises(
        OperatorError, match=r"raised ZeroDivisionError.*for arguments \(1, 0\)"
    ) as error:
        typed(1, 0)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_an_operator_that_returns_no_number_is_named() -> None:
    typed = binary_op(result=int)(lambda x, y: "text").typed(INT64, INT64)
    with pytest.raises(OperatorError, match=r"returned 'text' for arguments \(1, 2\)"):
        typed(1, 2)


def test_names_and_repr() -> None:
    assert repr(s.min_select) == "Semiring(min_select)"
    assert repr(s.Semiring(s.min_monoid, s.plus)) == "Semiring(min_plus)"
    assert repr(s.plus) == "BinaryOp(plus)"
    assert repr(s.position) == "IndexUnaryOp(position)"
    assert repr(s.plus_monoid) == "Monoid(plus)"


def test_powers_and_sums_of_exponentials_are_those_of_numpy() -> None:
    numbers = [-8.0, -1.0, -2.5, 0.0, 0.5, 1.0, 3.0, 1e200, 1e-200, math.inf, -math.inf, math.nan, 100.0]
    for x in numbers:
        for y in numbers:
            with np.errstate(all="ignore"):
                power, added = np.power(x, y), np.logaddexp(x, y)
            if not (x < 0 and math.isinf(y)) and (x, y % 1) not in (
                (-math.inf, 0.5),
                (-math.inf, 1e-200),
            ):
                assert s.power(x, y) == pytest.approx(power, rel=1e-12, nan_ok=True), (x, y)
            assert s.logaddexp(x, y) == pytest.approx(added, rel=1e-12, nan_ok=True), (x, y)
    assert (s.power(-2, 3), s.power(-2, -1), s.power(True, 0), s.power(7, 2)) == (-8, -0.5, 1, 49)
    assert [s.first_fit(x) for x in (0, 1, 5, 7, -1, 2**62 - 1)] == [0, 1, 1, 3, 63, 62]
