"""One operator over all entries. Given: operate(x, i, j)."""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import trailing_zeros

if TYPE_CHECKING:
    from anypair.compiling.given import kernel, operate


@kernel
def apply_to_vector(begin, end, indices, values, out):
    """Entries begin to end of a vector."""
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = operate(values[p], indices[p], 0)


@kernel
def apply_to_words(begin, end, words, dense, out):
    """Entries of words begin to end of a vector that is kept by place."""
    for word in range(begin, end):
        todo = words[word]
        while todo:
            place = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            out[place] = operate(dense[place], place, 0)


@kernel
def apply_to_rows(begin, end, starts, indices, values, out):
    """Rows begin to end of a matrix."""
    for row in range(begin, end):
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            out[p] = operate(values[p], row, indices[p])


@kernel
def apply_at_places(begin, end, rows, columns, values, out):
    """Entries begin to end, which stand where the two lists say."""
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = operate(values[p], rows[p], columns[p])
