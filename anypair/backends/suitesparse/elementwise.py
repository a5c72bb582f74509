"""Operations entry by entry."""

from dataclasses import replace
from typing import Any

from anypair.backends.base import Applied, StructuralMask
from anypair.backends.suitesparse.library import NULL, SUFFIX, symbol
from anypair.backends.suitesparse.operators import (
    Operator,
    binary,
    binary_to_cast,
    raise_failures,
    unary,
    value_comparison,
)
from anypair.backends.suitesparse.products import descriptor
from anypair.backends.suitesparse.storage import Storage, compute
from anypair.dtypes import BOOL, DType, Scalar, caster
from anypair.semiring import BoundIndexOp, BoundOp, TypedBinary, TypedUnary, pair


def union(x: Storage, y: Storage, op: TypedBinary) -> Storage:
    """op where both have an entry, else the one that is there."""
    operator = binary(op, op.result)
    operands = (operator.handle, x.handle, y.handle)
    t = compute("eWiseAdd_BinaryOp", x.shape, op.result, NULL, *operands, NULL)
    both = pair.typed(op.left, op.right)
    raise_failures(lambda: intersection(x, y, both).nvals, operator)
    return t


def intersection(x: Storage, y: Storage, op: TypedBinary) -> Storage:
    """op where both have an entry."""
    operator = binary_to_cast(op)
    operands = (operator.handle, x.handle, y.handle)
    t = compute("eWiseMult_BinaryOp", x.shape, op.result, NULL, *operands, NULL)
    raise_failures(lambda: t.nvals, operator)
    return t


def apply(x: Storage, op: Applied) -> Storage:
    """op of every entry."""
    if isinstance(op, BoundOp):
        operator = binary_to_cast(op.binary)
        number, dtype = _number(op)
        side = "1st" if op.scalar_is_left else "2nd"
        pair_of = (number, x.handle) if op.scalar_is_left else (x.handle, number)
        name = f"apply_BinaryOp{side}_{SUFFIX[dtype]}"
        t = compute(name, x.shape, op.result, NULL, operator.handle, *pair_of, NULL)
    elif op.op.indexed:
        operator, number, suffix = _of_place(op)
        operands = (operator.handle, x.handle, number)
        t = compute(f"apply_IndexOp_{suffix}", x.shape, op.result, NULL, *operands, NULL)
    else:
        operator = unary(op)
        t = compute("apply", x.shape, op.result, NULL, operator.handle, x.handle, NULL)
    raise_failures(lambda: t.nvals, operator)
    return t


def select(x: Storage, op: Applied) -> Storage:
    """The entries for which op is true."""
    if isinstance(op, BoundOp):
        comparison = value_comparison(op, x.dtype)
        if comparison is not None:
            number, dtype = _number(op)
            name = f"select_{SUFFIX[dtype]}"
            return compute(name, x.shape, x.dtype, NULL, comparison, x.handle, number, NULL)
    elif op.op.indexed and op.computed == op.result == BOOL:
        operator, number, suffix = _of_place(op)
        operands = (operator.handle, x.handle, number)
        t = compute(f"select_{suffix}", x.shape, x.dtype, NULL, *operands, NULL)
        raise_failures(lambda: x.nvals, operator)
        return t
    truth = apply(x, op)
    # Without a descriptor the values of a mask count, not where it has entries.
    return _identity(x, truth.handle, NULL)


def restrict(x: Storage, mask: StructuralMask) -> Storage:
    """The entries inside the mask."""
    if mask.complemented:
        return _identity(x, mask.storage.handle, descriptor(mask))
    operands = (symbol("GrB_FIRST", x.dtype), x.handle, mask.storage.handle)
    return compute("eWiseMult_BinaryOp", x.shape, x.dtype, NULL, *operands, NULL)


def _identity(x: Storage, mask: Any, how: Any) -> Storage:
    return compute("apply", x.shape, x.dtype, mask, symbol("GrB_IDENTITY", x.dtype), x.handle, how)


def _of_place(op: TypedUnary) -> tuple[Operator, Scalar, str]:
    """An operator that sees places, the number that it is called with, and of what kind that is."""
    if not isinstance(op, BoundIndexOp):
        operator = unary(op)
        return operator, operator.thunk, "INT64"
    assert op.number is not None
    operator = unary(op.unbound)
    if operator.failure is not None:  # which is raised for this number
        operator = replace(operator, failure=replace(operator.failure, definition=op))
    return operator, op.scalar, SUFFIX[op.number]


def _number(op: BoundOp) -> tuple[Scalar, DType]:
    """The fixed operand, as the operator takes it."""
    dtype = op.binary.left if op.scalar_is_left else op.binary.right
    return caster(dtype)(op.scalar), dtype
