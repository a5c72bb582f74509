"""Sorting places, the way in for every matrix. Given: VALUED, whether values come along.

Entries are dealt out to blocks of 2**shift rows and then sorted within their block, which fits into
the cache, by keys: the row in the block, and the column in the lowest `width` bits. Both steps keep
entries of one place in order, whatever the number of threads. Places in memory are unsigned numbers,
as Numba asks of others whether they count from the end.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import count_ones

if TYPE_CHECKING:
    from anypair.compiling.given import VALUED, compiled, kernel


ZERO, ONE = np.uint64(0), np.uint64(1)


@kernel
def count_in_blocks(begin, end, rows, cols, mirrored, self_loops, shift, counts):
    """counts[block] = how many of these entries, and of their mirror images, lie in each block."""
    bits = np.uint64(shift)
    for p in range(begin, end):
        i, j = np.uint64(rows[p]), np.uint64(cols[p])
        counts[i >> bits] += np.uint64(self_loops or i != j)
        if mirrored and i != j:  # else j is a column, and there may be more of them than rows
            counts[j >> bits] += ONE


@compiled
def put(i, j, p, values, shift, width, places, keys, out_values):
    """Put one entry at the next place of its block."""
    block = i >> shift
    at = places[block]
    places[block] = at + ONE
    keys[at] = ((i - (block << shift)) << width) | j
    if VALUED:
        out_values[at] = values[p]


@kernel
def deal(
    begin, end, rows, cols, values, mirrored, self_loops, shift, width, places, keys, out_values
):  # fmt: skip
    """Put the key and the value of each entry, and of its mirror image right after, into its block."""
    bits, wide = np.uint64(shift), np.uint64(width)
    for p in range(begin, end):
        i, j = np.uint64(rows[p]), np.uint64(cols[p])
        if self_loops or i != j:
            put(i, j, p, values, bits, wide, places, keys, out_values)
        if mirrored and i != j:
            put(j, i, p, values, bits, wide, places, keys, out_values)


@compiled
def sort_by_digit(x, x_values, x_begin, y, y_values, y_begin, count, below, places):
    """Move so many entries from x to y in the order of the digit above `below` bits of their keys.

    A digit has as many values as there are places.
    """
    low = np.uint64(len(places) - 1)
    for d in range(len(places)):  # a slice would take longer to compile
        places[d] = 0
    for p in range(x_begin, x_begin + count):
        places[(x[p] >> below) & low] += ONE
    total = y_begin
    for d in range(len(places)):
        total += places[d]
        places[d] = total - places[d]
    for p in range(x_begin, x_begin + count):
        d = (x[p] >> below) & low
        at = places[d]
        places[d] = at + ONE
        y[at] = x[p]
        if VALUED:
            y_values[at] = x_values[p]


@kernel
def sort_blocks(
    first, last, begins, keys, values, spare, spare_values, places, passes, shift, width, counts
):  # fmt: skip
    """Sort the blocks first to last; counts[row] += how many different columns each row has."""
    wide, bits = np.uint64(width), count_ones(np.uint64(len(places) - 1))
    for block in range(first, last):
        begin, end = np.uint64(begins[block]), np.uint64(begins[block + 1])
        below = ZERO
        for digit in range(passes):  # the lowest first, to the spare room and back
            if digit & 1:
                sort_by_digit(spare, spare_values, ZERO, keys, values, begin, end - begin, below, places)
            else:
                sort_by_digit(keys, values, begin, spare, spare_values, ZERO, end - begin, below, places)
            below += bits
        if passes & 1:
            for p in range(begin, end):
                keys[p] = spare[p - begin]
                if VALUED:
                    values[p] = spare_values[p - begin]
        row = np.uint64(block << shift)
        for p in range(begin, end):
            counts[row + (keys[p] >> wide)] += p == begin or keys[p] != keys[p - ONE]


@kernel
def first_duplicate(begins, keys, shift, width):
    """The first row and column that come more than once; there are such."""
    for block in range(len(begins) - 1):
        for p in range(begins[block] + 1, begins[block + 1]):
            if keys[p] == keys[p - 1]:
                row = np.int64(keys[p] >> np.uint64(width)) + (block << shift)
                return row, np.int64(keys[p] & np.uint64((1 << width) - 1))
    return np.int64(-1), np.int64(-1)


@kernel
def keep_first(first, last, begins, keys, values, width, indices, out_values):
    """One entry of each place in sorted blocks, the first; returns how many there are.

    They begin where the blocks do. `indices` and `out_values` may be the memory of keys and values.
    """
    low = np.uint64((1 << width) - 1)
    at = np.uint64(begins[first]) - ONE
    skipped = np.uint64(begins[first] * (keys.itemsize // indices.itemsize - 1))
    for block in range(first, last):
        previous = ZERO
        for p in range(begins[block], begins[block + 1]):
            key = np.uint64(keys[p])
            new = p == begins[block] or key != previous
            previous = key
            at += np.uint64(new)
            indices[at + skipped] = key & low
            if VALUED and new:
                out_values[at] = values[p]
    return np.int64(at + ONE) - begins[first]


@kernel
def count_renumbered(begin, end, starts, indices, new_rows, new_cols):
    """How many entries of rows begin to end have new numbers, not -1, for row and column."""
    count = 0
    for row in range(begin, end):
        if new_rows[row] >= 0:
            for p in range(starts[row], starts[row + 1]):
                count += new_cols[indices[p]] >= 0
    return count


@kernel
def renumber(
    begin, end, starts, indices, values, new_rows, new_cols, at, out_rows, out_cols, out_values
):  # fmt: skip
    """List these entries with their new numbers, from `at` on."""
    place = np.uint64(at)
    for row in range(begin, end):
        if new_rows[row] >= 0:
            for p in range(starts[row], starts[row + 1]):
                col = new_cols[indices[p]]
                if col >= 0:
                    out_rows[place] = new_rows[row]
                    out_cols[place] = col
                    if VALUED:
                        out_values[place] = values[p]
                    place += ONE


@kernel
def count_in_rows(begin, end, starts, indices, counts):
    """counts[column] = how often each column comes in the rows begin to end."""
    for p in range(starts[begin], starts[end]):
        counts[indices[p]] += 1


@kernel
def transpose_rows(begin, end, starts, indices, values, places, out_indices, out_values):
    """Put each entry of rows begin to end into the row named by its column."""
    for row in range(begin, end):
        for p in range(starts[row], starts[row + 1]):
            at = places[indices[p]]
            places[indices[p]] = at + 1
            out_indices[at] = row
            if VALUED:
                out_values[at] = values[p]


@kernel
def deal_by_column(begin, end, starts, indices, values, shift, places, columns, rows, out_values):
    """Put column, row and value of each entry of rows begin to end into the block of the column."""
    bits = np.uint64(shift)
    for row in range(np.uint64(begin), np.uint64(end)):
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            block = np.uint64(indices[p]) >> bits
            at = places[block]
            places[block] = at + ONE
            columns[at] = indices[p]
            rows[at] = row
            if VALUED:
                out_values[at] = values[p]


@kernel
def put_into_rows(begin, end, begins, columns, rows, values, places, out_indices, out_values):
    """Put the entries of blocks begin to end into the rows named by their columns."""
    for p in range(np.uint64(begins[begin]), np.uint64(begins[end])):
        column = np.uint64(columns[p])
        at = np.uint64(places[column])
        places[column] = at + ONE
        out_indices[at] = rows[p]
        if VALUED:
            out_values[at] = values[p]
