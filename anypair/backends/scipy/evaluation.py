"""Operators over whole arrays: a NumPy ufunc where there is one that computes the same bits, else the
function itself, number by number.

Operators are known by what they do (`canonical`): a user's twin of one of the catalogue is as fast. A
row in a table is only speed. To add one for an operator of your own, for operands of one dtype that it
computes in too: `CLOSED[log_add.canonical] = np.logaddexp`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anypair import semiring as s
from anypair.backends.base import Applied
from anypair.backends.scipy.ordering import run_starts
from anypair.dtypes import Array, DType, Scalar, cast, caster
from anypair.semiring import BoundIndexOp, BoundOp, TypedBinary, TypedMonoid, TypedUnary

Vectorised = Callable[..., Any]
Table = dict[str | None, Vectorised]

# Two of a dtype to the same
CLOSED: Table = {
    s.plus.canonical: np.add,
    s.times.canonical: np.multiply,
}
CLOSED_ON_NUMBERS: Table = {s.minus.canonical: np.subtract}
CLOSED_ON_FLOATS: Table = {s.divide.canonical: np.true_divide}
# Two of a dtype to bool
COMPARISONS: Table = {
    s.eq.canonical: np.equal,
    s.ne.canonical: np.not_equal,
    s.lt.canonical: np.less,
    s.le.canonical: np.less_equal,
    s.gt.canonical: np.greater,
    s.ge.canonical: np.greater_equal,
}
HANDS_ON: dict[str | None, Vectorised] = {
    "edge": lambda x, y, *k: x,
    "value": lambda x, y, *k: y,
    "source": lambda x, y, k, *place: k,
}
SELECTS: dict[str | None, Vectorised] = {"min": np.fmin, "max": np.fmax}

UNARY: Table = {
    s.identity.canonical: lambda x: x,
    s.is_not_finite.canonical: lambda x: ~np.isfinite(x),
    s.logical_not.canonical: np.logical_not,
    s.one.canonical: np.ones_like,
}
UNARY_CLOSED_ON_NUMBERS: Table = {s.negate.canonical: np.negative, s.absolute.canonical: np.absolute}
UNARY_CLOSED_ON_FLOATS: Table = {s.reciprocal.canonical: np.reciprocal}
INDEXED: Table = {
    s.position.canonical: lambda x, i, j: i,
    s.column.canonical: lambda x, i, j: j,
    s.diagonal.canonical: lambda x, i, j: i == j,
    s.off_diagonal.canonical: lambda x, i, j: i != j,
    s.lower.canonical: lambda x, i, j: i >= j,
    s.upper.canonical: lambda x, i, j: i <= j,
    s.strict_lower.canonical: lambda x, i, j: i > j,
    s.strict_upper.canonical: lambda x, i, j: i < j,
}
NUMBERED: Table = {
    numbered.canonical: native
    for op, native in (
        (s.position, lambda x, i, j, k: i + k),
        (s.column, lambda x, i, j, k: j + k),
        (s.diagonal, lambda x, i, j, k: j - i == k),
        (s.off_diagonal, lambda x, i, j, k: j - i != k),
        (s.lower, lambda x, i, j, k: j - i <= k),
        (s.upper, lambda x, i, j, k: j - i >= k),
        (s.strict_lower, lambda x, i, j, k: j - i < k),
        (s.strict_upper, lambda x, i, j, k: j - i > k),
    )
    if (numbered := op.numbered) is not None
}


@lru_cache(maxsize=512)
def native_binary(op: TypedBinary) -> Vectorised | None:
    """What computes the same over operands that are cast to its dtypes already; None: nothing does."""
    if op.constant is not None:
        constant = np.array(op.constant, op.result)
        return lambda x, y, *k: np.broadcast_to(constant, x.shape)
    if (given := HANDS_ON.get(op.op.gives)) is not None:
        return given
    if op.left != op.right or op.op.positional:
        return None
    name, dtype = op.op.canonical, op.computed
    if dtype.kind == "b" and (comparison := COMPARISONS.get(name)) is not None:
        return comparison
    if op.left != dtype:
        return None
    selected = SELECTS.get(op.into(dtype).selects)
    return selected or _found(name, dtype, CLOSED, CLOSED_ON_NUMBERS, CLOSED_ON_FLOATS)


def _found(
    name: str | None, dtype: DType, closed: Table, on_numbers: Table, on_floats: Table
) -> Vectorised | None:
    """The ufunc for operands of a dtype; NumPy subtracts no bools, and divides integers as floats."""
    tables = (closed, on_numbers, on_floats)[: {"b": 1, "f": 3}.get(dtype.kind, 2)]
    return None if name is None else next((table[name] for table in tables if name in table), None)


@lru_cache(maxsize=512)
def native_unary(op: TypedUnary) -> Vectorised | None:
    """What computes the same over an operand that is cast to its dtype already; None: nothing does."""
    name = op.op.canonical
    if op.op.indexed or op.operand != op.computed:
        return (INDEXED if op.op.indexed else UNARY).get(name)
    return _found(name, op.operand, UNARY, UNARY_CLOSED_ON_NUMBERS, UNARY_CLOSED_ON_FLOATS)


def binary(op: TypedBinary, x: Array, y: Array, *indices: Array) -> Array:
    """op over two arrays of one length, and over the indices that a positional op sees: k, i and j."""
    native = native_binary(op)
    arguments = (x, y, *indices)[: len(op.op.arguments)]
    if native is None:
        return _in_python(op, arguments, op.result)
    with np.errstate(all="ignore"):
        computed = as_type(
            native(as_type(x, op.left), as_type(y, op.right), *arguments[2:]), op.computed
        )
    return as_type(computed, op.result)


def applied(op: Applied, x: Array, i: Array, j: Array) -> Array:
    """op over the values x that stand at rows i and columns j."""
    if isinstance(op, BoundOp):
        dtype = op.binary.left if op.scalar_is_left else op.binary.right
        scalar = np.broadcast_to(np.array(caster(dtype)(op.scalar), dtype), x.shape)
        return binary(op.binary, scalar, x) if op.scalar_is_left else binary(op.binary, x, scalar)
    if isinstance(op, BoundIndexOp) and (numbered := NUMBERED.get(op.op.canonical)) is not None:
        return as_type(as_type(numbered(x, i, j, op.scalar), op.computed), op.result)
    native = native_unary(op)
    if native is None:
        return _in_python(op, (x, i, j), op.result)
    with np.errstate(all="ignore"):
        operand = as_type(x, op.operand)
        computed = as_type(native(operand, i, j) if op.op.indexed else native(operand), op.computed)
    return as_type(computed, op.result)


def sum_runs(values: Array, starts: Array, monoid: TypedMonoid) -> Array:
    """The sum of each run of values; `starts` are where the runs begin."""
    values = as_type(values, monoid.domain)
    return values[starts] if monoid.takes_any else fold_runs(values, starts, monoid.op)


def fold_runs(values: Array, starts: Array, op: TypedBinary) -> Array:
    """Each run of values folded from the left; the values have the dtype of the result."""
    if not len(starts) or (op.is_closed and op.gives == "edge"):
        return values[starts]
    if op.is_closed and op.gives == "value":
        last: Array = values[np.append(starts[1:], len(values)) - 1]
        return last
    native = _closed_ufunc(op)
    with np.errstate(all="ignore"):
        if native is None:
            folded = _ufunc(op).reduceat(values.astype(object), starts)
            return _from_python(folded, values.dtype)
        sums: Array = native.reduceat(values, starts, dtype=values.dtype)
    return sums


def sum_all(values: Array, monoid: TypedMonoid) -> Scalar:
    """The sum of all values; the identity when there are none."""
    if not len(values):
        return monoid.identity
    total: Scalar = sum_runs(values, np.zeros(1, np.int64), monoid)[0].item()
    return total


def sum_by_key(keys: Array, values: Array, order: Array, monoid: TypedMonoid) -> tuple[Array, Array]:
    """The different keys, sorted, with the sum of the values of each; `order` sorts the keys."""
    keys = keys[order]
    starts = run_starts(keys)
    return keys[starts], sum_runs(values[order], starts, monoid)


def as_type(values: Array, dtype: DType) -> Array:
    """The values as `dtype`, without a copy if they are that already."""
    return values if values.dtype == dtype else cast(values, dtype)


def _closed_ufunc(op: TypedBinary) -> np.ufunc | None:
    native = native_binary(op)
    return native if op.is_closed and isinstance(native, np.ufunc) else None


@lru_cache(maxsize=256)
def _ufunc(op: Any) -> np.ufunc:
    """The definition itself, operator and casts, as a ufunc over Python numbers."""
    nin = len(op.op.arguments) if isinstance(op, TypedBinary) else 3 if op.number is None else 4
    ufunc: np.ufunc = np.frompyfunc(op, nin, 1)
    return ufunc


def _in_python(op: Any, arguments: tuple[Any, ...], dtype: DType) -> Array:
    if isinstance(op, BoundIndexOp):  # found by equality, 0.0 would be -0.0
        op, arguments = op.unbound, (*arguments, op.scalar)
    with np.errstate(all="ignore"):  # NumPy sees what Python does with NaN, and would warn of it
        return _from_python(_ufunc(op)(*(np.asarray(a).astype(object) for a in arguments)), dtype)


def _from_python(numbers: Any, dtype: DType) -> Array:
    """Python numbers that a typed operator made, which are values of `dtype` already."""
    return np.asarray(numbers).astype(dtype)
