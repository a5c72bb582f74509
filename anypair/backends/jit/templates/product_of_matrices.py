"""Matrix products. Given: multiply(x, y, k, i, j), add(x, y), FIRST_HIT, STOPS, TERMINAL, and COUNTED:
a sum is the number of its terms times TERM.

Row-wise (Gustavson) with a dense accumulator or, where rows are wide and nearly empty, a hash table;
where a mask names the results, row-wise for these only or by dot products; or scaling, where one of the
two is a diagonal.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.binary_search import lower_bound
from anypair.compiling.bits import trailing_zeros

if TYPE_CHECKING:
    from anypair.compiling.given import (
        COUNTED,
        FIRST_HIT,
        STOPS,
        TERM,
        TERMINAL,
        add,
        compiled,
        kernel,
        multiply,
    )

ZERO, ONE, SIX, LOW = (np.uint64(x) for x in (0, 1, 6, 63))


@kernel
def scale_columns(begin, end, starts, indices, values, present, diagonal, keep, out):
    """Entries of rows begin to end times the diagonal; keep[p] = whether it has one for entry p."""
    for row in range(begin, end):
        for p in range(starts[row], starts[row + 1]):
            k = indices[p]
            keep[p] = (present[k >> 6] >> np.uint64(k & 63)) & np.uint64(1)
            if keep[p]:
                out[p] = multiply(values[p], diagonal[k], k, row, k)


@kernel
def scale_rows(begin, end, starts, indices, values, present, diagonal, keep, out):
    """The diagonal times entries of rows begin to end."""
    for k in range(begin, end):
        there = (present[k >> 6] >> np.uint64(k & 63)) & np.uint64(1)
        for p in range(starts[k], starts[k + 1]):
            keep[p] = there
            if there:
                out[p] = multiply(diagonal[k], values[p], k, k, indices[p])


@kernel
def rows_times_matrix(
    begin, end, a_starts, a_indices, a_values, b_starts, b_indices, b_values,
    mode, m_starts, m_indices, touched, groups, named, sums, out_starts, out_i, out_v, at,
):  # fmt: skip
    """Rows begin to end of the product, the first at place `at`; out_starts[i + 1] = where row i ends.

    mode 0: no mask, 1: inside the mask, 2: outside it. `touched` has a bit for each column that has a
    sum, `groups` one for each word of it that is not 0, so that columns are found in order without a
    sort; `named` one for each that the mask names. All are clear before and after.
    """
    at = np.uint64(at)
    for i in range(np.uint64(begin), np.uint64(end)):
        if mode:
            for m in range(np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])):
                named[np.uint64(m_indices[m]) >> SIX] |= ONE << (np.uint64(m_indices[m]) & LOW)
        for p in range(np.uint64(a_starts[i]), np.uint64(a_starts[i + ONE])):
            k = np.uint64(a_indices[p])
            for q in range(np.uint64(b_starts[k]), np.uint64(b_starts[k + ONE])):
                j = np.uint64(b_indices[q])
                word, bit = j >> SIX, ONE << (j & LOW)
                if touched[word] & bit:
                    if not FIRST_HIT:
                        sums[j] = add(sums[j], multiply(a_values[p], b_values[q], k, i, j))
                    continue
                if mode and (named[word] & bit != ZERO) != (mode == 1):
                    continue
                touched[word] |= bit
                groups[word >> SIX] |= ONE << (word & LOW)
                sums[j] = multiply(a_values[p], b_values[q], k, i, j)
        for group in range(np.uint64(len(groups))):
            some = groups[group]
            groups[group] = ZERO
            while some:
                word = (group << SIX) | trailing_zeros(some)
                some &= some - ONE
                todo = touched[word]
                touched[word] = ZERO
                while todo:
                    j = (word << SIX) | trailing_zeros(todo)
                    todo &= todo - ONE
                    out_i[at] = j
                    out_v[at] = sums[j]
                    at += ONE
        if mode:
            for m in range(np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])):
                named[np.uint64(m_indices[m]) >> SIX] = ZERO
        out_starts[i + ONE] = at
    return np.int64(at)


@kernel
def rows_inside(
    begin, end, a_starts, a_indices, a_values, b_starts, b_indices, b_values,
    m_starts, m_indices, flags, sums, keep, out_v,
):  # fmt: skip
    """For each place of the mask in rows begin to end whether the product has an entry, and which.

    Flags are 1 where the mask names a column, 2 where that has a sum, and zero before and after.
    """
    for i in range(np.uint64(begin), np.uint64(end)):
        first, last = np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])
        if first == last:
            continue
        for m in range(first, last):
            flags[np.uint64(m_indices[m])] = 1
        for p in range(np.uint64(a_starts[i]), np.uint64(a_starts[i + ONE])):
            k = np.uint64(a_indices[p])
            for q in range(np.uint64(b_starts[k]), np.uint64(b_starts[k + ONE])):
                j = np.uint64(b_indices[q])
                if flags[j] == 1:
                    flags[j] = 2
                    sums[j] = multiply(a_values[p], b_values[q], k, i, j)
                elif flags[j] and not FIRST_HIT:
                    sums[j] = add(sums[j], multiply(a_values[p], b_values[q], k, i, j))
        for m in range(first, last):
            j = np.uint64(m_indices[m])
            keep[m] = flags[j] == 2
            out_v[m] = sums[j]
            flags[j] = 0


@compiled
def slot_of(j, keys, size):
    """Where key j is in the hash table, or the free place where it belongs."""
    slot = (np.uint64(j) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & np.uint64(size - 1)
    while keys[slot] != -1 and keys[slot] != j:
        slot = (slot + np.uint64(1)) & np.uint64(size - 1)
    return slot


@kernel
def rows_by_hash(
    begin, end, a_starts, a_indices, a_values, b_starts, b_indices, b_values,
    mode, m_starts, m_indices, work, keys, sums, out_i, out_v, counts,
):  # fmt: skip
    """Rows begin to end of the product, listed from 0 on; returns how many entries they have.

    As rows_times_matrix, with a table of at least twice as many places as a row has products.
    """
    at = 0
    for i in range(begin, end):
        size = 4
        while size < 2 * (work[i + 1] - work[i]):
            size *= 2
        keys[:size] = -1
        first = at
        for p in range(a_starts[i], a_starts[i + 1]):
            k = a_indices[p]
            for q in range(b_starts[k], b_starts[k + 1]):
                j = np.int64(b_indices[q])
                slot = slot_of(j, keys, size)
                if keys[slot] == j:
                    if not FIRST_HIT:
                        sums[slot] = add(sums[slot], multiply(a_values[p], b_values[q], k, i, j))
                    continue
                if mode:
                    m, m_end = np.int64(m_starts[i]), np.int64(m_starts[i + 1])
                    m = lower_bound(j, m_indices, m, m_end)
                    if (m < m_end and m_indices[m] == j) != (mode == 1):
                        continue
                keys[slot] = j
                sums[slot] = multiply(a_values[p], b_values[q], k, i, j)
                out_i[at] = j
                at += 1
        row = out_i[first:at]
        row.sort()
        for r in range(first, at):
            out_v[r] = sums[slot_of(np.int64(out_i[r]), keys, size)]
        counts[i] = at - first
    return at


@kernel
def dots(
    begin, end, a_starts, a_indices, a_values, t_starts, t_indices, t_values,
    m_starts, m_indices, flags, scattered, hits, keep, out_v,
):  # fmt: skip
    """For each place (i, j) of the mask in rows begin to end, row i of a with row j of b transposed.

    Row i is scattered into flags and values by column, then looked up along each row j. Flags are zero
    before and after. `hits` has room for the longest row: where no sum ends early, what is found is
    listed first, without a branch for each entry, as these cannot be predicted.
    """
    for i in range(begin, end):
        if m_starts[i] == m_starts[i + 1]:
            continue
        first, last = np.uint64(a_starts[i]), np.uint64(a_starts[i + 1])
        for p in range(first, last):
            k = np.uint64(a_indices[p])
            flags[k] = 1
            if not COUNTED:
                scattered[k] = a_values[p]
        for m in range(np.uint64(m_starts[i]), np.uint64(m_starts[i + 1])):
            j = np.uint64(m_indices[m])
            row, end_of_row = np.uint64(t_starts[j]), np.uint64(t_starts[j + np.uint64(1)])
            if COUNTED:  # without a branch: every term is the same
                count = 0
                for q in range(row, end_of_row):
                    count += flags[np.uint64(t_indices[q])]
                keep[m] = count > 0
                out_v[m] = count * TERM
                continue
            hit = False
            total = out_v[m]
            if FIRST_HIT or STOPS:
                for q in range(row, end_of_row):
                    k = np.uint64(t_indices[q])
                    if flags[k]:
                        product = multiply(scattered[k], t_values[q], k, i, j)
                        total = add(total, product) if hit else product
                        hit = True
                        if FIRST_HIT or total == TERMINAL:
                            break
            else:
                found = ZERO
                for q in range(row, end_of_row):
                    hits[found] = q
                    found += np.uint64(flags[np.uint64(t_indices[q])])
                for h in range(found):
                    q = np.uint64(hits[h])
                    k = np.uint64(t_indices[q])
                    product = multiply(scattered[k], t_values[q], k, i, j)
                    total = add(total, product) if hit else product
                    hit = True
            keep[m] = hit
            out_v[m] = total
        for p in range(first, last):
            flags[np.uint64(a_indices[p])] = 0
