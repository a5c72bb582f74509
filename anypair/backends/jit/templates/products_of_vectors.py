"""Vector-matrix products. Given: multiply(edge, value, k), add(x, y), ANY, FIRST_HIT, STOPS, TERMINAL.

Rows are sorted and so is the frontier where it matters, so every sum is a left fold in the order of
k: the same in push and in pull, with any number of threads. FIRST_HIT: the first term is the sum.
"""

import numpy as np
from numba import njit

from anypair.backends.jit.bits import trailing_zeros


@njit(nogil=True, cache=True)
def push(
    begin, end, frontier, values, ordered, starts, indices, edges, blocked, flip,
    touched, sums, reached,
):  # fmt: skip
    """Send each value of frontier[begin:end] along its edges to the places that are not blocked."""
    one = np.uint64(1)
    first_counts = ANY or (FIRST_HIT and ordered)
    count = 0
    for f in range(begin, end):
        k = frontier[f]
        for p in range(starts[k], starts[k + 1]):
            j = indices[p]
            word = j >> 6
            bit = one << np.uint64(j & 63)
            if (blocked[word] ^ flip) & bit:
                continue
            if not touched[word] & bit:
                touched[word] |= bit
                sums[j] = multiply(edges[p], values[f], k)
                reached[count] = j
                count += 1
            elif not first_counts:
                sums[j] = add(sums[j], multiply(edges[p], values[f], k))
    return count


@njit(nogil=True, cache=True)
def merge(reached, count, other, others_count, touched, sums, others_touched, others_sums):
    """Add what another part of the frontier reached, and clear that part's marks."""
    one = np.uint64(1)
    for r in range(others_count):
        j = other[r]
        word = j >> 6
        bit = one << np.uint64(j & 63)
        others_touched[word] &= ~bit
        if not touched[word] & bit:
            touched[word] |= bit
            sums[j] = others_sums[j]
            reached[count] = j
            count += 1
        elif not ANY:
            sums[j] = add(sums[j], others_sums[j])
    return count


@njit(nogil=True, cache=True)
def pull(
    begin, end, wanted, flip, nonempty, starts, indices, edges, present, values,
    out_words, out_indices, out_values, at,
):  # fmt: skip
    """For each wanted row of words begin to end, look for its first or all entries in the vector.

    Returns how many rows found one, and how many entries were looked at.
    """
    one = np.uint64(1)
    looked = np.int64(0)
    count = at
    rows = np.empty(64, np.int64)
    firsts = np.empty(64, indices.dtype)
    for word in range(begin, end):
        todo = (wanted[word] ^ flip) & nonempty[word]
        found = np.uint64(0)
        # First entries of all the word's rows at once: the loads do not wait for each other.
        waiting = 0
        while todo:
            j = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - one
            rows[waiting] = j
            firsts[waiting] = indices[starts[j]]
            waiting += 1
        for r in range(waiting):
            j = rows[r]
            p, last = np.int64(starts[j]), np.int64(starts[j + 1])
            k = firsts[r]
            hit = False
            total = out_values[count]
            while True:
                if (present[k >> 6] >> np.uint64(k & 63)) & one:
                    product = multiply(edges[p], values[k], k)
                    total = add(total, product) if hit else product
                    hit = True
                    if FIRST_HIT or (STOPS and total == TERMINAL):
                        break
                p += 1
                if p == last:
                    break
                k = indices[p]
            looked += p - np.int64(starts[j]) + (p < last)
            if hit:
                found |= one << np.uint64(j & 63)
                out_indices[count] = j
                out_values[count] = total
                count += 1
        out_words[word] = found
    return count - at, looked
