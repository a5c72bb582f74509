"""`check` finds what is wrong with an operator, and nothing wrong with the catalogue."""

import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from anypair import MAX, MIN, Semiring, binary_op, check, monoid
from anypair.dtypes import FLOAT64, INT64, SUPPORTED
from anypair.errors import FactViolated, InvalidArgument, OperatorError, UnsupportedDType
from anypair.semiring import ANYTHING, BinaryOp, Facts, Grows, Monoid, Within, catalogue
from tests.support.strategies import MONOIDS, SEMIRINGS

BINARY = {name: op for name in catalogue.__all__ if isinstance(op := getattr(catalogue, name), BinaryOp)}


@pytest.mark.parametrize("x", [*BINARY.values(), *MONOIDS.values(), *SEMIRINGS.values()], ids=repr)
def test_the_catalogue_is_as_it_says(x: Any) -> None:
    check(x)


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_the_catalogue_is_as_it_says_on_every_dtype(dtype: np.dtype[Any]) -> None:
    for x in (*MONOIDS.values(), catalogue.plus, catalogue.times, catalogue.minimum, catalogue.second):
        check(x, dtype)
    check(catalogue.min_plus, (dtype, np.int16))


def wrong(fact: str, right: Any) -> list[Any]:
    """What is not so, if `right` is."""
    if fact == "selects":
        return [{"min": "max", "max": "min"}[right]]
    if fact == "gives":
        return [x for x in ("edge", "value", "constant") if x != right]
    if isinstance(right, bool):
        return [not right]
    if isinstance(right, Within):
        return [True]
    assert isinstance(right, Grows)
    found = [Grows(up=Within())] if right.up != Within() else []
    return found + ([Grows(down=Within())] if right.down != Within() else [])


PLANTED = [
    pytest.param(op, fact, planted, id=f"{name}-{fact}-{planted}")
    for name, op in BINARY.items()
    for fact, right in vars(op.declared).items()
    if right is not None
    for planted in wrong(fact, right)
]


@pytest.mark.parametrize(("op", "fact", "planted"), PLANTED)
def test_a_wrong_fact_in_the_catalogue_is_found(op: BinaryOp, fact: str, planted: Any) -> None:
    declared = replace(op.declared, **{fact: planted})
    broken = BinaryOp(op.name, op.function, op.rule, op.positional, declared)
    with pytest.raises(FactViolated) as caught:
        check(broken)
    assert caught.value.operator == op.name
    assert fact in str(caught.value)


@pytest.mark.parametrize("name", sorted(MONOIDS))
def test_a_wrong_identity_or_terminal_in_the_catalogue_is_found(name: str) -> None:
    made = MONOIDS[name]
    if made.selects != "any":
        with pytest.raises(FactViolated, match="identity"):
            check(Monoid(made.op, MIN if made.identity is MAX else not made.identity, made.terminal))
    with pytest.raises(FactViolated, match=r"terminal|selects|commutative"):
        check(Monoid(made.op, made.identity, made.identity))
    if made.selects not in ("any", "min", "max") and made.terminal is None:
        with pytest.raises(FactViolated, match="any"):
            check(Monoid(made.op, made.identity, ANYTHING))


def test_a_wrong_terminal_is_named_with_a_counter_example() -> None:
    best = monoid(identity=MIN, terminal=1.0)(lambda x, y: max(x, y))
    semiring = Semiring(best, binary_op(lambda e, v: e * v))
    for x in (best, semiring):
        with pytest.raises(FactViolated) as caught:
            check(x, dtype=np.float64)
        error = caught.value
        assert (error.operator, error.fact) == ("<lambda>", "terminal=1.0")
        one, other = error.arguments
        assert best(one, other) != 1.0
        assert f"f({one!r}, {other!r}) is " in str(error)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (monoid(identity=0)(lambda x, y: x - y), "is said to be associative, but for"),
        (monoid(identity=0)(lambda x, y: x), "is said to be commutative, but for"),
        (
            monoid(identity=1)(lambda x, y: x + y),
            "has identity=True, but for bool f(True, False) is True",
        ),
        (monoid(identity=MAX, selects="max")(lambda x, y: min(x, y)), "f("),
        (binary_op(gives="value")(lambda e, v: e), "gives='value', but for bool f(False, True"),
        (binary_op(monotone=True)(lambda e, v: -v), "monotone=True"),
        (binary_op(commutes=False)(lambda x, y: x + y), "commutes=False, but no counter-example"),
    ],
)
def test_what_is_wrong_is_said(broken: Any, message: str) -> None:
    with pytest.raises(FactViolated) as caught:
        check(broken)
    assert message in str(caught.value)


