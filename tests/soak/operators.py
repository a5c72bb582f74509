"""Operators as data: a name of the catalogue, or a form of a user's function with what it captures."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import anypair
from anypair import MAX, BinaryOp, Monoid, Semiring, binary_op, index_unary_op, monoid, unary_op

Spec = dict[
    str, Any
]  # {"name": "plus_times"}, {"form": "shifted", "k": 3}, {"add": spec, "multiply": spec}


# Forms capture the same names, with other values: operators of one kernel must not see each other's.


def _scaled_sum(k: float) -> BinaryOp:
    @binary_op
    def scaled_sum(x: Any, y: Any) -> Any:
        return x * k + y

    return scaled_sum


def _beyond(k: float) -> BinaryOp:
    @binary_op
    def beyond(x: Any, y: Any) -> Any:
        return x if x > k else y

    return beyond


def _looked_up(table: list[float]) -> BinaryOp:
    array = np.array(table)

    @binary_op(positional=True)
    def looked_up(x: Any, y: Any, k: Any) -> Any:
        return array[k % 3]

    return looked_up


def _shifted(k: float) -> Any:
    @unary_op
    def shifted(x: Any) -> Any:
        return x + k

    return shifted


def _at_place(table: list[float]) -> Any:
    array = np.array(table)

    @index_unary_op
    def at_place(x: Any, i: Any, j: Any) -> Any:
        return array[(i + 2 * j) % 3]

    return at_place


def _near(k: int) -> Any:
    @index_unary_op(result=bool)
    def near(x: Any, i: Any, j: Any) -> Any:
        return abs(i - j) <= k

    return near


def _quotient(k: int) -> Any:
    @unary_op(result=np.int64)
    def quotient(x: Any) -> Any:
        return k // x  # raises where x is 0

    return quotient


def _total() -> Monoid:
    @monoid(identity=0)
    def total(x: Any, y: Any) -> Any:
        return x + y

    return total


def _least() -> Monoid:
    @monoid(identity=MAX)
    def least(x: Any, y: Any) -> Any:
        return x if x < y else y

    return least


FORMS: dict[str, Callable[..., Any]] = {
    "scaled_sum": _scaled_sum,
    "beyond": _beyond,
    "looked_up": _looked_up,
    "shifted": _shifted,
    "at_place": _at_place,
    "near": _near,
    "quotient": _quotient,
    "total": _total,
    "least": _least,
}


def operator(spec: Spec) -> Any:
    """The operator, monoid or semiring that a spec means; the same object for the same spec."""
    return _made(_frozen(spec))


def is_users(spec: Spec | None) -> bool:
    """Whether a user's function is part of it."""
    if spec is None:
        return False
    return "form" in spec or any(is_users(spec.get(part)) for part in ("add", "multiply"))


@cache
def _made(frozen: Any) -> Any:
    spec = dict(frozen)
    if "name" in spec:
        found = getattr(anypair.semiring, spec["name"])
        return found.returning(spec["returning"]) if "returning" in spec else found
    if "form" in spec:
        captured = {k: list(v) if isinstance(v, tuple) else v for k, v in spec.items() if k != "form"}
        return FORMS[spec["form"]](**captured)
    return Semiring(_made(spec["add"]), _made(spec["multiply"]))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(sorted((k, _frozen(v)) for k, v in value.items()))
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
