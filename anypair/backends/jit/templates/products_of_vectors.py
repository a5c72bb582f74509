"""Vector-matrix products. Given: multiply(edge, value, k), add(x, y), ANY, FIRST_HIT, STOPS, TERMINAL.

Rows are sorted and so is the frontier where it matters, so every sum is a left fold in the order of
k: the same in push and in pull, with any number of threads. FIRST_HIT: the first term is the sum.
"""

import numpy as np

from anypair.backends.jit.bits import count_ones, prefetch, trailing_zeros

MANY = 8  # rows of a word, from which it pays to find out whether all are short
AHEAD = 8  # rows whose memory is on its way while another one is pushed


@compiled
def part_of_row(low, high, size, indices, begin, end):
    """Where the entries from low to high begin and end in a sorted row."""
    first, last = np.int64(begin), np.int64(end)
    if low > 0:
        first = lower_bound(low, indices, first, last)
    if high < size:
        last = lower_bound(high, indices, first, last)
    return np.uint64(first), np.uint64(last)


@kernel
def push_first(low, high, frontier, values, starts, indices, edges, closed, sums, size):
    """As push, where the first value counts: `closed` are the places that are blocked or have theirs."""
    one = np.uint64(1)
    for f in range(len(frontier)):
        if f + AHEAD < len(frontier):
            prefetch(indices, starts[frontier[f + AHEAD]])
        k = np.uint64(frontier[f])
        begin, end = part_of_row(low, high, size, indices, starts[k], starts[k + one])
        for p in range(begin, end):
            j = indices[p]
            word = closed[j >> 6]
            bit = one << np.uint64(j & 63)
            if not word & bit:
                closed[j >> 6] = word | bit
                sums[j] = multiply(edges[p], values[f], k)


@kernel
def push_to_all(low, high, frontier, values, starts, indices, edges, flags, sums, size):
    """As push, to blocked places too: no branch depends on a place, as these cannot be predicted.

    The first value at a place is added to what stands there, some other product, and that sum is not
    taken. Flags are bytes, since a bit would have to wait for the one before it in the same word.
    """
    one = np.uint64(1)
    for f in range(len(frontier)):
        k = np.uint64(frontier[f])
        if starts[k] < starts[k + one]:
            sums[low:high] = multiply(edges[starts[k]], values[f], k)
            break
    for f in range(len(frontier)):
        if f + AHEAD < len(frontier):
            prefetch(indices, starts[frontier[f + AHEAD]])
        k = np.uint64(frontier[f])
        begin, end = part_of_row(low, high, size, indices, starts[k], starts[k + one])
        for p in range(begin, end):
            j = indices[p]
            product = multiply(edges[p], values[f], k)
            total = add(sums[j], product)
            sums[j] = total if flags[j] else product
            flags[j] = 1


@kernel
def push(
    low, high, frontier, values, ordered, starts, indices, edges, blocked, flip,
    touched, sums, reached, size,
):  # fmt: skip
    """Send each value along its edges to the places from low to high that are not blocked.

    What is reached is listed from reached[low] on; returns how many places that are.
    """
    one = np.uint64(1)
    first_counts = ANY or (FIRST_HIT and ordered)
    count = low
    for f in range(len(frontier)):
        if f + AHEAD < len(frontier):
            prefetch(indices, starts[frontier[f + AHEAD]])
        k = np.uint64(frontier[f])
        begin, end = part_of_row(low, high, size, indices, starts[k], starts[k + one])
        for p in range(begin, end):
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
    return count - low


@kernel
def pull(
    begin, end, wanted, flip, nonempty, starts, indices, edges, present, values, out_words, out
):  # fmt: skip
    """For each wanted row of words begin to end, look for its first or all entries in the vector.

    Returns how many rows found one, and how many entries were looked at.
    """
    one, six, low = np.uint64(1), np.uint64(6), np.uint64(63)
    looked, count = np.int64(0), np.int64(0)
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
            k = np.uint64(firsts[r])
            hit = False
            total = out[j]
            while True:
                if (present[k >> six] >> (k & low)) & one:
                    product = multiply(edges[p], values[k], k)
                    total = add(total, product) if hit else product
                    hit = True
                    if FIRST_HIT or (STOPS and total == TERMINAL):
                        break
                p += 1
                if p == last:
                    break
                k = np.uint64(indices[p])
            looked += p - np.int64(starts[j]) + (p < last)
            if hit:
                found |= one << np.uint64(j & 63)
                out[j] = total
                count += 1
        out_words[word] = found
    return count, looked


