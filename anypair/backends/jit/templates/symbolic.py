"""How many products and how many entries rows of a product of matrices have, whatever the semiring."""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import count_ones, trailing_zeros

if TYPE_CHECKING:
    from anypair.compiling.given import kernel

ZERO, ONE, SIX, LOW = (np.uint64(x) for x in (0, 1, 6, 63))


@kernel
def count_terms(begin, end, a_starts, a_indices, b_starts, terms):
    """terms[row + 1] = how many products rows begin to end are summed from, each."""
    for row in range(np.uint64(begin), np.uint64(end)):
        total = np.int64(0)
        for p in range(np.uint64(a_starts[row]), np.uint64(a_starts[row + ONE])):
            k = np.uint64(a_indices[p])
            total += np.int64(b_starts[k + ONE]) - np.int64(b_starts[k])
        terms[row + ONE] = total


@kernel
def count_product(
    begin, end, a_starts, a_indices, b_starts, b_indices, mode, m_starts, m_indices,
    touched, groups, named, counts, limit,
):  # fmt: skip
    """counts[row] = how many entries rows begin to end have, up to the first row that goes beyond the
    limit; returns how many that are.

    mode 0: no mask, 1: inside the mask, 2: outside it. `touched` has a bit for each column, `groups` one
    for each word of it that is not 0, `named` one for each that the mask names: all clear before and
    after.
    """
    count = ZERO
    for i in range(np.uint64(begin), np.uint64(end)):
        for p in range(np.uint64(a_starts[i]), np.uint64(a_starts[i + ONE])):
            k = np.uint64(a_indices[p])
            for q in range(np.uint64(b_starts[k]), np.uint64(b_starts[k + ONE])):
                word = np.uint64(b_indices[q]) >> SIX
                touched[word] |= ONE << (np.uint64(b_indices[q]) & LOW)
                groups[word >> SIX] |= ONE << (word & LOW)
        if mode:
            for m in range(np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])):
                named[np.uint64(m_indices[m]) >> SIX] |= ONE << (np.uint64(m_indices[m]) & LOW)
        own = ZERO
        for group in range(np.uint64(len(groups))):
            todo = groups[group]
            groups[group] = ZERO
            while todo:
                word = (group << SIX) | trailing_zeros(todo)
                todo &= todo - ONE
                found = touched[word]
                touched[word] = ZERO
                if mode == 1:
                    found &= named[word]
                elif mode == 2:
                    found &= ~named[word]
                own += count_ones(found)
        if mode:
            for m in range(np.uint64(m_starts[i]), np.uint64(m_starts[i + ONE])):
                named[np.uint64(m_indices[m]) >> SIX] = ZERO
        counts[i] = own
        count += own
        if count > np.uint64(limit):
            break
    return np.int64(count)
