"""Operations entry by entry."""

from typing import Any

from anypair.backends.base import Applied, StructuralMask
from anypair.backends.suitesparse.library import NULL, SUFFIX, named
from anypair.backends.suitesparse.operators import (
    binary,
    binary_to_cast,
    raise_failures,
    unary,
    value_comparison,
)
from anypair.backends.suitesparse.products import descriptor
from anypair.backends.suitesparse.storage import Held, computed
from anypair.dtypes import BOOL, DType, Scalar, caster
from anypair.semiring import BoundOp, TypedBinary, pair


def union(x: Held, y: Held, op: TypedBinary) -> Held:
    """op where both have an entry, else the one that is there."""
    operator = binary(op, op.result)
    operands = (operator.handle, x.handle, y.handle)
    t = computed("eWiseAdd_BinaryOp", x.shape, op.result, NULL, *operands, NULL)
    both = pair.typed(op.left, op.right)
    raise_failures(lambda: intersection(x, y, both).nvals, operator)
    return t


def intersection(x: Held, y: Held, op: TypedBinary) -> Held:
    """op where both have an entry."""
    operator = binary_to_cast(op)
    operands = (operator.handle, x.handle, y.handle)
    t = computed("eWiseMult_BinaryOp", x.shape, op.result, NULL, *operands, NULL)
    raise_failures(lambda: t.nvals, operator)
    return t


def applied(x: Held, op: Applied) -> Held:
    """op of every entry."""
    if isinstance(op, BoundOp):
        operator = binary_to_cast(op.binary)
        number, dtype = _number(op)
        side = "1st" if op.scalar_is_left else "2nd"
        pair_of = (number, x.handle) if op.scalar_is_left else (x.handle, number)
        name = f"apply_BinaryOp{side}_{SUFFIX[dtype]}"
        t = computed(name, x.shape, op.result, NULL, operator.handle, *pair_of, NULL)
    elif op.op.indexed:
        operator = unary(op)
        operands = (operator.handle, x.handle, operator.thunk)
        t = computed("apply_IndexOp_INT64", x.shape, op.result, NULL, *operands, NULL)
    else:
        operator = unary(op)
        t = computed("apply", x.shape, op.result, NULL, operator.handle, x.handle, NULL)
    raise_failures(lambda: t.nvals, operator)
    return t


def selected(x: Held, op: Applied) -> Held:
    """The entries for which op is true."""
    if isinstance(op, BoundOp):
        comparison = value_comparison(op, x.dtype)
        if comparison is not None:
            number, dtype = _number(op)
            name = f"select_{SUFFIX[dtype]}"
            return computed(name, x.shape, x.dtype, NULL, comparison, x.handle, number, NULL)
    elif op.op.indexed and op.computed == op.result == BOOL:
        operator = unary(op)
        operands = (operator.handle, x.handle, operator.thunk)
        t = computed("select_INT64", x.shape, x.dtype, NULL, *operands, NULL)
        raise_failures(lambda: x.nvals, operator)
        return t
    truth = applied(x, op)
    # Without a descriptor the values of a mask count, not where it has entries.
    return _identity(x, truth.handle, NULL)


def restricted(x: Held, mask: StructuralMask) -> Held:
    """The entries inside the mask."""
    if mask.complemented:
        return _identity(x, mask.storage.handle, descriptor(mask))
    operands = (named("GrB_FIRST", x.dtype), x.handle, mask.storage.handle)
    return computed("eWiseMult_BinaryOp", x.shape, x.dtype, NULL, *operands, NULL)


def _identity(x: Held, mask: Any, how: Any) -> Held:
    return computed("apply", x.shape, x.dtype, mask, named("GrB_IDENTITY", x.dtype), x.handle, how)


def _number(op: BoundOp) -> tuple[Scalar, DType]:
    """The fixed operand, as the operator takes it."""
    dtype = op.binary.left if op.scalar_is_left else op.binary.right
    return caster(dtype)(op.scalar), dtype
