"""Facts: declared, derived from what a function does, or unknown; and what casts leave of them."""

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anypair import MAX, MIN, Semiring, binary_op, monoid
from anypair.dtypes import BOOL, FLOAT64, INT64, SUPPORTED
from anypair.errors import InvalidArgument
from anypair.semiring import (
    ANYTHING,
    BinaryOp,
    Facts,
    Grows,
    Monoid,
    TypedSemiring,
    Within,
    catalogue,
    derivation,
    min_monoid,
    plus_monoid,
    source,
)

INT8 = np.dtype(np.int8)
FLOAT32 = np.dtype(np.float32)
NUMBER = 7


def at_least(x: Any, y: Any) -> Any:
    if y <= x:
        return y
    return x


def by_helper(x: Any, y: Any) -> Any:
    return at_least(x, y)


LESS: list[Callable[..., Any]] = [
    lambda x, y: x if x < y else y,
    lambda x, y: x if x <= y else y,
    lambda x, y: y if x > y else x,
    lambda x, y: y if y < x else x,
    lambda first, other: min(first, other),
    lambda x, y: min(y, x),
    lambda x, y: np.minimum(x, y),
    at_least,
    by_helper,
]
LESS_WITHOUT_NAN: list[Callable[..., Any]] = [
    lambda x, y: x if x < y or y != y else y,
    lambda x, y: y if y < x or math.isnan(x) else x,
    lambda x, y: np.fmin(x, y),
    lambda x, y: catalogue.minimum(x, y),
]


@pytest.mark.parametrize("function", [*LESS, *LESS_WITHOUT_NAN])
def test_the_less_of_two_integers_is_known_by_its_text(function: Callable[..., Any]) -> None:
    typed = monoid(identity=MAX)(function).typed(INT64)
    assert typed.selects == "min"
    assert typed.is_idempotent
    assert typed.terminal == -(2**63)


@pytest.mark.parametrize("function", LESS)
def test_the_less_of_two_floats_depends_on_the_order_where_one_is_nan(
    function: Callable[..., Any],
) -> None:
    derived, declared = (
        monoid(identity=MAX)(function),
        monoid(identity=MAX, selects="min")(function),
    )
    assert (derived.typed(FLOAT64).selects, derived.selects) == (None, None)
    assert derived.typed(FLOAT64).terminal is None
    assert (declared.typed(FLOAT64).selects, declared.selects) == ("min", "min")
    assert declared(math.nan, 2.0) == declared(2.0, math.nan) == 2.0
    assert declared.op.canonical != derived.op.canonical


@pytest.mark.parametrize("function", LESS_WITHOUT_NAN)
def test_a_text_that_passes_over_nan_selects_floats(function: Callable[..., Any]) -> None:
    made = monoid(identity=MAX)(function)
    assert (made.selects, made.typed(FLOAT32).selects) == ("min", "min")
    assert made.typed(FLOAT64).sums_are_exact
    assert monoid(identity=MAX, selects="min")(function).function.__code__ is made.function.__code__


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: x if x < 3 else y,
        lambda x, y: x if abs(x) < abs(y) else y,
        lambda x, y: x if x < y else 0,
        lambda x, y: x,
        lambda x, y: x if x == y else y,
        lambda x, y: min(x, y, 5),
    ],
)
def test_other_texts_select_nothing(function: Callable[..., Any]) -> None:
    assert monoid(identity=0)(function).typed(INT64).selects is None


def test_the_greater_is_known_as_well() -> None:
    assert monoid(identity=MIN)(lambda x, y: max(x, y)).typed(INT8).selects == "max"


@pytest.mark.parametrize(
    ("function", "selects", "terminal"),
    [
        (lambda x, y: x and y, "min", False),
        (lambda x, y: x or y, "max", True),
        (lambda x, y: x & y, "min", False),
        (lambda x, y: bool(x + y), "max", True),
        (lambda x, y: x != y, None, None),
    ],
)
def test_all_pairs_of_bools_are_tried(function: Any, selects: Any, terminal: Any) -> None:
    typed = monoid(identity=True, result=bool)(function).typed(BOOL)
    assert (typed.selects, typed.terminal) == (selects, terminal)


@pytest.mark.parametrize(
    ("function", "gives", "constant"),
    [
        (lambda edge, value: value, "value", None),
        (lambda edge, value: edge, "edge", None),
        (lambda edge, value: 5, "constant", 5),
        (lambda edge, value: NUMBER, "constant", NUMBER),
        (lambda edge, value: NUMBER + 1, "constant", 8),
        (
            lambda edge, value: value if edge < value else (value),  # noqa: RUF034
            "value",
            None,
        ),
        (lambda edge, value: catalogue.second(edge, value), "value", None),
        (lambda edge, value: edge + value, None, None),
        (lambda edge, value: value + 0, None, None),
    ],
)
def test_what_a_multiply_hands_on(function: Any, gives: Any, constant: Any) -> None:
    op = binary_op(function)
    typed = op.typed(INT64, INT64)
    assert (op.gives, typed.gives, typed.constant) == (gives, gives, constant)


