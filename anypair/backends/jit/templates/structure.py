"""What needs no operator: bitmaps, sorted lists, rows. Values pass through as they are."""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import count_ones, trailing_zeros

if TYPE_CHECKING:
    from anypair.compiling.given import kernel, parts


ONE, SIX, ALL = np.uint64(1), np.uint64(6), np.uint64(2**64 - 1)


@kernel
def mark(indices, words):
    """Set the bits of these indices."""
    for p in range(len(indices)):
        j = indices[p]
        words[j >> 6] |= np.uint64(1) << np.uint64(j & 63)


@kernel
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


@kernel
def count_bits(words, flip, also):
    """How many bits are set in (words ^ flip) & also."""
    count = 0
    for word in range(len(words)):
        count += np.int64(count_ones((words[word] ^ flip) & also[word]))
    return count


@kernel
def test_bits(indices, words, flip, out):
    """out[p] = whether the bit of indices[p] is set, or is not if `flip`."""
    for p in range(len(indices)):
        j = indices[p]
        out[p] = ((words[j >> 6] >> np.uint64(j & 63)) & np.uint64(1) != 0) != flip


@kernel
def any_bit(indices, words):
    """Whether the bit of one of these indices is set."""
    for p in range(len(indices)):
        j = indices[p]
        if words[j >> 6] & (np.uint64(1) << np.uint64(j & 63)):
            return True
    return False


@kernel
def gather(indices, dense, out):
    """out = dense(indices)."""
    for p in range(len(indices)):
        out[p] = dense[indices[p]]


@kernel
def scatter(indices, values, dense):
    """dense(indices) = values."""
    for p in range(len(indices)):
        dense[indices[p]] = values[p]


@kernel
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


@kernel
def store_words(header, begin, end, words, dense, new_words, new_dense):
    """As store, for the places of words begin to end of another bitmap."""
    new = 0
    for _part, low, high in parts(header, begin, end):
        for word in range(low, high):
            todo = new_words[word]
            new += np.int64(count_ones(todo & ~words[word]))
            words[word] |= todo
            if todo == ALL:
                first = np.uint64(word) << np.uint64(6)
                for j in range(first, first + np.uint64(64)):  # a slice takes seconds to compile
                    dense[j] = new_dense[j]
                continue
            while todo:
                j = (word << 6) + np.int64(trailing_zeros(todo))
                todo &= todo - np.uint64(1)
                dense[j] = new_dense[j]
    return new


@kernel
def join_words(words, new_words):
    """As store_words, where the values are in place; for all words."""
    new = 0
    for word in range(len(words)):
        new += np.int64(count_ones(new_words[word] & ~words[word]))
        words[word] |= new_words[word]
    return new


@kernel
def join_places(words, places):
    """As join_words, of places in a list."""
    new = 0
    for p in range(len(places)):
        j = np.uint64(places[p])
        word, bit = words[j >> SIX], ONE << (j & np.uint64(63))
        if not word & bit:
            new += 1
            words[j >> SIX] = word | bit
    return new


@kernel
def collect_words(touched, blocked, flip, out):
    """The touched places that blocked ^ flip leaves, and how many; the marks are cleared."""
    count = 0
    for word in range(len(touched)):
        found = touched[word] & ~(blocked[word] ^ flip)
        out[word] = found
        count += np.int64(count_ones(found))
        touched[word] = 0
    return count


@kernel
def collect_flags(flags, blocked, flip, out):
    """As collect_words, of bytes that are 0 or 1, eight to a number."""
    count = 0
    gather = np.uint64(0x0102040810204080)  # moves the lowest bits of eight bytes to the highest byte
    for word in range(len(out)):
        found = np.uint64(0)
        for byte in range(8):
            found |= ((flags[8 * word + byte] * gather) >> np.uint64(56)) << np.uint64(8 * byte)
            flags[8 * word + byte] = 0
        found &= ~(blocked[word] ^ flip)
        out[word] = found
        count += np.int64(count_ones(found))
    return count


@kernel
def collect_by_scan(begin, end, touched, sums, out_words, out_indices, out_values, at):
    """The touched places of words begin to end in order, with their sums; the marks are cleared."""
    for word in range(begin, end):
        todo = touched[word]
        out_words[word] = todo
        touched[word] = 0
        while todo:
            j = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            out_indices[at] = j
            out_values[at] = sums[j]
            at += 1


@kernel
def sum_of_degrees(frontier, step, starts):
    """The degrees of every step-th vertex of the frontier, added up."""
    total = np.int64(0)
    for f in range(0, len(frontier), step):
        k = frontier[f]
        total += np.int64(starts[k + 1]) - np.int64(starts[k])
    return total


