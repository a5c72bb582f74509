"""The dtype table: to what an operator casts its operands, and what dtype its result has.

| rule       | operands are cast to         | result             | operators                |
| ---------- | ---------------------------- | ------------------ | ------------------------ |
| arithmetic | NumPy promotion, bool: int64 | the same           | plus minus times         |
| ordering   | NumPy promotion              | the same           | minimum maximum any_of   |
| division   | NumPy promotion, else float64| the same           | divide                   |
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


def stated(result: Any) -> BinaryRule:
    """The author's word: a dtype, or a function from the operands' dtypes to one."""
    if not callable(result) or isinstance(result, type):
        fixed = as_dtype(result)
        return lambda left, right: Signature(left, right, fixed)
    return lambda left, right: Signature(left, right, as_dtype(result(left, right)))


def returning(rule: BinaryRule | None, result: DType) -> BinaryRule:
    """`rule` with another result; without a rule the operands stay as they are."""
    if rule is None:
        return stated(result)
    return lambda left, right: rule(left, right)._replace(result=result)


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


def unary_predicate(operand: DType) -> tuple[DType, DType]:
    return operand, BOOL


def unary_stated(result: Any) -> UnaryRule:
    if not callable(result) or isinstance(result, type):
        fixed = as_dtype(result)
        return lambda operand: (operand, fixed)
    return lambda operand: (operand, as_dtype(result(operand)))
