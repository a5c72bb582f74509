"""Vectors and matrices from places in any order, sorted on the device."""

from anypair.backends.base import Shape
from anypair.backends.cuda.arrays import Arrays, DeviceArray, index_dtype, step_of
from anypair.backends.cuda.kernels import entry_kernels
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.dtypes import BOOL, Array, DType
from anypair.errors import DuplicateEntries
from anypair.semiring import TypedBinary


def values_to_device(arrays: Arrays, values: Array) -> DeviceArray:
    """The values on the device; where all are one and the same in memory, that one."""
    one_for_all = len(values) > 1 and values.strides[0] == 0
    return arrays.to_device(values[:1] if one_for_all else values)


def build(
    arrays: Arrays,
    places: tuple[DeviceArray, ...],
    values: DeviceArray,
    shape: Shape,
    dtype: DType,
    duplicates: TypedBinary | None,
) -> CudaVector | CudaMatrix:
    """A vector or a matrix of these entries; those at one place are folded in the order given."""
    if len(places) == 2 or not arrays.is_increasing(places[0]):
        places, values = _sorted(arrays, places, values, dtype, duplicates)
    if len(shape) == 1:
        (size,) = shape
        return CudaVector(arrays, size, dtype, (arrays.as_type(places[0], index_dtype(size)), values))
    rows, columns = places
    nrows, ncols = shape
    return CudaMatrix(
        arrays,
        (nrows, ncols),
        dtype,
        arrays.starts_of(rows, nrows),
        arrays.as_type(columns, index_dtype(ncols)),
        values,
    )


def _sorted(
    arrays: Arrays,
    places: tuple[DeviceArray, ...],
    values: DeviceArray,
    dtype: DType,
    duplicates: TypedBinary | None,
) -> tuple[tuple[DeviceArray, ...], DeviceArray]:
    """The places in order, each once, and their values."""
    order = arrays.order(*places)
    places = tuple(arrays.take(axis, order) for axis in places)
    values = arrays.take_values(values, order)
    bounds = arrays.run_bounds(*places)
    runs = bounds.shape[0] - 1
    if runs == order.shape[0]:
        return places, values
    if duplicates is None:
        again = arrays.places_where(bounds[1:] - bounds[:-1] > 1)
        first = arrays.number(bounds, arrays.number(again))
        raise DuplicateEntries(place=tuple(arrays.number(axis, first) for axis in places))
    starts = bounds[:-1]
    kept = tuple(arrays.take(axis, starts) for axis in places)
    if values.shape[0] == 1 and duplicates.is_idempotent:
        return kept, values
    folded = arrays.empty(runs, dtype)
    kernels = entry_kernels("entries", duplicates, arrays.block)
    given = (bounds, values, step_of(values), folded)
    arrays.run_operators(kernels, "fold_duplicates", runs, *given)
    return kept, folded


def mirrored(
    arrays: Arrays, sources: DeviceArray, targets: DeviceArray, values: DeviceArray
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Every edge followed by its reverse; edges from a vertex to itself have none."""
    xp = arrays.xp
    forward = arrays.full(sources.shape[0], True, BOOL)
    kept = xp.reshape(xp.stack([forward, sources != targets], axis=1), (-1,))
    rows = xp.reshape(xp.stack([sources, targets], axis=1), (-1,))[kept]
    columns = xp.reshape(xp.stack([targets, sources], axis=1), (-1,))[kept]
    if values.shape[0] > 1:
        values = xp.reshape(xp.stack([values, values], axis=1), (-1,))[kept]
    return rows, columns, values
