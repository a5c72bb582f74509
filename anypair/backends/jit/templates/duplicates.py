"""Combining duplicates. Given: combine(x, y)."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import combine, kernel


@kernel
def fold_duplicates(first, last, begins, keys, values, width, indices, out_values):
    """As keep_first, with the values of each place folded from the left."""
    one, low = np.uint64(1), np.uint64((1 << width) - 1)
    at = np.uint64(begins[first]) - one
    skipped = np.uint64(begins[first] * (keys.itemsize // indices.itemsize - 1))
    for block in range(first, last):
        previous = np.uint64(0)
        for p in range(begins[block], begins[block + 1]):
            key = np.uint64(keys[p])
            if p == begins[block] or key != previous:
                at += one
                indices[at + skipped] = key & low
                out_values[at] = values[p]
            else:
                out_values[at] = combine(out_values[at], values[p])
            previous = key
    return np.int64(at + one) - begins[first]
