"""Rows of a matrix, in any order and as often as wanted, with columns of a range or of a sorted list.

Rows stay as sorted as they are. Given: VALUED, whether entries have values of their own.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.binary_search import lower_bound

if TYPE_CHECKING:
    from anypair.compiling.given import VALUED, kernel

ONE = np.uint64(1)


@kernel
def count_in_range(begin, end, rows, starts, indices, low, high, search, firsts, counts):
    """firsts[r], counts[r] = where the columns from low to high begin in row rows[r], and how many."""
    for r in range(begin, end):
        row = rows[r]
        first, last = np.int64(starts[row]), np.int64(starts[row + 1])
        if search:
            first = lower_bound(low, indices, first, last)
            last = lower_bound(high, indices, first, last)
        firsts[r] = first
        counts[r] = last - first


@kernel
def copy_range(begin, end, firsts, out_starts, indices, values, low, out_i, out_v):
    """Copy these, their columns counted from `low`."""
    below = np.uint64(low)
    for r in range(np.uint64(begin), np.uint64(end)):
        p = np.uint64(firsts[r])
        for at in range(np.uint64(out_starts[r]), np.uint64(out_starts[r + ONE])):
            out_i[at] = np.uint64(indices[p]) - below
            if VALUED:
                out_v[at] = values[p]
            p += ONE


@kernel
def count_listed(begin, end, rows, starts, indices, numbers, counts):
    """counts[r] = how many entries of row rows[r] have a column that is wanted: its number is not 0."""
    for r in range(begin, end):
        row = np.uint64(rows[r])
        count = 0
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            count += numbers[np.uint64(indices[p])] != 0
        counts[r] = count


@kernel
def copy_listed(begin, end, rows, starts, out_starts, indices, values, numbers, out_i, out_v):
    """Copy these, with their new numbers, which are one less."""
    for r in range(np.uint64(begin), np.uint64(end)):
        row = np.uint64(rows[r])
        at, stop = np.uint64(out_starts[r]), np.uint64(out_starts[r + ONE])
        p = np.uint64(starts[row])
        while at < stop:  # each is written, and the next one over it if it is not wanted
            number = np.uint64(numbers[np.uint64(indices[p])])
            out_i[at] = number - ONE
            if VALUED:
                out_v[at] = values[p]
            at += np.uint64(number != np.uint64(0))
            p += ONE