@compiled
def some_bit(words):
    """The lowest bit that is set; there is one."""
    word = 0
    while not words[word]:
        word += 1
    return np.uint64(word << 6) + trailing_zeros(words[word])


@kernel
def pull_first(
    begin, end, wanted, flip, nonempty, starts, indices, edges, heads, more_heads, present, values,
    out_words, out,
):  # fmt: skip
    """As pull, where the first hit counts. A row's first four entries are also kept side by side with
    those of its neighbours, so that most rows are done without going to where they lie.

    No branch depends on a single probe, as these cannot be predicted: rows without a hit get a value
    too, of an entry that the vector has elsewhere. It is not taken, but an operator may raise.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    six, low = np.uint64(6), np.uint64(63)
    looked, count = np.int64(0), np.int64(0)
    rows, nexts = np.empty(64, np.int64), np.empty(64, indices.dtype)
    some = some_bit(present)
    for word in range(begin, end):
        todo = (wanted[word] ^ flip) & nonempty[word]
        found = np.uint64(0)
        waiting = 0
        looked += np.int64(count_ones(todo))
        while todo:
            place = trailing_zeros(todo)
            todo &= todo - one
            j = (word << 6) + np.int64(place)
            k = np.uint64(heads[j])
            hit = (present[k >> six] >> (k & low)) & one
            k = some + (k - some) * hit
            out[j] = multiply(edges[starts[j]], values[k], k)
            found |= hit << place
            rows[waiting] = j
            waiting += np.int64(one - hit)
        if waiting > MANY:
            first = np.int64(word) << 6
            entries = starts[min(first + 64, len(heads))] - starts[first]
            if entries == count_ones(nonempty[word]):  # one each, as at the end of a graph by degree
                waiting = 0
        left = 0
        for r in range(waiting):
            j = rows[r]
            row, last = np.int64(starts[j]), np.int64(starts[j + 1]) - 1
            k1 = np.uint64(more_heads[j, 0])
            k2 = np.uint64(more_heads[j, 1])
            k3 = np.uint64(more_heads[j, 2])
            hit1 = (present[k1 >> six] >> (k1 & low)) & one
            hit2 = (present[k2 >> six] >> (k2 & low)) & one
            hit3 = (present[k3 >> six] >> (k3 & low)) & one
            # The first that hit, in numbers: a choice would be compiled to branches.
            k = k3 + (k2 - k3) * hit2
            k += (k1 - k) * hit1
            p = row + np.int64(three - hit2 - hit1 * (two - hit2))
            hit = hit1 | hit2 | hit3
            k = some + (k - some) * hit
            out[j] = multiply(edges[min(p, last)], values[k], k)
            found |= hit << np.uint64(j & 63)
            rows[left] = j
            left += np.int64((one - hit) & np.uint64(last - row >= 4))
        looked += 3 * waiting
        for r in range(left):  # all at once: these loads do not wait for each other
            nexts[r] = indices[np.int64(starts[rows[r]]) + 4]
        for r in range(left):
            j = rows[r]
            row, end_of_row = np.int64(starts[j]), np.int64(starts[j + 1])
            p, k = row + 4, np.uint64(nexts[r])
            while not (present[k >> six] >> (k & low)) & one:
                p += 1
                if p == end_of_row:
                    break
                k = np.uint64(indices[p])
            looked += p - row - 4
            if p < end_of_row:
                out[j] = multiply(edges[p], values[k], k)
                found |= one << np.uint64(j & 63)
                looked += 1
        out_words[word] = found
        count += np.int64(count_ones(found))
    return count, looked
