"""Operators over whole arrays: a NumPy ufunc for each of the catalogue, else one made of the function.

A row in one of the tables is only speed. To add one for an operator of your own:
`BINARY[log_add.function] = np.logaddexp`.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anypair import semiring as s
from anypair.backends.base import Applied
from anypair.backends.scipy.ordering import run_starts
from anypair.dtypes import Array, DType, Scalar, cast, caster
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid

Vectorised = Callable[..., Any]

BINARY: dict[Callable[..., Any], Vectorised] = {
    s.plus.function: np.add,
    s.minus.function: np.subtract,
    s.times.function: np.multiply,
    s.divide.function: np.true_divide,
    s.minimum.function: np.fmin,
    s.maximum.function: np.fmax,
    s.first.function: lambda x, y: x,
    s.second.function: lambda x, y: y,
    s.any_of.function: lambda x, y: x,
    s.pair.function: lambda x, y: np.broadcast_to(np.int8(1), x.shape),
    s.source.function: lambda x, y, k: k,
    s.eq.function: np.equal,
    s.ne.function: np.not_equal,
    s.lt.function: np.less,
    s.le.function: np.less_equal,
    s.gt.function: np.greater,
    s.ge.function: np.greater_equal,
    s.lor.function: np.logical_or,
    s.land.function: np.logical_and,
    s.lxor.function: np.not_equal,
    s.lxnor.function: np.equal,
}

UNARY: dict[Callable[..., Any], Vectorised] = {
    s.identity.function: lambda x: x,
    s.is_true.function: lambda x: x,
    s.is_not_finite.function: lambda x: ~np.isfinite(x),
    s.negate.function: np.negative,
    s.absolute.function: np.absolute,
    s.reciprocal.function: np.reciprocal,
    s.logical_not.function: np.logical_not,
    s.one.function: np.ones_like,
    s.position.function: lambda x, i, j: i,
    s.column.function: lambda x, i, j: j,
    s.diagonal.function: lambda x, i, j: i == j,
    s.off_diagonal.function: lambda x, i, j: i != j,
    s.lower.function: lambda x, i, j: i >= j,
    s.upper.function: lambda x, i, j: i <= j,
    s.strict_lower.function: lambda x, i, j: i > j,
    s.strict_upper.function: lambda x, i, j: i < j,
}

FIRST_OF_RUN = (s.first.function, s.any_of.function)


def binary(op: TypedBinary, x: Array, y: Array, k: Array | None = None) -> Array:
    """op over two arrays of one length; k are the inner indices that a positional op sees."""
    native = BINARY.get(op.op.function)
    arguments = (x, y, k) if op.op.positional else (x, y)
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
    native = UNARY.get(op.op.function)
    if native is None:
        return _in_python(op, (x, i, j), op.result)
    with np.errstate(all="ignore"):
        operand = as_type(x, op.operand)
        computed = as_type(native(operand, i, j) if op.op.indexed else native(operand), op.computed)
    return as_type(computed, op.result)


def sum_runs(values: Array, starts: Array, monoid: TypedMonoid) -> Array:
    """The sum of each run of values; `starts` are where the runs begin."""
    return fold_runs(as_type(values, monoid.domain), starts, monoid.op)


def fold_runs(values: Array, starts: Array, op: TypedBinary) -> Array:
    """Each run of values folded from the left; the values have the dtype of the result."""
    if not len(starts) or op.op.function in FIRST_OF_RUN:
        return values[starts]
    if op.op.function is s.second.function:
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
    native = BINARY.get(op.op.function)
    closed = op.left == op.right == op.computed == op.result
    return native if closed and isinstance(native, np.ufunc) else None


@lru_cache(maxsize=256)
def _ufunc(op: Any) -> np.ufunc:
    """The definition itself, operator and casts, as a ufunc over Python numbers."""
    nin = 2 if isinstance(op, TypedBinary) and not op.op.positional else 3
    ufunc: np.ufunc = np.frompyfunc(op, nin, 1)
    return ufunc


def _in_python(op: Any, arguments: tuple[Any, ...], dtype: DType) -> Array:
    with np.errstate(all="ignore"):  # NumPy sees what Python does with NaN, and would warn of it
        return _from_python(_ufunc(op)(*(np.asarray(a).astype(object) for a in arguments)), dtype)


def _from_python(numbers: Any, dtype: DType) -> Array:
    """Python numbers that a typed operator made, which are values of `dtype` already."""
    return np.asarray(numbers).astype(dtype)
