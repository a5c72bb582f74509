"""Vector-matrix products. Given: multiply(edge, value, k), add(x, y), and ANY, FIRST_HIT,
CONSTANT, STOPS, TERMINAL.

Rows are sorted and so is the frontier where it matters, so every sum is a left fold in the order of
k: the same in push and in pull, with any number of threads. FIRST_HIT: the first term is the sum.
CONSTANT: all sums are one value, which nobody has to write.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.binary_search import part_of_row
from anypair.compiling.bits import (
    PLACES,
    count_ones,
    prefetch,
    room_for_a_word,
    room_for_places,
    trailing_zeros,
)

if TYPE_CHECKING:
    from anypair.compiling.given import (
        ANY,
        CONSTANT,
        FIRST_HIT,
        STOPS,
        TERMINAL,
        add,
        compiled,
        kernel,
        multiply,
        parts,
    )


# Unsigned throughout: Numba asks of a signed index whether it counts from the end, and makes a float
# of a sum of both. As constants they take less time to compile than as calls.
ZERO, ONE, TWO, THREE, FOUR, SIX = (np.uint64(x) for x in (0, 1, 2, 3, 4, 6))
LOW = np.uint64(63)
ROWS, EVERY = np.uint64(64), np.uint64(2**64 - 1)  # of a word

FIRST_COUNTS = ANY or CONSTANT or FIRST_HIT
MANY = np.uint64(8)  # rows of a word, from which it pays to find out whether all are short
AHEAD = 8  # rows whose memory is on its way while another one is pushed
SOON = np.uint64(AHEAD)
ROOM_BUT_A_WORD = np.uint64(PLACES - 63)


@compiled
def send_first(k, value, low, high, size, starts, indices, edges, closed, sums):
    """The value goes to those places along the edges of k that are not closed, and closes them."""
    first, last = part_of_row(low, high, size, indices, starts[k], starts[k + ONE])
    for p in range(first, last):
        j = np.uint64(indices[p])
        word = closed[j >> SIX]
        bit = ONE << (j & LOW)
        if not word & bit:
            closed[j >> SIX] = word | bit
            if not CONSTANT:
                sums[j] = multiply(edges[p], value, k)


@compiled
def send_to_all(k, value, low, high, size, starts, indices, edges, flags, sums):
    """The value goes along all edges of k."""
    first, last = part_of_row(low, high, size, indices, starts[k], starts[k + ONE])
    for p in range(first, last):
        j = np.uint64(indices[p])
        product = multiply(edges[p], value, k)
        total = add(sums[j], product)
        sums[j] = total if flags[j] else product
        flags[j] = 1


@compiled
def next_places(present, word, places):
    """List the places of some words from this one on: few enough to stay in the core's cache.

    Where one word ends and the next begins cannot be predicted, and a row that begins there would
    have to wait. Returns where the next words begin, and how many places these are; none at the end.
    """
    count, nwords = ZERO, np.uint64(len(present))
    while word < nwords and count < ROOM_BUT_A_WORD:
        todo = present[word]
        while todo:
            places[count] = (word << SIX) | trailing_zeros(todo)
            todo &= todo - ONE
            count += ONE
        word += ONE
    return word, count


@compiled
def is_one_value(edges):
    """Whether one value stands for all: then a loop need not load it for each entry."""
    return not edges.flags.c_contiguous and edges.strides[0] == 0


@kernel
def push_first(header, begin, end, frontier, values, starts, indices, edges, closed, sums, size):
    """As push, where the first value counts: `closed` are the places that are blocked or have theirs."""
    for _part, low, high in parts(header, begin, end):
        for f in range(len(frontier)):
            if f + AHEAD < len(frontier):
                prefetch(indices, starts[frontier[f + AHEAD]])
            k = np.uint64(frontier[f])
            send_first(k, values[f], low, high, size, starts, indices, edges, closed, sums)


@kernel
def read_first(header, begin, end, present, values, starts, indices, edges, closed, sums, size):
    """As push_first, along the words of a bitmap and values by place: nothing was listed before."""
    places = room_for_places()
    for _part, low, high in parts(header, begin, end):
        word, count = next_places(present, ZERO, places)
        while count:
            for f in range(count):
                if f + SOON < count:
                    prefetch(indices, starts[places[f + SOON]])
                k = places[f]
                send_first(k, values[k], low, high, size, starts, indices, edges, closed, sums)
            word, count = next_places(present, word, places)


@kernel
def push_to_all(header, begin, end, frontier, values, starts, indices, edges, flags, sums, size):
    """As push, to blocked places too: no branch depends on a place, as these cannot be predicted.

    The first value at a place is added to what stands there, some other product, and that sum is not
    taken. Flags are bytes, since a bit would have to wait for the one before it in the same word.
    """
    for _part, low, high in parts(header, begin, end):
        for f in range(len(frontier)):
            k = np.uint64(frontier[f])
            if starts[k] < starts[k + ONE]:
                sums[low:high] = multiply(edges[starts[k]], values[f], k)
                break
        for f in range(len(frontier)):
            if f + AHEAD < len(frontier):
                prefetch(indices, starts[frontier[f + AHEAD]])
            k = np.uint64(frontier[f])
            send_to_all(k, values[f], low, high, size, starts, indices, edges, flags, sums)


@kernel
def read_to_all(header, begin, end, present, values, starts, indices, edges, flags, sums, size):
    """As push_to_all, along the words of a bitmap and values by place: nothing was listed before."""
    places = room_for_places()
    for _part, low, high in parts(header, begin, end):
        empty = True
        word, count = next_places(present, ZERO, places)
        while count:
            for f in range(count):
                if f + SOON < count:
                    prefetch(indices, starts[places[f + SOON]])
                k = places[f]
                if empty and starts[k] < starts[k + ONE]:
                    sums[low:high] = multiply(edges[starts[k]], values[k], k)
                    empty = False
                send_to_all(k, values[k], low, high, size, starts, indices, edges, flags, sums)
            word, count = next_places(present, word, places)


@kernel
def push(
    header, begin, end, frontier, values, starts, indices, edges, blocked, flip,
    touched, sums, counts, size,
):  # fmt: skip
    """Send each value along its edges to those places from begin to end that are not blocked.

    `counts[part]` places of a part are touched.
    """
    for part, low, high in parts(header, begin, end):
        count = 0
        for f in range(len(frontier)):
            if f + AHEAD < len(frontier):
                prefetch(indices, starts[frontier[f + AHEAD]])
            k = np.uint64(frontier[f])
            first, last = part_of_row(low, high, size, indices, starts[k], starts[k + ONE])
            for p in range(first, last):
                j = np.uint64(indices[p])
                word = j >> SIX
                bit = ONE << (j & LOW)
                if (blocked[word] ^ flip) & bit:
                    continue
                if not touched[word] & bit:
                    touched[word] |= bit
                    if not CONSTANT:
                        sums[j] = multiply(edges[p], values[f], k)
                    count += 1
                elif not FIRST_COUNTS:
                    sums[j] = add(sums[j], multiply(edges[p], values[f], k))
        counts[part] = count


@kernel
def push_few(
    frontier, values, starts, indices, edges, blocked, flip, touched, groups, sums,
    out_indices, out_values, copies,
):  # fmt: skip
    """As push, by one thread, where most words stay empty: `groups` has a bit for each that does not.

    Lists what it reaches, by place, with the sums if it `copies`; returns how many there are. The marks
    are cleared.
    """
    lowest, end = np.uint64(len(groups)), ZERO
    for f in range(len(frontier)):
        if f + AHEAD < len(frontier):
            prefetch(indices, starts[frontier[f + AHEAD]])
        k = np.uint64(frontier[f])
        for p in range(np.uint64(starts[k]), np.uint64(starts[k + ONE])):
            j = np.uint64(indices[p])
            word = j >> SIX
            bit = ONE << (j & LOW)
            if (blocked[word] ^ flip) & bit:
                continue
            known = touched[word]
            if not known & bit:
                touched[word] = known | bit
                group = word >> SIX
                groups[group] |= ONE << (word & LOW)
                lowest, end = min(lowest, group), max(end, group + ONE)
                if not CONSTANT:
                    sums[j] = multiply(edges[p], values[f], k)
            elif not FIRST_COUNTS:
                sums[j] = add(sums[j], multiply(edges[p], values[f], k))
    count = ZERO
    for group in range(lowest, end):
        filled = groups[group]
        groups[group] = ZERO
        while filled:
            word = (group << SIX) | trailing_zeros(filled)
            filled &= filled - ONE
            todo = touched[word]
            touched[word] = ZERO
            while todo:
                j = (word << SIX) | trailing_zeros(todo)
                todo &= todo - ONE
                out_indices[count] = j
                if not CONSTANT and copies:
                    out_values[count] = sums[j]
                count += ONE
    return count


@kernel
def push_to_few(
    frontier, values, starts, indices, edges, wanted, named, touched, sums,
    out_indices, out_values,
):  # fmt: skip
    """As push_few, to the places of a sorted list alone, which are `named` by bits meanwhile."""
    for w in range(len(wanted)):
        j = np.uint64(wanted[w])
        named[j >> SIX] |= ONE << (j & LOW)
    for f in range(len(frontier)):
        if f + AHEAD < len(frontier):
            prefetch(indices, starts[frontier[f + AHEAD]])
        k = np.uint64(frontier[f])
        for p in range(np.uint64(starts[k]), np.uint64(starts[k + ONE])):
            j = np.uint64(indices[p])
            word = j >> SIX
            bit = ONE << (j & LOW)
            if not named[word] & bit:
                continue
            if not touched[word] & bit:
                touched[word] |= bit
                if not CONSTANT:
                    sums[j] = multiply(edges[p], values[f], k)
            elif not FIRST_COUNTS:
                sums[j] = add(sums[j], multiply(edges[p], values[f], k))
    count = ZERO
    for w in range(len(wanted)):
        j = np.uint64(wanted[w])
        if touched[j >> SIX] & (ONE << (j & LOW)):
            out_indices[count] = j
            if not CONSTANT:
                out_values[count] = sums[j]
            count += ONE
    for w in range(len(wanted)):
        word = np.uint64(wanted[w]) >> SIX
        named[word] = touched[word] = ZERO
    return count


@kernel
def pull(
    header, begin, end, wanted, flip, nonempty, starts, indices, edges, present, values, out_words, out
):  # fmt: skip
    """For each wanted row of words begin to end, look for its first or all entries in the vector.

    Returns how many rows found one, and how many entries were looked at.
    """
    looked, count = ZERO, ZERO
    one_value = is_one_value(edges)
    rows, firsts = room_for_a_word(), room_for_a_word()
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            todo = (wanted[word] ^ flip) & nonempty[word]
            found = ZERO
            # First entries of all the word's rows at once: the loads do not wait for each other.
            waiting = ZERO
            while todo:
                j = (word << SIX) | trailing_zeros(todo)
                todo &= todo - ONE
                rows[waiting] = j
                firsts[waiting] = indices[starts[j]]
                waiting += ONE
            for r in range(waiting):
                j, k = rows[r], firsts[r]
                row, end_of_row = np.uint64(starts[j]), np.uint64(starts[j + ONE])
                p = row
                hit = False
                total, edge = out[j], edges[row]
                while True:
                    if (present[k >> SIX] >> (k & LOW)) & ONE:
                        if not one_value:
                            edge = edges[p]
                        product = multiply(edge, values[k], k)
                        total = add(total, product) if hit else product
                        hit = True
                        if FIRST_HIT or (STOPS and total == TERMINAL):
                            p += ONE
                            break
                    p += ONE
                    if p == end_of_row:
                        break
                    k = np.uint64(indices[p])
                looked += p - row
                if hit:
                    found |= ONE << (j & LOW)
                    if not CONSTANT:
                        out[j] = total
                    count += ONE
            out_words[word] = found
    return count, looked


@kernel
def pull_all(header, begin, end, wanted, flip, nonempty, starts, indices, edges, values, out_words, out):
    """As pull, where the vector has an entry for every one of the rows: there is nothing to test."""
    looked, count = ZERO, ZERO
    one_value = is_one_value(edges)
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            todo = (wanted[word] ^ flip) & nonempty[word]
            out_words[word] = todo
            count += count_ones(todo)
            while todo:
                first = (word << SIX) | trailing_zeros(todo)
                rows = ONE
                if todo == EVERY:  # all at once: a short row takes no longer than finding the next bit
                    rows, todo = ROWS, ZERO
                else:
                    todo &= todo - ONE
                after = np.uint64(starts[first])
                edge = edges[after]
                for j in range(first, first + rows):
                    row, after = after, np.uint64(starts[j + ONE])
                    k = np.uint64(indices[row])
                    if not one_value:
                        edge = edges[row]
                    total = multiply(edge, values[k], k)
                    p = row + ONE
                    if not FIRST_HIT:
                        while p < after and not (STOPS and total == TERMINAL):
                            k = np.uint64(indices[p])
                            if not one_value:
                                edge = edges[p]
                            total = add(total, multiply(edge, values[k], k))
                            p += ONE
                    looked += p - row
                    if not CONSTANT:
                        out[j] = total
    return count, looked


@compiled
def some_bit(words):
    """The lowest bit that is set; there is one."""
    word = ZERO
    while not words[word]:
        word += ONE
    return (word << SIX) | trailing_zeros(words[word])


@kernel
def pull_first(
    header, begin, end, wanted, flip, nonempty, starts, indices, edges, first_columns, more_columns,
    present, values, out_words, out,
):  # fmt: skip
    """As pull, where the first hit counts. A row's first four entries are also kept side by side with
    those of its neighbours, so that most rows are done without going to where they lie.

    No branch depends on a single probe, as these cannot be predicted: rows without a hit get a value
    too, of an entry that the vector has elsewhere. It is not taken, but an operator may raise.
    """
    looked, count = ZERO, ZERO
    rows, nexts = room_for_a_word(), room_for_a_word()
    some, nrows = some_bit(present), np.uint64(len(first_columns))
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            todo = (wanted[word] ^ flip) & nonempty[word]
            found = ZERO
            waiting = ZERO
            looked += count_ones(todo)
            while todo:
                place = trailing_zeros(todo)
                todo &= todo - ONE
                j = (word << SIX) | place
                k = np.uint64(first_columns[j])
                hit = (present[k >> SIX] >> (k & LOW)) & ONE
                k = some + (k - some) * hit
                if not CONSTANT:
                    out[j] = multiply(edges[starts[j]], values[k], k)
                found |= hit << place
                rows[waiting] = j
                waiting += ONE - hit
            if waiting > MANY:
                after = (word + ONE) << SIX
                entries = starts[after if after < nrows else nrows] - starts[word << SIX]
                if entries == count_ones(nonempty[word]):  # one each, as at the end of a graph by degree
                    waiting = ZERO
            left = ZERO
            for r in range(waiting):
                j = rows[r]
                row, end_of_row = np.uint64(starts[j]), np.uint64(starts[j + ONE])
                k1 = np.uint64(more_columns[j, 0])
                k2 = np.uint64(more_columns[j, 1])
                k3 = np.uint64(more_columns[j, 2])
                hit1 = (present[k1 >> SIX] >> (k1 & LOW)) & ONE
                hit2 = (present[k2 >> SIX] >> (k2 & LOW)) & ONE
                hit3 = (present[k3 >> SIX] >> (k3 & LOW)) & ONE
                # The first that hit, in numbers: a choice would be compiled to branches.
                k = k3 + (k2 - k3) * hit2
                k += (k1 - k) * hit1
                p = row + THREE - hit2 - hit1 * (TWO - hit2)
                hit = hit1 | hit2 | hit3
                k = some + (k - some) * hit
                p = p if p < end_of_row else row
                if not CONSTANT:
                    out[j] = multiply(edges[p], values[k], k)
                found |= hit << (j & LOW)
                rows[left] = j
                left += (ONE - hit) & np.uint64(end_of_row - row > FOUR)
            looked += THREE * waiting
            for r in range(left):  # all at once: these loads do not wait for each other
                nexts[r] = indices[np.uint64(starts[rows[r]]) + FOUR]
            for r in range(left):
                j, k = rows[r], nexts[r]
                fifth, end_of_row = np.uint64(starts[j]) + FOUR, np.uint64(starts[j + ONE])
                p = fifth
                while not (present[k >> SIX] >> (k & LOW)) & ONE:
                    p += ONE
                    if p == end_of_row:
                        break
                    k = np.uint64(indices[p])
                looked += p - fifth
                if p < end_of_row:
                    if not CONSTANT:
                        out[j] = multiply(edges[p], values[k], k)
                    found |= ONE << (j & LOW)
                    looked += ONE
            out_words[word] = found
            count += count_ones(found)
    return count, looked
