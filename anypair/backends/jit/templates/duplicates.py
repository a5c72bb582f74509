"""Combining duplicates. Given: combine(x, y)."""

from numba import njit


@njit(nogil=True, cache=True)
def fold_duplicates(begin, end, starts, indices, values, new_starts, out_indices, out_values):
    """One entry of each column of a sorted row, its values folded from the left."""
    for row in range(begin, end):
        at = new_starts[row] - 1
        for p in range(starts[row], starts[row + 1]):
            if p == starts[row] or indices[p] != indices[p - 1]:
                at += 1
                out_indices[at] = indices[p]
                out_values[at] = values[p]
            else:
                out_values[at] = combine(out_values[at], values[p])
