"""Checks of what users hand in; errors name the operation, the argument and the value."""

from collections.abc import Sized
from typing import Any

import numpy as np

from anypair.dtypes import BOOL, FLOAT64, Array, DType, as_dtype, cast, scalar_dtype
from anypair.errors import (
    IndexOutOfRange,
    InvalidArgument,
    InvalidValue,
    SizeMismatch,
    UnsupportedDType,
    shown,
)
from anypair.semiring import BinaryOp, Monoid, first, monoid_of

LARGEST_SIZE = int(np.iinfo(np.int64).max)  # so that every index is an int64


def as_whole(operation: str, argument: str, number: Any) -> int:
    """A whole number, not negative, however large."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise InvalidValue(f"{operation}: {argument}={shown(number)} is not a whole number")
    if number < 0:
        raise InvalidValue(f"{operation}: {argument}={number} is negative")
    return int(number)


def as_size(operation: str, argument: str, size: Any) -> int:
    """A length: a whole number, not negative, that an index of 64 bits can reach the end of."""
    number = as_whole(operation, argument, size)
    if number > LARGEST_SIZE:
        raise InvalidValue(f"{operation}: {argument}={number} is too large; give at most 2**63 - 1")
    return number


def as_shape(operation: str, shape: Any) -> tuple[int, int]:
    """(nrows, ncols) of a matrix."""
    try:
        nrows, ncols = shape
    except (TypeError, ValueError):
        raise InvalidValue(f"{operation}: shape={shape!r} is not a pair (nrows, ncols)") from None
    return as_size(operation, "nrows", nrows), as_size(operation, "ncols", ncols)


def as_indices(operation: str, argument: str, indices: Any, bound: int | None, first: int = 0) -> Array:
    """An int64 array of indices from 0 to bound - 1; messages count its elements from `first` on."""
    array = _one_dimensional(operation, argument, indices)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu":
        array = _whole_numbers(operation, argument, array, indices)
    limit = np.iinfo(np.int64).max if bound is None else bound
    low, high = _extremes(array)
    if low < 0 or high >= limit:
        at = int(np.argmax((array < 0) | (array >= limit)))
        raise IndexOutOfRange(
            f"{operation}: {argument}[{first + at}] = {array[at]} is out of range; "
            + (
                "give 0 or more"
                if bound is None
                else f"give 0 to {limit - 1}"
                if limit
                else "there is no valid index in a size of 0"
            ),
            value=int(array[at]),
            place=first + at,
        )
    return array.astype(np.int64, copy=False)


def _whole_numbers(operation: str, argument: str, array: Array, indices: Any) -> Array:
    """The indices as they were given: NumPy makes floats of whole numbers that int64 does not hold."""
    if array.dtype.kind == "f" and isinstance(indices, list | tuple):
        array = np.asarray(indices, object)
    for x in array:
        if not isinstance(x, int | np.integer) or isinstance(x, bool):
            given = x.item() if isinstance(x, np.generic) else x
            raise InvalidValue(
                f"{operation}: {argument} holds {given!r}, which is no index; give whole numbers"
            )
    return array


def _extremes(array: Array) -> tuple[int, int]:
    """The smallest and the largest element; NumPy takes longer than Python to begin."""
    if array.size > 32:
        return int(array.min()), int(array.max())
    numbers = array.tolist()
    return min(numbers), max(numbers)


def as_index(operation: str, argument: str, index: Any, bound: int) -> int:
    """One index from 0 to bound - 1."""
    return int(as_indices(operation, argument, [index], bound)[0])


def as_values(operation: str, argument: str, values: Any, dtype: Any, count: int | None) -> Array:
    """A one-dimensional array of a supported dtype; one number stands for `count` of them."""
    wanted = None if dtype is None else as_dtype(dtype)
    array = _exact(operation, argument, values, wanted)
    is_one = array.ndim == 0 and count is not None
    if is_one:
        array = array.reshape(1)
    if array.dtype == object:
        numbers = array.ravel().tolist()
        strange = [x for x in numbers if not isinstance(x, bool | int | float)]
        if strange:
            raise InvalidValue(f"{operation}: {argument} holds {strange[0]!r}, which is not a number")
        largest = max(numbers, key=abs)
        raise InvalidValue(
            f"{operation}: {argument} holds {largest}, which no integer of 64 bits holds; "
            "give floats, or smaller numbers"
        )
    if array.size == 0 and not isinstance(values, np.ndarray) and wanted is not None:
        array = np.empty(0, wanted)
    try:
        native = as_dtype(array.dtype)
    except UnsupportedDType as error:
        raise UnsupportedDType(f"{operation}: {argument}: {error}") from None
    array = _one_dimensional(operation, argument, array)
    if count is not None and not is_one and array.size != count:
        raise SizeMismatch(f"{operation}: {argument} has {array.size} values for {count} indices")
    if array.dtype != (wanted or native):  # of another byte order, too
        array = _convert(operation, argument, array, wanted or native)
    if is_one and count is not None:  # np.broadcast_to takes longer than all the rest
        array = np.ndarray((count,), array.dtype, array, strides=(0,))
        array.flags.writeable = False
    return array


def one_value(operation: str, value: Any, dtype: Any) -> Array:
    """An array of the one value, of the dtype that is given, or else of its own."""
    return as_values(operation, "value", [value], scalar_dtype(value) if dtype is None else dtype, 1)


def _exact(operation: str, argument: str, values: Any, wanted: DType | None) -> Array:
    """The values as an array; NumPy makes floats of whole numbers if int64 does not hold all of them."""
    array = _as_array(operation, argument, values)
    if array.dtype == object and all(isinstance(x, bool | int | float) for x in array.ravel()):
        array = np.asarray(array.tolist())
    elif isinstance(values, np.ndarray | float):
        return array
    if array.dtype != FLOAT64 or not array.size or float(np.abs(array).max()) < 2.0**63:
        return array
    numbers = np.asarray(values, object).ravel().tolist()
    if not all(isinstance(x, int | np.integer) for x in numbers):
        return array
    least, greatest = int(min(numbers)), int(max(numbers))
    if least >= 0 and greatest < 2**64:
        return np.array(numbers, np.uint64).reshape(array.shape)
    if wanted is not None and wanted.kind == "f":
        return array
    raise InvalidValue(
        f"{operation}: {argument} holds {least} and {greatest}, and no integer of 64 bits can be both; "
        "give floats, or smaller numbers"
    )


def _convert(operation: str, argument: str, array: Array, dtype: DType) -> Array:
    if array.dtype.kind == "f" and dtype.kind in "iu" and not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise InvalidValue(f"{operation}: {argument} holds {bad}, which {dtype} cannot")
    return cast(array, dtype)


def _as_array(operation: str, argument: str, values: Any) -> Array:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidValue(
            f"{operation}: {argument} has masked elements; say what they are to be, as in x.filled(0)"
        )
    try:
        return np.asarray(values)
    except ValueError as error:  # lists of different lengths inside a list
        raise InvalidValue(f"{operation}: {argument} has to be a list or an array; {error}") from None


def _one_dimensional(operation: str, argument: str, values: Any) -> Array:
    array = _as_array(operation, argument, list(values) if isinstance(values, range | set) else values)
    if array.ndim != 1:
        is_short = not array.ndim or (isinstance(values, Sized) and len(values) < 9)
        shown = values if is_short else array.shape
        raise InvalidValue(f"{operation}: {argument} has to be a list or a 1D array, not {shown!r}")
    return array


def entries_of_dense(
    operation: str, dense: Any, dimensions: int, missing: Any
) -> tuple[Any, tuple[Array, ...], Array]:
    """Shape, places and values of a dense array, without the elements that equal `missing`."""
    array = _exact(operation, "array", dense, None)
    if array.ndim != dimensions:
        raise SizeMismatch(f"{operation}: array has {array.ndim} dimensions, not {dimensions}")
    if missing is None:
        present = np.ones(array.shape, BOOL)
    else:
        try:
            scalar_dtype(missing)
        except InvalidValue as error:
            raise InvalidValue(f"{operation}: missing: {error}") from None
        if array.dtype.kind in "iu" and isinstance(missing, float | np.floating) and missing % 1 == 0:
            missing = int(missing)  # NumPy would round the elements to floats
        present = ~np.isnan(array) if missing != missing else array != missing
    return array.shape, np.nonzero(present), as_values(operation, "array", array[present], None, None)


def dtype_with(operation: str, dtype: DType, missing: Any) -> DType:
    """The dtype of a dense array of values of `dtype`, and of `missing` where there is none."""
    try:
        beside = scalar_dtype(missing, beside=dtype)
    except InvalidValue as error:
        raise InvalidValue(f"{operation}: missing: {error}") from None
    found = np.result_type(dtype, beside)
    if found.kind == "f" and dtype.kind != "f" and not isinstance(missing, float | np.floating):
        raise InvalidValue(
            f"{operation}: missing={missing} and values of {dtype} have no integer dtype in common; "
            "give another number, or x.cast(float)"
        )
    return found


def as_duplicates(weights: Any, duplicates: BinaryOp | Monoid | None) -> BinaryOp | Monoid | None:
    """How edges that come twice are combined: without weights they are one, unless something is said."""
    return first if weights is None and duplicates is None else duplicates


def as_binary(operation: str, argument: str, op: Any) -> BinaryOp:
    """A binary operator; a monoid stands for its operator."""
    op = op.op if isinstance(op, Monoid) else op
    if not isinstance(op, BinaryOp) or op.positional:
        raise InvalidArgument(
            f"{operation}: {argument}={shown(op)} is not a binary operator of two values; "
            "take one from anypair.semiring or make one with @binary_op"
        )
    return op


def as_monoid(operation: str, argument: str, op: Any) -> Monoid:
    """A monoid; an operator stands for the one monoid that the catalogue has of it."""
    found = monoid_of(op) if isinstance(op, BinaryOp) else op
    if not isinstance(found, Monoid):
        raise InvalidArgument(
            f"{operation}: {argument}={shown(op)} is not a monoid; give one such as plus_monoid, or an "
            "operator that has just one, such as plus; @monoid(identity=...) makes one of a function"
        )
    return found
