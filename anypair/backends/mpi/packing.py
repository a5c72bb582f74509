"""Several arrays in one message."""

from collections.abc import Sequence

import numpy as np

from anypair.dtypes import Array, DType


def pack(arrays: tuple[Array, ...]) -> Array:
    """The bytes of these arrays, which have one length, side by side."""
    return np.concatenate([np.ascontiguousarray(a).view(np.uint8) for a in arrays])


def unpack(message: Array, columns: Sequence[Array]) -> None:
    """Fill arrays of one length with what was packed."""
    at = 0
    for column in columns:
        column.view(np.uint8)[:] = message[at : at + column.nbytes]
        at += column.nbytes


def unpacked(message: Array, dtypes: Sequence[DType]) -> list[Array]:
    """New arrays of these dtypes with what was packed."""
    count = len(message) // sum(dtype.itemsize for dtype in dtypes)
    columns = [np.empty(count, dtype) for dtype in dtypes]
    unpack(message, columns)
    return columns
