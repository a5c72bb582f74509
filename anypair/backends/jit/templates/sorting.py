"""Sorting places, the way in for every matrix. Given: VALUED, whether values come along.

Entries are dealt out to blocks of 2**shift rows and then sorted within their block, which fits into
the cache, by keys: the row in the block, and the column in the lowest `width` bits. Both steps keep
entries of one place in order, whatever the number of threads. Places in memory are unsigned numbers,
as Numba asks of others whether they count from the end.
"""

import numpy as np

from anypair.backends.jit.bits import count_ones


@kernel
def count_in_blocks(begin, end, rows, cols, mirrored, self_loops, shift, counts):
    """counts[block] = how many of these entries, and of their mirror images, lie in each block."""
    bits = np.uint64(shift)
    for p in range(begin, end):
        i, j = np.uint64(rows[p]), np.uint64(cols[p])
        counts[i >> bits] += np.uint64(self_loops or i != j)
        counts[j >> bits] += np.uint64(mirrored and i != j)


@compiled
def put(i, j, p, values, shift, width, places, keys, out_values):
    """Put one entry at the next place of its block."""
    block = i >> shift
    at = places[block]
    places[block] = at + np.uint64(1)
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
def sort_block(keys, values, spare, spare_values, passes, places):
    """Sort by so many digits, the lowest first, of as many values as there are places.

    A pass moves all to the spare room, or back from there.
    """
    one, low, count = np.uint64(1), np.uint64(len(places) - 1), len(keys)
    below, bits = np.uint64(0), count_ones(low)
    x, y, x_values, y_values = keys, spare, values, spare_values
    for _ in range(passes):
        places[:] = 0
        for p in range(count):
            places[(x[p] >> below) & low] += one
        total = np.uint64(0)
        for d in range(len(places)):
            total += places[d]
            places[d] = total - places[d]
        for p in range(count):
            d = (x[p] >> below) & low
            at = places[d]
            places[d] = at + one
            y[at] = x[p]
            if VALUED:
                y_values[at] = x_values[p]
        below += bits
        x, y, x_values, y_values = y, x, y_values, x_values
    if passes & 1:
        for p in range(count):  # a slice would compile what says that lengths differ, for seconds
            keys[p] = x[p]
            if VALUED:
                values[p] = x_values[p]


@kernel
def sort_blocks(
    first, last, begins, keys, values, spare, spare_values, places, passes, shift, width, counts
):  # fmt: skip
    """Sort the blocks first to last; counts[row] = how many different columns each row has."""
    wide = np.uint64(width)
    for block in range(first, last):
        begin, end = begins[block], begins[block + 1]
        own = keys[begin:end]
        own_values = values[begin:end] if VALUED else values
        sort_block(own, own_values, spare, spare_values, passes, places)
        rows = counts[block << shift : (block + 1) << shift]
        rows[:] = 0
        for p in range(len(own)):
            rows[own[p] >> wide] += p == 0 or own[p] != own[p - 1]


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
    one, low = np.uint64(1), np.uint64((1 << width) - 1)
    at = np.uint64(begins[first]) - one
    skipped = np.uint64(begins[first] * (keys.itemsize // indices.itemsize - 1))
    for block in range(first, last):
        previous = np.uint64(0)
        for p in range(begins[block], begins[block + 1]):
            key = np.uint64(keys[p])
            new = p == begins[block] or key != previous
            previous = key
            at += np.uint64(new)
            indices[at + skipped] = key & low
            if VALUED and new:
                out_values[at] = values[p]
    return np.int64(at + one) - begins[first]


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
                    place += np.uint64(1)


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
