"""Entries in and out: between NumPy arrays on the host and objects of the library."""

import numpy as np

from anypair.backends.base import Shape
from anypair.backends.places import require_below
from anypair.backends.suitesparse.library import (
    NULL,
    Refused,
    call,
    ffi,
    index_buffer,
    lib,
    symbol,
    value_buffer,
)
from anypair.backends.suitesparse.operators import closed_binary, raise_failures
from anypair.backends.suitesparse.storage import (
    Storage,
    VectorStorage,
    as_storage,
    new_output,
    new_vector,
)
from anypair.dtypes import Array
from anypair.errors import DuplicateEntries
from anypair.semiring import TypedBinary


def build(
    indices: tuple[Array, ...], values: Array, shape: Shape, duplicates: TypedBinary | None
) -> Storage:
    """Storage of these entries; the library folds duplicates in the order given."""
    t = new_output(shape, values.dtype)
    function = symbol(f"GrB_{t.kind}_build", values.dtype)
    wide = (axis.astype(np.int64, copy=False) for axis in indices)
    buffers = (*(index_buffer(axis) for axis in wide), value_buffer(values))
    if duplicates is None:
        try:
            call(function, t.handle, *buffers, len(values), NULL)
        except Refused as error:
            if error.info != lib.GrB_INVALID_VALUE:
                raise
            raise DuplicateEntries(place=_repeated(indices)) from None
    else:
        operator = closed_binary(duplicates, values.dtype)
        call(function, t.handle, *buffers, len(values), operator.handle)
        raise_failures(lambda: True, operator)
    return as_storage(t)


def finish(x: Storage) -> None:
    """Let the library do what it has put off: products may leave the entries of a row unsorted."""
    call(getattr(lib, f"GrB_{x.kind}_wait"), x.handle, lib.GrB_MATERIALIZE)


def full_vector(size: int, value: Array) -> VectorStorage:
    """A vector with one value at every place, which the library stores once."""
    t = new_vector(size, value.dtype)
    function = symbol("GrB_Vector_assign", value.dtype)
    call(function, t.handle, NULL, NULL, value[0].item(), lib.GrB_ALL, size, NULL)
    return t


def entries(x: Storage) -> tuple[Array, ...]:
    """Index arrays and values, sorted."""
    finish(x)
    count = x.nvals
    arrays = [np.empty(count, np.int64) for _ in x.shape]
    values = np.empty(count, x.dtype)
    number = ffi.new("GrB_Index*", count)
    function = symbol(f"GrB_{x.kind}_extractTuples", x.dtype)
    call(function, *map(index_buffer, arrays), value_buffer(values), number, x.handle)
    return (*arrays, values)


def indices(u: VectorStorage) -> Array:
    """The places of the entries of a vector."""
    places = np.empty(u.nvals, np.int64)
    number = ffi.new("GrB_Index*", len(places))
    function = symbol("GrB_Vector_extractTuples", u.dtype)
    call(function, index_buffer(places), NULL, number, u.handle)
    return places


def rowwise(columns: VectorStorage, values: VectorStorage, ncols: int) -> Storage:
    """The matrix with values(i) at (i, columns(i))."""
    rows, cols = entries(columns)
    require_below(ncols, cols, rows)
    _, held = entries(values)
    return build((rows, cols.astype(np.int64)), held, (columns.size, ncols), None)


def _repeated(indices: tuple[Array, ...]) -> tuple[int, ...]:
    """A place that comes more than once."""
    order = np.lexsort(indices[::-1])
    places = np.stack(indices)[:, order]
    at = np.flatnonzero((places[:, 1:] == places[:, :-1]).all(axis=0))[0]
    return tuple(places[:, at].tolist())