def test_operators_that_raise_for_some_numbers_are_checked_for_the_others() -> None:
    check(binary_op(lambda x, y: x // y))
    with pytest.raises(FactViolated, match="commutes"):
        check(binary_op(commutes=True)(lambda x, y: x // y), INT64)


@pytest.mark.parametrize(
    "x",
    [
        monoid(identity=0)(lambda x, y: x ^ y),
        monoid(identity=0)(lambda x, y: x | y),
        monoid(identity=-1)(lambda x, y: x & y if isinstance(x, int) else x // 0),
        Semiring(monoid(identity=0)(lambda x, y: x ^ y), binary_op(lambda e, v: e & v)),
    ],
)
def test_dtypes_that_an_operator_never_takes_are_passed_over(x: Any) -> None:
    check(x)
    with pytest.raises(OperatorError, match="float"):
        check(x, FLOAT64)


def test_a_law_that_ends_in_an_error_is_told_with_the_error() -> None:
    with pytest.raises(
        FactViolated, match=r"f\(True, False\) fails: operator '<lambda>' raised ZeroDivision"
    ):
        check(monoid(identity=0)(lambda x, y: x // y if y else 1 // (1 - x)), bool)


@pytest.mark.parametrize("dtype", [np.uint16, np.int64, np.uint64, np.float32, np.float64], ids=str)
@pytest.mark.parametrize("bend", [20, 1000])
def test_facts_that_break_between_small_numbers_and_the_ends_are_found(dtype: Any, bend: int) -> None:
    falls = binary_op(monotone=True)(lambda e, v: 0 if bend < v < 4096 * bend else v)
    with pytest.raises(FactViolated, match="monotone"):
        check(falls, dtype)


def test_sums_that_round_or_overflow_still_associate() -> None:
    check(catalogue.plus_monoid, np.float32)
    check(catalogue.times_monoid, FLOAT64)


def test_nan_is_no_counter_example_where_nothing_is_said_of_it() -> None:
    check(monoid(identity=MAX)(lambda x, y: x if x < y else y))
    assert math.isnan(catalogue.minimum(math.nan, math.nan))


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="is no semiring, monoid or binary operator"):
        check(3)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedDType):
        check(catalogue.plus, "complex64")


PROGRAM = """
from anypair import MIN, Matrix, Semiring, Vector, binary_op, monoid, mxv
from anypair.errors import FactViolated
best = monoid(identity=MIN, terminal=1.0)(lambda x, y: max(x, y))
A = Matrix.from_entries([0], [0], [1.5], (1, 1), backend="reference")
try:
    mxv(A, Vector.from_entries([0], [1.5], 1, backend="reference"), Semiring(best, binary_op(lambda e, v: e)))
    print("believed")
except FactViolated as error:
    print(error.fact)
"""


@pytest.mark.parametrize(
    ("wanted", "said"), [("1", "terminal=1.0"), ("0", "believed"), ("", "believed")]
)
def test_the_environment_asks_for_checks(
    wanted: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANYPAIR_CHECK", wanted)
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == said


def test_a_variable_that_is_neither_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYPAIR_CHECK", "perhaps")
    with pytest.raises(InvalidArgument, match="ANYPAIR_CHECK is 'perhaps'; it is 0 or 1"):
        monoid(identity=0)(lambda x, y: x + y).typed(INT64)


def test_facts_are_shown_as_they_were_said() -> None:
    assert repr(Facts(commutes=True)) == "Facts(commutes=True)"
