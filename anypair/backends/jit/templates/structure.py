"""What needs no operator: bitmaps, sorted lists, rows. Values pass through as they are."""

import numpy as np
from numba import njit

from anypair.backends.jit.bits import count_ones, trailing_zeros


@njit(nogil=True, cache=True)
def mark(indices, words):
    """Set the bits of these indices."""
    for p in range(len(indices)):
        j = indices[p]
        words[j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@njit(nogil=True, cache=True)
def positions(words, out):
    """The indices whose bits are set, in order; returns how many."""
    count = 0
    for word in range(len(words)):
        todo = words[word]
        while todo:
            out[count] = (word << 6) + np.int64(trailing_zeros(todo))
            count += 1
            todo &= todo - np.uint64(1)
    return count


@njit(nogil=True, cache=True)
def count_bits(words, flip, also):
    """How many bits are set in (words ^ flip) & also."""
    count = 0
    for word in range(len(words)):
        count += np.int64(count_ones((words[word] ^ flip) & also[word]))
    return count


@njit(nogil=True, cache=True)
def candidates_before(words, flip, also, bounds, out):
    """out[c] = how many bits of (words ^ flip) & also lie before word bounds[c]."""
    count = 0
    for c in range(len(bounds) - 1):
        out[c] = count
        for word in range(bounds[c], bounds[c + 1]):
            count += np.int64(count_ones((words[word] ^ flip) & also[word]))
    out[len(bounds) - 1] = count


@njit(nogil=True, cache=True)
def test_bits(indices, words, flip, out):
    """out[p] = whether the bit of indices[p] is set, or is not if `flip`."""
    for p in range(len(indices)):
        j = indices[p]
        out[p] = ((words[j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0) != flip


@njit(nogil=True, cache=True)
def gather(indices, dense, out):
    """out = dense(indices)."""
    for p in range(len(indices)):
        out[p] = dense[indices[p]]


@njit(nogil=True, cache=True)
def scatter(indices, values, dense):
    """dense(indices) = values."""
    for p in range(len(indices)):
        dense[indices[p]] = values[p]


@njit(nogil=True, cache=True)
def store(words, dense, indices, values):
    """Set bits and values in place; returns how many bits are new."""
    new = 0
    for p in range(len(indices)):
        j = indices[p]
        word = words[j >> 6]
        bit = np.uint64(1) << np.uint64(j & 63)
        if not word & bit:
            new += 1
            words[j >> 6] = word | bit
        dense[j] = values[p]
    return new


@njit(nogil=True, cache=True)
def drain_by_scan(begin, end, touched, closed, flip, sums, out_words, out_indices, out_values, at):
    """The touched places of words begin to end in order, with their sums; the marks are cleared.

    Places of closed ^ flip are marked too, though nothing has reached them.
    """
    for word in range(begin, end):
        todo = touched[word] & ~(closed[word] ^ flip)
        out_words[word] = todo
        touched[word] = 0
        while todo:
            j = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            out_indices[at] = j
            out_values[at] = sums[j]
            at += 1


@njit(nogil=True, cache=True)
def drain_by_list(reached, touched, sums, out_values):
    """The sums of the reached places; the marks are cleared."""
    for r in range(len(reached)):
        j = reached[r]
        out_values[r] = sums[j]
        touched[j >> 6] = 0


@njit(nogil=True, cache=True)
def sum_of_degrees(frontier, step, starts):
    """The degrees of every step-th vertex of the frontier, added up."""
    total = np.int64(0)
    for f in range(0, len(frontier), step):
        k = frontier[f]
        total += np.int64(starts[k + 1]) - np.int64(starts[k])
    return total


@njit(nogil=True, cache=True)
def nonempty_rows(starts, words):
    """Set the bits of the rows that have entries."""
    for row in range(len(starts) - 1):
        if starts[row + 1] > starts[row]:
            words[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@njit(nogil=True, cache=True)
def count_union(begin, end, xs, xi, ys, yi, counts):
    """How many entries the union of each row has."""
    for row in range(begin, end):
        p, q, count = xs[row], ys[row], 0
        while p < xs[row + 1] and q < ys[row + 1]:
            same = xi[p] == yi[q]
            if same or xi[p] < yi[q]:
                p += 1
                q += same
            else:
                q += 1
            count += 1
        counts[row] = count + (xs[row + 1] - p) + (ys[row + 1] - q)


@njit(nogil=True, cache=True)
def count_common(begin, end, xs, xi, ys, yi, counts):
    """How many entries the intersection of each row has."""
    for row in range(begin, end):
        p, q, count = xs[row], ys[row], 0
        while p < xs[row + 1] and q < ys[row + 1]:
            if xi[p] == yi[q]:
                count += 1
                p += 1
                q += 1
            elif xi[p] < yi[q]:
                p += 1
            else:
                q += 1
        counts[row] = count


@njit(nogil=True, cache=True)
def in_other(begin, end, xs, xi, ys, yi, flip, keep):
    """keep[p] = whether entry p of x has a counterpart in y, or has none if `flip`."""
    for row in range(begin, end):
        q = ys[row]
        for p in range(xs[row], xs[row + 1]):
            while q < ys[row + 1] and yi[q] < xi[p]:
                q += 1
            keep[p] = (q < ys[row + 1] and yi[q] == xi[p]) != flip


@njit(nogil=True, cache=True)
def kept_starts(starts, keep, out):
    """Where rows begin once only the kept entries are there."""
    count = 0
    for row in range(len(starts) - 1):
        out[row] = count
        for p in range(starts[row], starts[row + 1]):
            count += keep[p]
    out[len(starts) - 1] = count


@njit(nogil=True, cache=True)
def row_of_each(starts, out):
    """The row of every entry."""
    for row in range(len(starts) - 1):
        for p in range(starts[row], starts[row + 1]):
            out[p] = row


@njit(nogil=True, cache=True)
def renumber_places(begin, end, present, values, old, new, words, dense):
    """dense(j) = values(new(j)), with bits, for the places j of words begin to end."""
    for word in range(begin, end):
        bits = np.uint64(0)
        for j in range(word << 6, min((word + 1) << 6, len(new))):
            k = new[j]
            if k >= 0 and (present[k >> 6] >> np.uint64(k & 63)) & np.uint64(1):
                bits |= np.uint64(1) << np.uint64(j & 63)
                dense[j] = values[k]
        words[word] = bits


@njit(nogil=True, cache=True)
def renumber_all(begin, end, present, values, old, new, words, dense):
    """As renumber_places, for values that are numbers themselves: dense(j) = old(values(new(j)))."""
    for word in range(begin, end):
        bits = np.uint64(0)
        for j in range(word << 6, min((word + 1) << 6, len(new))):
            k = new[j]
            if k >= 0 and (present[k >> 6] >> np.uint64(k & 63)) & np.uint64(1):
                bits |= np.uint64(1) << np.uint64(j & 63)
                dense[j] = old[values[k]]
        words[word] = bits
