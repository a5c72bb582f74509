"""Counting sort of places, the way in for every matrix. Given: VALUED, whether values come along.

Sorting by column, then stably by row, leaves rows in order and columns in order within them. Each
thread counts and moves a range of its own.
"""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def count_keys(begin, end, keys, counts):
    """counts[key] = how often each key comes in this range."""
    for p in range(begin, end):
        counts[keys[p]] += 1


@njit(nogil=True, cache=True)
def count_mirrored(begin, end, sources, targets, self_loops, counts):
    """As count_keys for an undirected graph: each edge counts at both ends, a loop once."""
    for p in range(begin, end):
        if sources[p] != targets[p]:
            counts[sources[p]] += 1
            counts[targets[p]] += 1
        elif self_loops:
            counts[sources[p]] += 1


@njit(nogil=True, cache=True)
def counts_to_starts(counts, starts):
    """Make counts[thread, key] the place where that thread puts its first entry of the key."""
    total = 0
    for key in range(counts.shape[1]):
        starts[key] = total
        for thread in range(counts.shape[0]):
            count = counts[thread, key]
            counts[thread, key] = total
            total += count
    starts[counts.shape[1]] = total


@njit(nogil=True, cache=True)
def move(begin, end, keys, others, values, places, out_others, out_values):
    """Put the other index and the value of each entry where its key belongs."""
    for p in range(begin, end):
        at = places[keys[p]]
        places[keys[p]] = at + 1
        out_others[at] = others[p]
        if VALUED:
            out_values[at] = values[p]


@njit(nogil=True, cache=True)
def move_mirrored(begin, end, sources, targets, values, self_loops, places, out_others, out_values):
    """As move, with every edge at both ends."""
    for p in range(begin, end):
        i, j = sources[p], targets[p]
        if i != j or self_loops:
            at = places[i]
            places[i] = at + 1
            out_others[at] = j
            if VALUED:
                out_values[at] = values[p]
        if i != j:
            at = places[j]
            places[j] = at + 1
            out_others[at] = i
            if VALUED:
                out_values[at] = values[p]


@njit(nogil=True, cache=True)
def count_in_rows(begin, end, starts, indices, counts):
    """As count_keys, for the entries of rows begin to end."""
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


@njit(nogil=True, cache=True)
def count_distinct(begin, end, starts, indices, counts):
    """How many different columns each sorted row has."""
    for row in range(begin, end):
        count = 0
        for p in range(starts[row], starts[row + 1]):
            count += p == starts[row] or indices[p] != indices[p - 1]
        counts[row] = count


@njit(nogil=True, cache=True)
def first_duplicate(starts, indices):
    """A row and column that come more than once, or (-1, -1)."""
    for row in range(len(starts) - 1):
        for p in range(starts[row] + 1, starts[row + 1]):
            if indices[p] == indices[p - 1]:
                return np.int64(row), np.int64(indices[p])
    return np.int64(-1), np.int64(-1)


@njit(nogil=True, cache=True)
def keep_first(begin, end, starts, indices, values, new_starts, out_indices, out_values):
    """One entry of each column of a sorted row: the first."""
    for row in range(begin, end):
        at = new_starts[row]
        for p in range(starts[row], starts[row + 1]):
            if p == starts[row] or indices[p] != indices[p - 1]:
                out_indices[at] = indices[p]
                if VALUED:
                    out_values[at] = values[p]
                at += 1