@kernel
def sum_of_degrees_in_words(words, step, starts):
    """The degrees of the vertices in every step-th word, added up, and how many vertices these are."""
    total, count = np.int64(0), np.int64(0)
    for word in range(0, len(words), step):
        todo = words[word]
        while todo:
            k = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            total += np.int64(starts[k + 1]) - np.int64(starts[k])
            count += 1
    return total, count


@kernel
def sample_of_probes(step, wanted, flip, nonempty, starts, indices, present):
    """How many entries all wanted rows have up to the first hit, from a row of every step-th word."""
    total = 0
    for word in range(step >> 1, len(nonempty), step):
        todo = (wanted[word] ^ flip) & nonempty[word]
        if todo:
            row = (word << 6) + np.int64(trailing_zeros(todo))
            probes = 0
            for p in range(starts[row], starts[row + 1]):
                k = indices[p]
                probes += 1
                if (present[k >> 6] >> np.uint64(k & 63)) & np.uint64(1):
                    break
            total += probes * np.int64(count_ones(todo))
    return total * step


@kernel
def first_entries(begin, end, starts, indices, first_columns, more):
    """The first four entries of each row; where there are fewer, the last again."""
    for row in range(begin, end):
        first, last = np.int64(starts[row]), np.int64(starts[row + 1]) - 1
        if first <= last:
            first_columns[row] = indices[first]
            for h in range(more.shape[1]):
                first += first < last
                more[row, h] = indices[first]


@kernel
def compress(begin, end, keep, values, first, last, out):
    """out[first:last] = the values from begin to end that are to be kept, which are as many.

    Without a branch for each: a value is always written, and the next one over it if it is not kept.
    """
    at, stop = np.uint64(first), np.uint64(last)
    for p in range(np.uint64(begin), np.uint64(end)):
        if at == stop:  # beyond lies what another thread writes
            break
        out[at] = values[p]
        at += np.uint64(keep[p])


@kernel
def kept_starts(begin, end, starts, keep, first, out):
    """out[row] = where these rows begin, the first at `first`, once only kept entries are there."""
    count = np.uint64(first)
    for row in range(begin, end):
        out[row] = count
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + 1])):
            count += np.uint64(keep[p])


@kernel
def row_of_each(starts, out):
    """The row of every entry."""
    for row in range(len(starts) - 1):
        for p in range(starts[row], starts[row + 1]):
            out[p] = row


@kernel
def renumber_places(header, begin, end, present, values, old, dense):
    """dense(old(k)) = values(k) for the entries k in words begin to end; returns -1."""
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            todo = present[word]
            while todo:
                k = (word << SIX) | trailing_zeros(todo)
                todo &= todo - ONE
                dense[np.uint64(old[k])] = values[k]
    return -1


@kernel
def renumber_all(header, begin, end, present, values, old, dense):
    """As renumber_places, for values that are numbers themselves: dense(old(k)) = old(values(k)).

    Returns the first k whose value is none, or -1; of all threads the least one is the first of all.
    """
    count = np.uint64(len(old))
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            todo = present[word]
            if todo == ALL:
                for k in range(word << SIX, (word + ONE) << SIX):
                    value = np.uint64(values[k])
                    if value >= count:
                        return np.int64(k)
                    dense[np.uint64(old[k])] = old[value]
                continue
            while todo:
                k = (word << SIX) | trailing_zeros(todo)
                todo &= todo - ONE
                value = np.uint64(values[k])
                if value >= count:
                    return np.int64(k)
                dense[np.uint64(old[k])] = old[value]
    return -1


@kernel
def flip_renumbered(present, flip, old, words):
    """Flip the bits of old(k) for each k of present ^ flip."""
    for word in range(len(present)):
        todo = present[word] ^ flip
        while todo:
            k = (word << 6) + np.int64(trailing_zeros(todo))
            todo &= todo - np.uint64(1)
            if k < len(old):  # of the last word, flipped
                words[old[k] >> 6] ^= np.uint64(1) << np.uint64(old[k] & 63)


@kernel
def are_equal(x, y):
    """Whether two arrays of one length hold the same numbers."""
    for first in range(np.uint64(0), np.uint64(len(x)), np.uint64(4096)):
        differences = np.uint64(0)
        for p in range(first, min(first + np.uint64(4096), np.uint64(len(x)))):
            differences |= np.uint64(x[p] ^ y[p])
        if differences:
            return False
    return True


@kernel
def rises(numbers):
    """Whether each number is greater than the one before it."""
    p = np.uint64(1)
    while p < len(numbers) and numbers[p - np.uint64(1)] < numbers[p]:
        p += np.uint64(1)
    return p >= len(numbers)
