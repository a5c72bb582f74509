"""Entries of a matrix combined with a vector that is full. Given: combine(x, y)."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import combine, kernel


@kernel
def by_rows(begin, end, starts, indices, values, one, dense, out):
    """out[p] = combine(values[p], dense[row of p]) for these rows; the values may be one for all."""
    for row in range(begin, end):
        y = dense[row]
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            out[p] = combine(values[np.uint64(0) if one else p], y)


@kernel
def by_columns(begin, end, starts, indices, values, one, dense, out):
    """out[p] = combine(values[p], dense[column of p]) for these rows."""
    for p in range(np.uint64(starts[begin]), np.uint64(starts[end])):
        out[p] = combine(values[np.uint64(0) if one else p], dense[indices[p]])
