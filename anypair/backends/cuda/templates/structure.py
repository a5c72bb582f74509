"""What needs no operator: bitmaps of 32-bit words, lists of places, rows. Values pass as they are."""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import kernel
    from anypair.backends.cuda.templates.block import bit_of, first_not_below


@kernel
def mark(indices, words):
    """Set the bits of these places."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        j = indices[p]
        cuda.atomic.or_(words, j >> 5, bit_of(j))


@kernel
def test_bits(indices, words, flip, out):
    """out[p] = whether the bit of indices[p] is set, or is not if `flip`."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        j = indices[p]
        out[p] = (words[j >> 5] & bit_of(j) != 0) != flip


@kernel
def count_bits(words, counts):
    """counts[w] = how many bits of word w are set."""
    for w in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        counts[w] = cuda.popc(words[w])


@kernel
def list_bits(words, before, out):
    """The places whose bits are set, in order; `before` counts them in front of each word."""
    for w in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        at = before[w]
        for b in range(32):
            if words[w] & bit_of(b):
                out[at] = w * 32 + b
                at += 1


@kernel
def mark_rows(starts, words):
    """Set the bits of the rows that have entries; a word belongs to one thread."""
    rows = len(starts) - 1
    for w in range(cuda.grid(1), len(words), cuda.gridsize(1)):
        bits = np.uint32(0)
        for row in range(w * 32, min(w * 32 + 32, rows)):
            if starts[row + 1] > starts[row]:
                bits |= bit_of(row)
        words[w] = bits


@kernel
def scatter(indices, values, step, dense):
    """dense(indices) = values, no index twice."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        dense[indices[p]] = values[p * step]


@kernel
def store(indices, values, step, words, dense, new):
    """Set bits and values in place; new[0] counts the bits that were not set."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        j = indices[p]
        dense[j] = values[p * step]
        if not words[j >> 5] & bit_of(j):
            cuda.atomic.or_(words, j >> 5, bit_of(j))
            cuda.atomic.add(new, 0, 1)


@kernel
def clear(indices, words, sums, identity):
    """Take back the marks and sums of these places; no two threads mind clearing one word."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        j = indices[p]
        words[j >> 5] = 0
        sums[j] = identity[0]


@kernel
def find_in_rows(rows, columns, starts, indices, at, found):
    """Where each (row, column) stands or would stand among sorted rows, and whether it is there."""
    for p in range(cuda.grid(1), len(columns), cuda.gridsize(1)):
        end = starts[rows[p] + 1]
        place = first_not_below(columns[p], indices, starts[rows[p]], end)
        at[p] = place
        found[p] = place < end and indices[min(place, len(indices) - 1)] == columns[p]


@kernel
def mark_vertices(following, words, count):
    """Phase 2 of the baseline in two_phase.py: each flagged vertex joins the next wavefront."""
    for j in range(cuda.grid(1), len(following), cuda.gridsize(1)):
        if following[j]:
            cuda.atomic.or_(words, j >> 5, bit_of(j))
            cuda.atomic.add(count, 0, 1)
