"""Compiled loops over single rows: which are wanted, how many entries they have, and copies of them."""

from typing import Any

import numpy as np

from anypair.compiling.bits import trailing_zeros
from anypair.compiling.caching import kernel


@kernel
def listed(words: Any, first: Any, last: Any, out: Any) -> Any:
    """The rows from first to last whose bits are set, in order; returns how many."""
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        todo = words[word]
        while todo:
            row = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            if first <= row < last:
                out[count] = row
                count += 1
    return count


@kernel
def count_entries(rows: Any, starts: Any) -> Any:
    """How many entries these rows have."""
    total = 0
    for p in range(len(rows)):
        total += starts[rows[p] + 1] - starts[rows[p]]
    return total


@kernel
def lay_out(rows: Any, starts: Any, out: Any) -> None:
    """Where each of these rows begins if they lie one after the other, and where the last one ends."""
    at = 0
    for p in range(len(rows)):
        out[p] = at
        at += starts[rows[p] + 1] - starts[rows[p]]
    out[len(rows)] = at


@kernel
def copy_columns(rows: Any, starts: Any, before: Any, columns: Any, places: Any, out: Any) -> Any:
    """Copy rows to these places, from columns that begin after so many entries of other rows; returns
    the greatest column, or far more if one is negative.
    """
    greatest = np.uint64(0)
    for p in range(len(rows)):
        begin, at = starts[rows[p]] - before, places[p]
        for k in range(starts[rows[p] + 1] - before - begin):
            column = columns[begin + k]
            out[at + k] = column
            greatest = max(greatest, np.uint64(column))
    return greatest


@kernel
def copy_values(rows: Any, starts: Any, before: Any, values: Any, places: Any, out: Any) -> None:
    """As copy_columns, of what may be any numbers."""
    for p in range(len(rows)):
        begin, at = starts[rows[p]] - before, places[p]
        for k in range(starts[rows[p] + 1] - before - begin):
            out[at + k] = values[begin + k]


@kernel
def mark(found: Any, rows: Any, words: Any) -> None:
    """Set the bits of rows[p] for all p whose bits are set."""
    for word in range(len(found)):
        todo = found[word]
        while todo:
            row = rows[(word << 6) + np.int64(trailing_zeros(todo))]
            todo &= todo - np.uint64(1)
            words[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def are_in_order(first: Any, last: Any, starts: Any, before: Any, columns: Any, ncols: Any) -> Any:
    """Whether the columns of these rows rise within each, from 0 on and below ncols; they begin after so
    many entries of other rows.
    """
    for row in range(first, last):
        previous = np.int64(-1)
        for k in range(starts[row] - before, starts[row + 1] - before):
            column = np.int64(columns[k])
            if column <= previous or column >= ncols:
                return False
            previous = column
    return True
