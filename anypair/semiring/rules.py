"""The dtype table: to what an operator casts its operands, and what dtype its result has.

| rule       | operands are cast to         | result             | operators                |
| ---------- | ---------------------------- | ------------------ | ------------------------ |
| arithmetic | NumPy promotion, bool: int64 | the same           | plus minus times         |
| ordering   | NumPy promotion              | the same           | minimum maximum any_of   |
| division   | NumPy promotion, else float64| the same           | divide power logaddexp   |
| bits       | NumPy promotion, else int64  | the same           | bor band bxor            |
| comparison | NumPy promotion              | bool               | eq ne lt le gt ge        |
| logical    | bool                         | bool               | lor land lxor lxnor      |
| take_left  | -                            | the left operand's | first                    |
| take_right | -                            | the right one's    | second                   |
| counting   | -                            | int64              | pair                     |
| index      | -                            | int64              | source                   |
| stated     | -                            | the author's word  | a user's with `result=`  |
| (none)     | -                            | inferred by Numba  | a user's without         |

Integers wrap around, floats follow IEEE 754: a division by zero gives an infinity or NaN.
`minimum` and `maximum` pass over NaN when the other operand is a number. `returning(dtype)` on an
operator or a semiring fixes another result dtype, such as the counter of `plus_pair`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from anypair.dtypes import BOOL, FLOAT64, INT64, DType, as_dtype


class Signature(NamedTuple):
    """To what a binary operator casts its operands, and the dtype of what it returns."""

    left: DType
    right: DType
    result: DType


BinaryRule: TypeAlias = Callable[[DType, DType], Signature]
UnaryRule: TypeAlias = Callable[[DType], tuple[DType, DType]]


def arithmetic(left: DType, right: DType) -> Signature:
    common = np.promote_types(left, right)
    return _all(INT64 if common == BOOL else common)


def ordering(left: DType, right: DType) -> Signature:
    return _all(np.promote_types(left, right))


def division(left: DType, right: DType) -> Signature:
    common = np.promote_types(left, right)
    return _all(common if common.kind == "f" else FLOAT64)


def bits(left: DType, right: DType) -> Signature:
    common = np.promote_types(left, right)
    return _all(common if common.kind in "iu" else INT64)


def comparison(left: DType, right: DType) -> Signature:
    common = np.promote_types(left, right)
    return Signature(common, common, BOOL)


def logical(left: DType, right: DType) -> Signature:
    return _all(BOOL)


def take_left(left: DType, right: DType) -> Signature:
    return Signature(left, right, left)


def take_right(left: DType, right: DType) -> Signature:
    return Signature(left, right, right)


def counting(left: DType, right: DType) -> Signature:
    return Signature(left, right, INT64)


index = counting


@dataclass(frozen=True)
class Stated:
    """The author's word: a dtype, or a function from the operands' dtypes to one.

    A class, as are the rules below, so that an operator can be pickled with it.
    """

    result: Any

    def __call__(self, left: DType, right: DType) -> Signature:
        return Signature(left, right, _stated_dtype(self.result, left, right))


@dataclass(frozen=True)
class Returning:
    """A rule with another result."""

    rule: BinaryRule
    result: DType

    def __call__(self, left: DType, right: DType) -> Signature:
        return self.rule(left, right)._replace(result=self.result)


def stated(result: Any) -> BinaryRule:
    """The rule of an author who says what the result is."""
    return Stated(_dtype_or_function(result))


def _stated_dtype(result: Any, *operands: DType) -> DType:
    return result if isinstance(result, np.dtype) else as_dtype(result(*operands))


def _dtype_or_function(result: Any) -> Any:
    return result if callable(result) and not isinstance(result, type) else as_dtype(result)


def returning(rule: BinaryRule | None, result: DType) -> BinaryRule:
    """`rule` with another result; without a rule the operands stay as they are."""
    return stated(result) if rule is None else Returning(rule, result)


def casts_operands(rule: BinaryRule | None) -> bool:
    """Whether a rule casts operands of different dtypes to one.

    >>> casts_operands(arithmetic), casts_operands(returning(take_left, INT64)), casts_operands(None)
    (True, False, False)
    """
    if isinstance(rule, Returning):
        return casts_operands(rule.rule)
    return rule is not None and not isinstance(rule, Stated) and rule(BOOL, FLOAT64).left != BOOL


def _all(dtype: DType) -> Signature:
    return Signature(dtype, dtype, dtype)


def unary_arithmetic(operand: DType) -> tuple[DType, DType]:
    common = arithmetic(operand, operand).result
    return common, common


def unary_division(operand: DType) -> tuple[DType, DType]:
    common = division(operand, operand).result
    return common, common


def unary_logical(operand: DType) -> tuple[DType, DType]:
    return BOOL, BOOL


def unary_same(operand: DType) -> tuple[DType, DType]:
    return operand, operand


def unary_index(operand: DType) -> tuple[DType, DType]:
    return operand, INT64


def unary_bits(operand: DType) -> tuple[DType, DType]:
    return INT64, INT64


def unary_predicate(operand: DType) -> tuple[DType, DType]:
    return operand, BOOL


@dataclass(frozen=True)
class UnaryStated:
    """The author's word on a unary operator."""

    result: Any

    def __call__(self, operand: DType) -> tuple[DType, DType]:
        return operand, _stated_dtype(self.result, operand)


@dataclass(frozen=True)
class NaryStated:
    """The author's word on an operator of several values."""

    result: Any

    def __call__(self, *operands: DType) -> DType:
        return _stated_dtype(self.result, *operands)


def nary_stated(result: Any) -> NaryStated:
    return NaryStated(_dtype_or_function(result))


def unary_stated(result: Any) -> UnaryRule:
    return UnaryStated(_dtype_or_function(result))
