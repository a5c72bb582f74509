"""Union, intersection, apply, select and sums. First where entries meet, then the values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anypair.backends.base import Applied, StructuralMask
from anypair.backends.cuda.arrays import Arrays, DeviceArray, index_dtype, step_of
from anypair.backends.cuda.kernels import (
    applied_kernels,
    bound_kernels,
    column_kernels,
    entry_kernels,
    sum_kernels,
)
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.dtypes import BOOL, INT64, DType, Scalar, caster
from anypair.semiring import (
    BoundIndexOp,
    BoundOp,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedUnary,
    identity,
)

Entries = CudaVector | CudaMatrix

FOLDED_BY_A_THREAD = 64  # values of one long sum; fixed, as it decides how floats round


def with_values(x: Entries, values: DeviceArray, dtype: DType) -> Any:
    """The entries of x with other values, which come in the order in which they are kept."""
    if isinstance(x, CudaVector):
        listed = (x.any_list()[0], values)
        return CudaVector(x.arrays, x.size, dtype, listed, is_sorted=x.is_sorted)
    return x.with_values(values, dtype)


def kept_entries(x: Entries) -> tuple[DeviceArray, DeviceArray]:
    """Last indices and values in the order in which they are kept."""
    return x.any_list() if isinstance(x, CudaVector) else (x.indices, x.values)


def keep_entries(x: Entries, flags: DeviceArray) -> Any:
    """The entries whose flags are true, of all in the order in which they are kept."""
    arrays = x.arrays
    places = arrays.places_where(flags)
    indices, values = kept_entries(x)
    indices, values = arrays.take(indices, places), arrays.take_values(values, places)
    if isinstance(x, CudaVector):
        return CudaVector(arrays, x.size, x.dtype, (indices, values), is_sorted=x.is_sorted)
    starts = arrays.take(arrays.counted_before(flags), x.starts)
    return CudaMatrix(arrays, x.shape, x.dtype, starts, indices, values)


def restrict(x: Entries, mask: StructuralMask) -> Any:
    """The entries inside the mask."""
    arrays = x.arrays
    if isinstance(x, CudaVector):
        indices, _ = x.any_list()
        flags = arrays.empty(indices.shape[0], BOOL)
        given = (indices, mask.storage.words, mask.complemented, flags)
        arrays.run(arrays.structure.test_bits, indices.shape[0], *given)
        return keep_entries(x, flags)
    _, found = meet(x, mask.storage)
    return keep_entries(x, found != mask.complemented)


def meet(x: Entries, y: Entries) -> tuple[DeviceArray, DeviceArray]:
    """For each entry of x, how many entries of y come before its place, and whether one stands there."""
    arrays = x.arrays
    if isinstance(x, CudaVector):
        assert isinstance(y, CudaVector)
        return arrays.find(y.indices, x.indices)
    assert isinstance(y, CudaMatrix)
    at, found = arrays.empty(x.nvals, INT64), arrays.empty(x.nvals, BOOL)
    given = (x.rows(), x.indices, y.starts, y.indices, at, found)
    arrays.run(arrays.structure.find_in_rows, x.nvals, *given)
    return at, found


def _sorted(x: Entries) -> tuple[DeviceArray, DeviceArray]:
    return x.sorted_list() if isinstance(x, CudaVector) else (x.indices, x.values)


def _like(x: Entries, dtype: DType, starts: Any, indices: DeviceArray, values: DeviceArray) -> Any:
    if isinstance(x, CudaVector):
        return CudaVector(x.arrays, x.size, dtype, (indices, values))
    return CudaMatrix(x.arrays, x.shape, dtype, starts, indices, values)


def union(x: Entries, y: Entries, op: TypedBinary) -> Any:
    """op where both have an entry, else the one that is there."""
    arrays = x.arrays
    kernels: Any = entry_kernels("entries", op, arrays.block)
    (x_indices, x_values), (y_indices, y_values) = _sorted(x), _sorted(y)
    (y_before, in_y), (x_before, in_x) = meet(x, y), meet(y, x)
    common_before_x, common_before_y = arrays.counted_before(in_y), arrays.counted_before(in_x)
    x_to = arrays.arange(x.nvals) + y_before - common_before_x[:-1]
    y_to = arrays.arange(y.nvals) + x_before - common_before_y[:-1]
    total = x.nvals + y.nvals - arrays.number(common_before_x, x.nvals)
    indices, values = arrays.empty(total, index_dtype(x.shape[-1])), arrays.empty(total, op.result)
    arrays.scatter(x_to, x_indices, indices)
    arrays.scatter(y_to, y_indices, indices)
    arrays.run(kernels.place_left, x.nvals, x_values, step_of(x_values), x_to, values)
    arrays.run(kernels.place_right, y.nvals, y_values, step_of(y_values), y_to, values)
    x_at = arrays.places_where(in_y)
    _combine(
        arrays,
        kernels,
        x_at,
        x_values,
        arrays.take(y_before, x_at),
        y_values,
        arrays.take(x_to, x_at),
        values,
    )
    starts = None
    if isinstance(x, CudaMatrix) and isinstance(y, CudaMatrix):
        starts = x.starts + y.starts - arrays.take(common_before_x, x.starts)
    return _like(x, op.result, starts, indices, values)


def intersection(x: Entries, y: Entries, op: TypedBinary) -> Any:
    """op where both have an entry."""
    arrays = x.arrays
    kernels: Any = entry_kernels("entries", op, arrays.block)
    (x_indices, x_values), (_, y_values) = _sorted(x), _sorted(y)
    at, found = meet(x, y)
    x_at = arrays.places_where(found)
    values = arrays.empty(x_at.shape[0], op.result)
    to = arrays.arange(x_at.shape[0])
    _combine(arrays, kernels, x_at, x_values, arrays.take(at, x_at), y_values, to, values)
    starts = None
    if isinstance(x, CudaMatrix):
        starts = arrays.take(arrays.counted_before(found), x.starts)
    return _like(x, op.result, starts, arrays.take(x_indices, x_at), values)


def intersection_of_all(x: Entries, op: TypedNary, others: Sequence[Entries]) -> Any:
    """op where all have an entry."""
    arrays = x.arrays
    for y in others:
        x = restrict(x, StructuralMask(y, False))
    inside = StructuralMask(x, False)
    same = [x, *(restrict(y, inside) for y in others)]
    columns = [arrays.spread(_sorted(y)[1], y.nvals) for y in same]
    out = arrays.empty(x.nvals, op.result)
    kernels = column_kernels(op, arrays.block)
    arrays.run_operators(kernels, "combine_columns", x.nvals, *columns, out)
    starts = x.starts if isinstance(x, CudaMatrix) else None
    return _like(x, op.result, starts, _sorted(x)[0], out)


def _combine(
    arrays: Arrays,
    kernels: Any,
    x_at: DeviceArray,
    x: DeviceArray,
    y_at: DeviceArray,
    y: DeviceArray,
    to: DeviceArray,
    out: DeviceArray,
) -> None:
    given = (x_at, x, step_of(x), y_at, y, step_of(y), to, out)
    arrays.run_operators(kernels, "combine_at_places", to.shape[0], *given)


def combined(
    x: DeviceArray, x_at: DeviceArray, y: DeviceArray, y_at: DeviceArray, op: TypedBinary, arrays: Arrays
) -> DeviceArray:
    """op of x(x_at) and y(y_at), pair by pair."""
    out = arrays.empty(x_at.shape[0], op.result)
    kernels = entry_kernels("entries", op, arrays.block)
    _combine(arrays, kernels, x_at, x, y_at, y, arrays.arange(x_at.shape[0]), out)
    return out


def applied_values(x: Entries, op: Applied) -> DeviceArray:
    """op of every entry, in the order in which they are kept; one value if all become the same."""
    arrays = x.arrays
    indices, values = kept_entries(x)
    if isinstance(op, BoundOp):
        return _bound_values(arrays, values, op)
    if isinstance(op, BoundIndexOp):
        op = op.with_constant
    kernels: Any = applied_kernels(op, arrays.block)
    # One value for all stays one, unless the operator sees where it stands.
    n = x.nvals if op.op.indexed else values.shape[0]
    out = arrays.empty(n, op.result)
    if isinstance(x, CudaVector) or not op.op.indexed:
        places = indices if n == x.nvals else arrays.arange(n)
        given: tuple[Any, ...] = (places, values, step_of(values), out)
        arrays.run_operators(kernels, "apply_to_vector", n, *given)
    else:
        given = (x.rows(), indices, values, step_of(values), out)
        arrays.run_operators(kernels, "apply_to_matrix", n, *given)
    return out


def _bound_values(arrays: Arrays, values: DeviceArray, op: BoundOp) -> DeviceArray:
    if not op.reads_entries and values.shape[0]:
        return arrays.to_device(np.array([op(0)], op.result))
    dtype = op.binary.left if op.scalar_is_left else op.binary.right
    scalar = arrays.to_device(np.array([caster(dtype)(op.scalar)], dtype))
    out = arrays.empty(values.shape[0], op.result)
    kernels = bound_kernels(op.binary, op.scalar_is_left, arrays.block)
    arrays.run_operators(kernels, "apply_bound", values.shape[0], scalar, values, out)
    return out


def cast_values(arrays: Arrays, values: DeviceArray, source: DType, dtype: DType) -> DeviceArray:
    """The values by the cast rule; the same array where the dtype is the same."""
    if source == dtype:
        return values
    op = TypedUnary(identity, source, source, dtype)
    out = arrays.empty(values.shape[0], dtype)
    given = (arrays.arange(values.shape[0]), values, 1, out)
    arrays.run_operators(applied_kernels(op, arrays.block), "apply_to_vector", values.shape[0], *given)
    return out


def sum_runs(
    arrays: Arrays, bounds: DeviceArray, values: DeviceArray, monoid: TypedMonoid
) -> DeviceArray:
    """The sum of each run [bounds(r), bounds(r + 1)) of values, none of them empty."""
    runs = bounds.shape[0] - 1
    kernels = sum_kernels(monoid, arrays.block)
    sums = arrays.empty(runs, monoid.domain)
    given = (bounds, values, step_of(values))
    arrays.run_operators(kernels, "fold_runs", runs, *given, arrays.long, sums)
    long = arrays.places_where(bounds[1:] - bounds[:-1] >= arrays.long)
    if long.shape[0]:
        arrays.run_operators(kernels, "fold_long_runs", long.shape[0], long, *given, sums, blocks=True)
    return sums


def sum_all(arrays: Arrays, values: DeviceArray, nvals: int, monoid: TypedMonoid) -> Scalar:
    """The sum of all values; the identity when there are none."""
    if not nvals:
        return monoid.identity
    values = arrays.spread(values, nvals)
    while True:
        n = values.shape[0]
        bounds = arrays.xp.concat(
            [arrays.arange(-(-n // FOLDED_BY_A_THREAD)) * FOLDED_BY_A_THREAD, arrays.full(1, n, INT64)]
        )
        values = sum_runs(arrays, bounds, values, monoid)
        if values.shape[0] == 1:
            total: Scalar = arrays.to_host(values)[0].item()
            return total


def sum_rows(a: CudaMatrix, monoid: TypedMonoid) -> CudaVector:
    """The sum of each row that has entries."""
    arrays = a.arrays
    rows = arrays.places_where(a.degrees > 0)
    bounds = arrays.xp.concat([arrays.take(a.starts, rows), arrays.full(1, a.nvals, INT64)])
    sums = sum_runs(arrays, bounds, a.values, monoid)
    return CudaVector(
        arrays, a.shape[0], monoid.domain, (arrays.as_type(rows, index_dtype(a.shape[0])), sums)
    )
