"""Operations entry by entry: union, intersection, apply, select, update, same."""

from typing import Any

import numpy as np

from anypair.backends.base import Applied, Backend, StructuralMask
from anypair.backends.tree import Step
from anypair.dtypes import BOOL, FLOAT64, INT64, DType, Scalar, scalar_dtype
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch, shown
from anypair.handle import Handle
from anypair.inputs import as_binary
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.memory import named_memory_error, naming_memory_errors
from anypair.operations.output import HandleType, Output, agree, describe, type_on
from anypair.semiring import (
    BinaryOp,
    BoundIndexOp,
    BoundOp,
    Monoid,
    NaryOp,
    TypedUnary,
    UnaryOp,
    binary_op,
    land_monoid,
)


@naming_memory_errors
def ewise_add(
    x: HandleType,
    y: HandleType,
    op: BinaryOp | Monoid,
    *,
    out: HandleType | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out<mask> accum= union of x and y: op where both have an entry, else the one that is there.

    >>> from anypair import Vector
    >>> from anypair.semiring import plus
    >>> x, y = Vector.from_entries([0, 1], [1, 2], 3), Vector.from_entries([1, 2], [10, 20], 3)
    >>> ewise_add(x, y, plus).to_dict()
    {0: 1, 1: 12, 2: 20}
    """
    output = Output("ewise_add", op, out, mask, accum, replace, x=x, y=y)
    backend = output.backend
    check_alike("ewise_add", x, y)
    typed = type_on(backend, as_binary("ewise_add", "op", op), x.dtype, y.dtype)
    output.prepare(type(x), x.shape, typed.result)
    if x is out and mask is None and accum is None and typed.result == x.dtype:
        # x op= y, which may cost what y does
        if typed.gives == "value":
            return output.merge(y.storage)  # type: ignore[no-any-return]
        output.accumulate_with(typed)
        return output.write(y.storage)  # type: ignore[no-any-return]
    result: HandleType = output.write_step(Step("ewise_add", (x.storage, y.storage), typed))
    return result


@naming_memory_errors
def union(x: HandleType, y: HandleType, op: BinaryOp | Monoid, *, default: Scalar) -> HandleType:
    """op of x and y where one of them has an entry; `default` stands in for the other.

    >>> from anypair import Vector
    >>> from anypair.semiring import minus
    >>> x, y = Vector.from_entries([0, 1], [1, 2], 3), Vector.from_entries([1, 2], [10, 20], 3)
    >>> union(x, y, minus, default=0).to_dict()
    {0: 1, 1: -8, 2: -20}
    """
    backend = agree("union", {"x": x, "y": y})
    check_alike("union", x, y)
    binary = as_binary("union", "op", op)
    left, right = (_holding(z, default) for z in (x, y))
    typed = type_on(backend, binary, left.dtype, right.dtype)
    number = default.item() if isinstance(default, np.generic) else default
    t = ewise_mult(left, right, binary)
    for z, other, bound in (
        (left, right, BoundOp(typed, number, False)),
        (right, left, BoundOp(typed, number, True)),
    ):
        alone = backend.restrict(z.storage, StructuralMask(other.storage, True))
        if backend.nvals(alone):
            t.replace_storage(backend.merge(t.storage, backend.apply(alone, bound), typed.result))
    return t


def _holding(x: HandleType, number: Any) -> HandleType:
    """x, of a dtype that holds the number beside its values, too."""
    try:
        wanted = np.promote_types(x.dtype, scalar_dtype(number, beside=x.dtype))
    except InvalidValue as error:
        raise InvalidValue(f"union: default: {error}") from None
    return x if wanted == x.dtype else x.cast(wanted)


@naming_memory_errors
def ewise_mult(
    x: HandleType,
    y: HandleType,
    op: BinaryOp | Monoid,
    *,
    out: HandleType | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out<mask> accum= intersection of x and y: op where both have an entry.

    >>> from anypair import Vector
    >>> from anypair.semiring import plus
    >>> x, y = Vector.from_entries([0, 1], [1, 2], 3), Vector.from_entries([1, 2], [10, 20], 3)
    >>> ewise_mult(x, y, plus).to_dict()
    {1: 12}
    """
    output = Output("ewise_mult", op, out, mask, accum, replace, x=x, y=y)
    backend = output.backend
    check_alike("ewise_mult", x, y)
    typed = type_on(backend, as_binary("ewise_mult", "op", op), x.dtype, y.dtype)
    output.prepare(type(x), x.shape, typed.result)
    step = Step("ewise_mult", (x.storage, y.storage), typed)
    result: HandleType = output.write_step(step)
    return result


@naming_memory_errors
def ewise_all(
    op: NaryOp,
    *operands: HandleType,
    out: HandleType | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out<mask> accum= intersection of three operands or more: op where all have an entry.

    >>> from anypair import Vector, nary_op
    >>> x, y = Vector.from_entries([0, 1], [1, 2], 3), Vector.from_entries([1, 2], [10, 20], 3)
    >>> ewise_all(nary_op(lambda x, y, z: x * y + z), x, y, x).to_dict()
    {1: 22}
    """
    if not isinstance(op, NaryOp):
        raise InvalidArgument(
            f"ewise_all: {shown(op)} is no operator of several values; make one with @nary_op, or take "
            "ewise_mult for two operands"
        )
    if len(operands) != len(op.arguments):
        raise InvalidArgument(
            f"ewise_all: {op!r} takes {len(op.arguments)} values, and there are {len(operands)} operands"
        )
    named = dict(zip("xyzuvwst", operands, strict=False))
    output = Output("ewise_all", op, out, mask, accum, replace, **named)
    backend, (first, *others) = output.backend, operands
    for other in others:
        check_alike("ewise_all", first, other)
    typed = type_on(backend, op, *(x.dtype for x in operands))
    output.prepare(type(first), first.shape, typed.result)
    t = backend.ewise_all(first.storage, typed, first.shape, *(x.storage for x in others))
    result: HandleType = output.write(t)
    return result


@naming_memory_errors
def apply(
    x: HandleType,
    op: UnaryOp | BinaryOp | Monoid,
    *,
    left: Scalar | None = None,
    right: Scalar | None = None,
    out: HandleType | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out<mask> accum= op of every entry of x; a binary op takes a number as its `left` or `right`.

    >>> from anypair import Vector
    >>> from anypair.semiring import position, times
    >>> x = Vector.from_entries([1, 2], [5.0, 6.0], size=3)
    >>> apply(x, times, right=2).to_dict(), apply(x, position).to_dict()
    ({1: 10.0, 2: 12.0}, {1: 1, 2: 2})
    """
    output = Output("apply", op, out, mask, accum, replace, x=x)
    backend = output.backend
    typed = typed_for_apply("apply", backend, op, x.dtype, left, right)
    output.prepare(type(x), x.shape, typed.result)
    result: HandleType = output.write_step(Step("apply", (x.storage,), typed))
    if isinstance(x, Matrix) and isinstance(result, Matrix) and out is None and mask is None:
        x.hand_on(result, values=False, symmetric=not _tells_apart(typed))
    if isinstance(typed, TypedUnary) and typed.gives_index:
        result.values_are_indices = out is None and len(x.shape) == 1
    return result


@naming_memory_errors
def select(
    x: HandleType,
    op: UnaryOp | BinaryOp | Monoid,
    *,
    left: Scalar | None = None,
    right: Scalar | None = None,
    out: HandleType | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> HandleType:
    """out<mask> accum= the entries of x for which op is true.

    >>> from anypair import Vector
    >>> from anypair.semiring import gt
    >>> select(Vector.from_entries([0, 1], [3, 8], size=2), gt, right=5).to_dict()
    {1: 8}
    """
    output = Output("select", op, out, mask, accum, replace, x=x)
    backend = output.backend
    typed = typed_for_apply("select", backend, op, x.dtype, left, right).into(BOOL)
    output.prepare(type(x), x.shape, x.dtype)
    result: HandleType = output.write_step(Step("select", (x.storage,), typed))
    alone = out is None and mask is None
    if alone and isinstance(x, Matrix) and x.is_symmetric and not _tells_apart(typed):
        assert isinstance(result, Matrix)
        result.assume_symmetric()
    return result


def update(out: HandleType, t: HandleType) -> HandleType:
    """Write the entries of t into out, as `dict.update` does; out keeps its dtype.

    >>> from anypair import Vector
    >>> seen = Vector.from_entries([0, 1], [5, 5], size=3)
    >>> update(seen, Vector.from_entries([1, 2], [7, 7], size=3)).to_dict()
    {0: 5, 1: 7, 2: 7}
    """
    output = Output("update", None, out, None, None, False, t=t)
    check_alike("update", out, t)
    output.prepare(type(t), t.shape, t.dtype)
    try:
        result: HandleType = output.merge(t.storage)
    except MemoryError as error:
        raise named_memory_error(error, "update") from error
    return result


@binary_op(result=bool)
def _identical(x: Any, y: Any) -> Any:
    return x == y or (x != x and y != y)


@binary_op(result=bool)
def _integer_is_float(x: Any, y: Any) -> Any:
    """Whether an integer equals a float exactly: some backends round it first, but not its halves."""
    high = x >> 32
    return x == y and high == y // 4294967296.0 and x - (high << 32) == y % 4294967296.0


@naming_memory_errors
def same(x: Handle, y: Handle) -> bool:
    """Whether x and y have the same shape, the same places filled, and equal values (NaN equals NaN).

    >>> from anypair import Vector
    >>> same(Vector.full(2, 1), Vector.full(2, 1.0)), same(Vector.full(2, 1), Vector.empty(2))
    (True, False)
    """
    backend = agree("same", {"x": x, "y": y})
    if x.shape != y.shape or x.nvals != y.nvals:
        return False
    if x.dtype.kind == "f" and y.dtype.kind in "iu":
        x, y = y, x
    mixed = x.dtype.kind in "iu" and y.dtype.kind == "f"
    op = (_integer_is_float if mixed else _identical).typed(x.dtype, y.dtype)
    both = backend.ewise_mult(x.storage, y.storage, op)
    if backend.nvals(both) != x.nvals:
        return False
    return bool(backend.reduce(both, land_monoid.typed(op.result)))


def _tells_apart(typed: Applied) -> bool:
    """Whether an operator, of equal values, may give another at (i, j) than at (j, i)."""
    return isinstance(typed, TypedUnary) and typed.op.indexed and not typed.op.symmetric


def check_alike(operation: str, x: Handle, y: Handle) -> None:
    """Refuse operands of different shapes."""
    if x.shape != y.shape:
        raise SizeMismatch(
            f"{operation}: the operands are {describe(x.shape)} and {describe(y.shape)}; "
            "they have to be equal"
        )


def typed_for_apply(
    operation: str, backend: Backend, op: Any, dtype: DType, left: Scalar | None, right: Scalar | None
) -> Applied:
    """The operator for values of this dtype, a binary one with its number."""
    if isinstance(op, UnaryOp):
        if right is not None or op.takes_number or (left is not None and op.numbered):
            return _typed_with_number(operation, backend, op, dtype, left, right)
        if left is not None:
            raise InvalidArgument(f"{operation}: {shown(op)} takes no left= or right=")
        unary: TypedUnary = type_on(backend, op, dtype)
        return unary
    if not isinstance(op, BinaryOp | Monoid):
        raise InvalidArgument(
            f"{operation}: op={shown(op)} is not an operator; take one from anypair.semiring or make "
            "one with @unary_op, of a value and its place with @index_unary_op"
        )
    binary = as_binary(operation, "op", op)
    if (left is None) == (right is None):
        raise InvalidArgument(f"{operation}: {binary!r} needs either left= or right=, a number")
    scalar: Any = right if left is None else left
    try:
        scalar_type = scalar_dtype(scalar, beside=dtype)
    except InvalidValue as error:
        raise InvalidValue(f"{operation}: {'left' if right is None else 'right'}: {error}") from None
    pair = (dtype, scalar_type) if left is None else (scalar_type, dtype)
    value = scalar.item() if hasattr(scalar, "item") else scalar
    return BoundOp(type_on(backend, binary, *pair), value, left is not None)


def _typed_with_number(
    operation: str, backend: Backend, op: UnaryOp, dtype: DType, left: Any, right: Any
) -> BoundIndexOp:
    """An operator of places with the number k that it takes besides."""
    taking = op if op.takes_number else op.numbered
    if taking is None:
        raise InvalidArgument(f"{operation}: {op!r} takes no left= or right=")
    if left is not None or right is None:
        raise InvalidArgument(f"{operation}: {op!r} takes its number as right=, and no left=")
    try:
        kind = scalar_dtype(right).kind
    except InvalidValue as error:
        raise InvalidValue(f"{operation}: right: {error}") from None
    number = right.item() if isinstance(right, np.generic) else right
    if kind != "f" and not -(2**63) <= number < 2**63:
        raise InvalidValue(f"{operation}: right={number} is no number of 64 bits")
    typed: TypedUnary = type_on(backend, taking, dtype, FLOAT64 if kind == "f" else INT64)
    return BoundIndexOp(
        typed.op, typed.operand, typed.computed, typed.result, typed.number,
        number if kind == "f" else int(number),
    )  # fmt: skip