def test_the_index_is_handed_on() -> None:
    assert binary_op(positional=True)(lambda e, v, k: k).gives == "source"
    op = binary_op(positional=True)(lambda e, v, k: v)
    assert (op.gives, op.reads_left, op.reads_right, op.reads_index) == ("value", False, True, False)


def test_functions_without_source_text_have_facts_too() -> None:
    world: dict[str, Any] = {}
    exec("less = lambda x, y: x if x < y else y", world)
    assert monoid(identity=MAX)(world["less"]).typed(INT64).selects == "min"


def catches(x: Any, y: Any) -> Any:
    try:
        return x / y
    except ZeroDivisionError:
        return 0


def endless(x: Any, y: Any) -> Any:
    while x < y:
        x = x + x + 1
    return x


def doubling(x: Any, y: Any) -> Any:
    for _ in range(100):
        x = x + x
    return x


@pytest.mark.parametrize(
    "function",
    [
        catches,
        endless,
        doubling,
        lambda x, y: x if isinstance(x, int) else y,
        lambda x, y: x if x is y else y,
        lambda x, y: len(str(x)),
        lambda x, y: [1, 2][x],
        lambda x, y: 1 // 0,
    ],
)
def test_what_cannot_be_told_is_unknown(function: Any) -> None:
    op = binary_op(function)
    assert op.canonical is None
    assert (op.commutes, op.associates, op.monotone, op.grows, op.selects) == (None,) * 5


@pytest.mark.parametrize(
    ("function", "twin"),
    [
        (lambda a, b: b + a, catalogue.plus),
        (lambda a, b: a - b, catalogue.minus),
        (lambda a, b: a * b, catalogue.times),
        (lambda a, b: b > a, catalogue.lt),
        (lambda a, b: b if a else a, catalogue.land),
        (lambda a, b: catalogue.divide(a, b), catalogue.divide),
        (lambda a, b: catalogue.maximum(a, b), catalogue.maximum),
    ],
)
def test_the_same_function_has_the_same_normal_form(function: Any, twin: BinaryOp) -> None:
    assert binary_op(function).canonical == twin.canonical


def test_numbers_of_other_types_are_other_functions() -> None:
    one, real, true = 1, 1.0, True
    functions = (lambda x, y: x + one, lambda x, y: x + real, lambda x, y: x + true)
    assert len({binary_op(function).canonical for function in functions}) == 3


DERIVED = ("selects", "gives", "commutes", "associates", "monotone", "grows")
OPERATORS = [op for name in catalogue.__all__ if isinstance(op := getattr(catalogue, name), BinaryOp)]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.name)
@pytest.mark.parametrize("fact", DERIVED)
def test_what_the_catalogue_declares_is_what_follows_from_the_text(op: BinaryOp, fact: str) -> None:
    derived = getattr(BinaryOp(op.name, op.function, op.rule, op.positional), fact)
    declared = getattr(op.declared, fact)
    assert declared is None or derived is None or getattr(op, fact) == derived


def test_a_cast_takes_facts_away() -> None:
    assert source.typed(BOOL, INT64).gives == "source"
    assert source.returning(INT8).typed(BOOL, INT64).gives is None
    second = catalogue.second
    assert second.typed(INT64, INT64).monotone
    assert second.typed(INT64, INT64).into(INT8).gives is None
    assert second.typed(INT64, INT64).into(INT8).monotone is None
    assert second.typed(INT64, INT64).into(INT8).grows is None
    assert second.typed(INT64, INT64).into(FLOAT64).monotone
    assert second.typed(INT64, INT64).into(FLOAT64).gives is None  # 2**53 + 1 is no float


@pytest.mark.parametrize("dtype", SUPPORTED, ids=str)
def test_casts_keep_what_they_are_said_to_keep(dtype: np.dtype[Any]) -> None:
    for into in SUPPORTED:
        ends = np.array([derivation_end(dtype, end) for end in (0, 1, 2, 3, 4)], dtype)
        with np.errstate(all="ignore"):
            after = np.array([catalogue.identity.typed(dtype).into(into)(x.item()) for x in ends], into)
        if derivation.keeps_order(dtype, into):
            assert (after[:-1] <= after[1:]).all(), into
        if derivation.keeps_values(dtype, into):
            assert after.tolist() == ends.tolist(), into


def derivation_end(dtype: np.dtype[Any], number: int) -> Any:
    if dtype.kind == "b":
        return number > 2
    info: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return (info.min, info.min if dtype.kind == "u" else -1, 0, 1, info.max)[number]


def typed(add: Monoid, multiply: BinaryOp, dtype: np.dtype[Any] = INT64) -> TypedSemiring:
    return Semiring(add, multiply).typed(dtype, dtype)


