"""Sorting places, the way in for every matrix. Given: VALUED, whether values come along.

Entries are dealt out to blocks of 2**shift rows and then sorted within their block, which fits into
the cache, by keys: the row in the block, and the column in the lowest `width` bits. Both steps keep
entries of one place in order, whatever the number of threads. Places in memory are unsigned numbers,
as Numba asks of others whether they count from the end.
"""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def count_in_blocks(begin, end, rows, cols, mirrored, self_loops, shift, counts):
    """counts[block] = how many of these entries, and of their mirror images, lie in each block."""
    bits = np.uint64(shift)
    for p in range(begin, end):
        i, j = np.uint64(rows[p]), np.uint64(cols[p])
        counts[i >> bits] += np.uint64(self_loops or i != j)
        counts[j >> bits] += np.uint64(mirrored and i != j)


@njit(nogil=True, cache=True)
def counts_to_starts(counts, starts):
    """Make counts[thread, key] the place where that thread puts its first entry of the key."""
    total = 0
    for key in range(counts.shape[1]):
        starts[key] = total
        for thread in range(counts.shape[0]):
            count = counts[thread, key]
            counts[thread, key] = total
            total += np.int64(count)
    starts[counts.shape[1]] = total


@njit(nogil=True)
def put(i, j, p, values, shift, width, places, keys, out_values):
    """Put one entry at the next place of its block."""
    block = i >> shift
    at = places[block]
    places[block] = at + np.uint64(1)
    keys[at] = ((i - (block << shift)) << width) | j
    if VALUED:
        out_values[at] = values[p]


@njit(nogil=True, cache=True)
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


@njit(nogil=True)
def sort_block(keys, values, spare, spare_values, digit, passes, places):
    """Sort by `passes` digits of so many bits, the lowest first; a pass moves all to the spare room."""
    one, low = np.uint64(1), np.uint64((1 << digit) - 1)
    x, y, x_values, y_values = keys, spare, values, spare_values
    for turn in range(passes):
        below = np.uint64(turn * digit)
        places[:] = 0
        for p in range(len(x)):
            places[(x[p] >> below) & low] += one
        total = np.uint64(0)
        for d in range(len(places)):
            count = places[d]
            places[d] = total
            total += count
        for p in range(len(x)):
            d = (x[p] >> below) & low
            at = places[d]
            places[d] = at + one
            y[at] = x[p]
            if VALUED:
                y_values[at] = x_values[p]
        x, y, x_values, y_values = y, x, y_values, x_values
    if passes & 1:
        keys[:] = x
        if VALUED:
            values[:] = x_values


@njit(nogil=True, cache=True)
def sort_blocks(first, last, begins, keys, values, digit, passes, shift, width, counts):
    """Sort the blocks first to last; counts[row] = how many different columns each row has."""
    most = 0
    for block in range(first, last):
        most = max(most, begins[block + 1] - begins[block])
    spare = np.empty(most, keys.dtype)
    spare_values = np.empty(most if VALUED else 0, values.dtype)
    places = np.empty(1 << digit, np.uint64)
    wide = np.uint64(width)
    for block in range(first, last):
        begin, end = begins[block], begins[block + 1]
        own = keys[begin:end]
        own_values = values[begin:end] if VALUED else values
        room = spare[: end - begin]
        sort_block(own, own_values, room, spare_values[: len(own_values)], digit, passes, places)
        rows = counts[block << shift : (block + 1) << shift]
        rows[:] = 0
        for p in range(len(own)):
            rows[own[p] >> wide] += p == 0 or own[p] != own[p - 1]


@njit(nogil=True, cache=True)
def first_duplicate(begins, keys, shift, width):
    """The first row and column that come more than once; there are such."""
    for block in range(len(begins) - 1):
        for p in range(begins[block] + 1, begins[block + 1]):
            if keys[p] == keys[p - 1]:
                row = np.int64(keys[p] >> np.uint64(width)) + (block << shift)
                return row, np.int64(keys[p] & np.uint64((1 << width) - 1))
    return np.int64(-1), np.int64(-1)


@njit(nogil=True, cache=True)
def keep_first(first, last, begins, keys, values, width, indices, out_values):
    """One entry of each place in sorted blocks, the first; returns how many there are.

    They begin where the blocks do. `indices` and `out_values` may be the memory of keys and values.
    """
    one, low = np.uint64(1), np.uint64((1 << width) - 1)
    at = np.uint64(begins[first]) - one
    skipped = np.uint64(begins[first] * (keys.itemsize // indices.itemsize - 1))
    for block in range(first, last):
        previous = keys[0]
        for p in range(begins[block], begins[block + 1]):
            key = keys[p]
            new = p == begins[block] or key != previous
            previous = key
            at += np.uint64(new)
            indices[at + skipped] = key & low
            if VALUED and new:
                out_values[at] = values[p]
    return np.int64(at + one) - begins[first]


@njit(nogil=True, cache=True)
def move_down(array, begin, count, to):
    """Move so many elements to an earlier place."""
    for k in range(np.uint64(count)):
        array[np.uint64(to) + k] = array[np.uint64(begin) + k]


@njit(nogil=True, cache=True)
def count_in_rows(begin, end, starts, indices, counts):
    """counts[column] = how often each column comes in the rows begin to end."""
    for p in range(starts[begin], starts[end]):
        counts[indices[p]] += 1


@njit(nogil=True, cache=True)
def transpose_rows(begin, end, starts, indices, values, places, out_indices, out_values):
    """Put each entry of rows begin to end into the row named by its column."""
    for row in range(begin, end):
        for p in range(starts[row], starts[row + 1]):
            at = places[indices[p]]
            places[indices[p]] = at + 1
            out_indices[at] = row
            if VALUED:
                out_values[at] = values[p]