def test_where_the_first_term_decides() -> None:
    less = monoid(identity=MAX)(lambda x, y: min(x, y))
    index = binary_op(positional=True)(lambda e, v, k: k)
    one = binary_op(lambda e, v: 1)
    assert typed(less, index).first_term_decides
    assert typed(less, one).first_term_decides
    assert typed(monoid(identity=0, selects="any")(lambda x, y: y), catalogue.plus).first_term_decides
    assert not typed(plus_monoid, one).first_term_decides
    assert not typed(less, catalogue.second).first_term_decides
    assert not typed(less, index.returning(INT8)).first_term_decides
    assert not typed(less, index.returning(FLOAT64)).first_term_decides  # NaN, as far as the text tells
    assert typed(min_monoid, index.returning(FLOAT64)).first_term_decides


def test_what_is_missing_for_an_early_stop_is_named() -> None:
    index = binary_op(positional=True, result=float)(lambda e, v, k: k)
    less = monoid(identity=MAX, terminal=MIN)(lambda x, y: min(x, y))
    assert typed(less, catalogue.second).missing_for_early_stop is None
    assert typed(plus_monoid, catalogue.times).missing_for_early_stop == (
        "no early stop: add 'plus' is not known to select, and has no terminal"
    )
    assert typed(less, index).missing_for_early_stop == (
        "no stop at the first term: add '<lambda>' is not known to select, over float64"
    )


def test_sums_that_select_are_exact() -> None:
    assert typed(plus_monoid, catalogue.times).sums_are_exact
    assert not typed(plus_monoid, catalogue.times, FLOAT64).sums_are_exact
    assert typed(min_monoid, catalogue.plus, FLOAT64).sums_are_exact
    less = monoid(identity=MAX)(lambda x, y: min(x, y))
    assert not typed(less, catalogue.plus, FLOAT64).sums_are_exact


def test_where_products_are_never_better() -> None:
    assert typed(min_monoid, catalogue.plus).grows == Within(edges=(0, None))
    assert typed(catalogue.max_monoid, catalogue.times).grows == Within((0, 1), (0, None))
    assert typed(min_monoid, catalogue.maximum).grows == Within()
    assert typed(min_monoid, catalogue.minimum).grows is None
    assert typed(min_monoid, catalogue.second).grows == Within()
    assert Semiring(catalogue.lor_monoid, catalogue.land).typed(BOOL, BOOL).grows == Within()


def test_monotone_within_a_range() -> None:
    times = binary_op(lambda e, v: e * v)
    assert times.monotone is False
    assert times.monotone_within == Within(edges=(0, None))
    assert times.typed(np.dtype(np.uint8), INT64).monotone
    assert not times.typed(INT64, INT64).monotone
    assert catalogue.eq.typed(BOOL, BOOL).monotone is False


def test_facts_travel_with_their_operator() -> None:
    op = binary_op(commutes=True, grows=Grows(up=Within(edges=(2, None))))(lambda x, y: x * y % 7)
    assert pickle.loads(pickle.dumps(op)).declared == op.declared
    assert op.returning(INT8).declared == op.declared
    less = monoid(identity=MAX, selects="min")(lambda x, y: x if x < y else y)
    again = pickle.loads(pickle.dumps(less))
    assert again.selects == "min"
    assert again.op.canonical == less.op.canonical


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (
            lambda: Facts(gives="left"),
            "gives='left' is not a fact; use one of 'edge', 'value', 'source', 'const",
        ),
        (lambda: binary_op(commutes=1)(max), "binary_op: commutes=1 is not a fact; it is True or False"),
        (lambda: binary_op(monotone="yes"), "binary_op: monotone='yes' is not a fact"),
        (lambda: binary_op(grows=Within()), "binary_op: grows=Within"),
        (lambda: binary_op(gives="source")(lambda x, y: x), "only positional operators see"),
        (lambda: binary_op(selects="any")(lambda x, y: x), "a monoid may select 'any'"),
        (lambda: monoid(identity=0, selects="least"), "monoid: selects='least' is not a fact"),
        (lambda: monoid(identity=0, terminal=ANYTHING, selects="min")(min), "ANYTHING goes with 'any'"),
        (lambda: monoid(identity=0, terminal=3, selects="any")(min), "selects='any' and terminal=3"),
        (lambda: Monoid(catalogue.minus, 0), "is declared commutes=False"),
        (lambda: Monoid(catalogue.minimum, MIN, selects="max"), "selects='min' and selects='max'"),
        (lambda: Within(edges=3), "edges=3 is not (least, greatest)"),
        (lambda: Within(edges=(3, 1)), "edges=(3, 1) is not (least, greatest)"),
        (lambda: Within(values=(0, math.nan)), "values=(0, nan) is not (least, greatest)"),
        (lambda: Grows(up=True), "Grows: up=True"),
    ],
)
def test_what_is_no_fact_is_refused(declare: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        declare()
    assert message in str(caught.value)
