"""Closures in buckets, for products that are never better than the value in them. Given:
multiply(edge, value, k), LEAST, WORST.

Values become better by compare-and-swap, in any order and by any thread: sums select and the multiply is
monotone, so all orders end at the same bits. To work in the order of buckets only saves work: little is
offered that is improved later (delta-stepping of Meyer and Sanders).

A vertex that has become better is listed in its bucket. Lists are chains of chunks: each member of the
team has its own chain for each bucket, the last chunk of it not full. One member leads: it gathers the
chains of the first bucket, opens a round in which all who are there take chunks, closes it and waits
for those who are in it. Nobody waits for a member that has not come.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import count_ones, pause, prefetch
from anypair.compiling.caching import borrowing
from anypair.threads.atomics import atomic_add, atomic_load, atomic_or, atomic_store, compare_and_swap

if TYPE_CHECKING:
    from anypair.compiling.given import LEAST, WORST, compiled, kernel, multiply, parts

ZERO, ONE, SIX, LOW = (np.uint64(x) for x in (0, 1, 6, 63))
RING = 256  # buckets in use at once, besides the one for all that is farther
ROW = RING + 8  # chains of a member, in whole lines of the cache
CHUNK = 64  # vertices
AHEAD = 4  # vertices whose edges are on their way while another one's are looked at
BEFORE = 8  # vertices whose values are, and what says where their edges are
LAST = 2.0**52  # a bucket beyond all others
SHARED_FROM = 256  # vertices of a round that is worth another thread
OWN_CHUNKS = 8  # those that a member has listed in this round, and goes on with by itself
PATIENCE = 1 << 19  # looks for a round before a member leaves

# What stands where in `shared`: each in a line of its own that others write meanwhile.
STATE, NEXT, COUNT, USED, LOST, OVER, NOW, ROUNDS, LOOKED = (np.int64(8 * k) for k in range(9))
IN_ROUND = 1 << 16  # of STATE: below it, who is in the round; above, its number, odd while it is open


@compiled
def is_better(x, y):
    """Whether the sum of both is x, and not y."""
    return x < y if LEAST else x > y


@compiled
def bucket_of(value, base, scale):
    """Never a smaller one for a worse value."""
    far = (np.float64(value) - base) * scale
    if not far > 0.0:
        return np.int64(0)
    return np.int64(far) if far < LAST else np.int64(LAST)


@borrowing
def new_chunk(member, shared, free, nexts):
    """A chunk for a member, -1 if none is left."""
    chunk = free[8 * member]
    if chunk >= 0:
        free[8 * member] = nexts[chunk]
        return chunk
    chunk = atomic_add(shared, USED, 1)
    if chunk < len(nexts):
        return chunk
    atomic_store(shared, LOST, 1)
    return np.int64(-1)


@borrowing
def put(member, vertex, bucket, now, shared, heads, fills, free, items, nexts):
    """List a vertex in its bucket."""
    slot = ROW * member + (bucket & (RING - 1) if bucket - now < RING else RING)
    chunk, fill = heads[slot], fills[slot]
    if chunk < 0 or fill == CHUNK:
        fresh = new_chunk(member, shared, free, nexts)
        if fresh < 0:
            return
        nexts[fresh] = chunk
        heads[slot] = chunk = fresh
        fill = 0
    items[CHUNK * chunk + fill] = vertex
    fills[slot] = fill + 1


@borrowing
def relax(
    member, begin, end, now, is_alone, base, scale, starts, indices, edges, x, seen,
    shared, heads, fills, free, items, nexts,
):  # fmt: skip
    """Offer what listed vertices of this bucket have along their edges; returns how many these are."""
    looked = ZERO
    for f in range(np.uint64(begin), np.uint64(end)):
        if f + np.uint64(BEFORE) < np.uint64(end):
            prefetch(starts, items[f + np.uint64(BEFORE)])
            prefetch(x, items[f + np.uint64(BEFORE)])
        if f + np.uint64(AHEAD) < np.uint64(end):
            coming = starts[items[f + np.uint64(AHEAD)]]
            prefetch(indices, coming)
            prefetch(edges, coming)
        k = np.uint64(items[f])
        here = atomic_load(x, k)
        bucket = bucket_of(here, base, scale)
        if bucket != now:
            if bucket > now:  # it was listed with all that is far
                put(member, k, bucket, now, shared, heads, fills, free, items, nexts)
            continue  # else it has become better since, and is listed there
        first, last = np.uint64(starts[k]), np.uint64(starts[k + ONE])
        looked += last - first
        for p in range(first, last):
            j = np.uint64(indices[p])
            offer = multiply(edges[p], here, k)
            there = atomic_load(x, j)
            if is_better(offer, there):
                if is_alone:
                    x[j] = offer
                else:
                    while not compare_and_swap(x, j, there, offer):
                        there = atomic_load(x, j)
                        if not is_better(offer, there):
                            break
                    if not is_better(offer, there):
                        continue
                to = bucket_of(offer, base, scale)
                put(member, j, to, now, shared, heads, fills, free, items, nexts)
            elif offer == WORST and there == WORST:  # which is what stands where nothing was offered
                word, bit = j >> SIX, ONE << (j & LOW)
                if not seen[word] & bit and not atomic_or(seen, word, bit) & bit:
                    to = bucket_of(offer, base, scale)
                    put(member, j, to, now, shared, heads, fills, free, items, nexts)
    return looked


@borrowing
def take_chunks(
    member, now, is_alone, base, scale, starts, indices, edges, x, seen,
    shared, heads, fills, free, items, nexts, todo, sizes,
):  # fmt: skip
    """Take chunks of a round, then some of those that this has brought into the bucket."""
    looked = ZERO
    count = shared[COUNT]
    slot = ROW * member + (now & (RING - 1))
    own, is_own = 0, False
    while True:
        at = count
        if not is_own:
            at = atomic_add(shared, NEXT, 1)
            is_own = at >= count
        if not is_own:
            chunk, size = todo[at], sizes[at]
        else:
            chunk, size = heads[slot], fills[slot]
            if chunk < 0 or own == OWN_CHUNKS:
                break
            heads[slot], fills[slot] = nexts[chunk], CHUNK
            own += 1
        begin = CHUNK * chunk
        looked += relax(
            member, begin, begin + size, now, is_alone, base, scale, starts, indices, edges, x, seen,
            shared, heads, fills, free, items, nexts,
        )  # fmt: skip
        if is_own:
            nexts[chunk] = free[8 * member]
            free[8 * member] = chunk
    atomic_add(shared, LOOKED, np.int64(looked))


@borrowing
def gather(slot, members, heads, fills, nexts, todo, sizes):
    """Take the chains of all members; returns how many chunks and vertices these have."""
    count, vertices = 0, 0
    for member in range(members):
        chunk, size = heads[ROW * member + slot], fills[ROW * member + slot]
        heads[ROW * member + slot] = -1
        while chunk >= 0:
            todo[count], sizes[count] = chunk, size
            count += 1
            vertices += size
            chunk, size = nexts[chunk], CHUNK
    return count, vertices


@borrowing
def next_bucket(now, members, heads):
    """How far ahead the next bucket is that somebody has listed vertices in; RING if none is."""
    for ahead in range(1, RING):
        for member in range(members):
            if heads[ROW * member + ((now + ahead) & (RING - 1))] >= 0:
                return ahead
    return RING


@borrowing
def nearest(count, now, base, scale, x, items, todo, sizes):
    """The first bucket from `now` on of vertices that were far."""
    best = np.int64(LAST) + 1
    for at in range(count):
        for f in range(CHUNK * todo[at], CHUNK * todo[at] + sizes[at]):
            bucket = bucket_of(atomic_load(x, items[f]), base, scale)
            if now <= bucket < best:
                best = bucket
    return best


@borrowing
def lead(
    members, budget, base, scale, starts, indices, edges, x, seen,
    shared, heads, fills, free, items, nexts, todo, sizes,
):  # fmt: skip
    """Work on bucket after bucket, until none is left or as many edges as allowed were looked at."""
    now = shared[NOW]
    last = atomic_load(shared, LOOKED) + budget
    while not atomic_load(shared, LOST) and atomic_load(shared, LOOKED) < last:
        count, vertices = gather(now & (RING - 1), members, heads, fills, nexts, todo, sizes)
        if not count:
            ahead = next_bucket(now, members, heads)
            if ahead < RING:
                now += ahead
                continue
            count, vertices = gather(np.int64(RING), members, heads, fills, nexts, todo, sizes)
            if not count:
                shared[OVER] = 2
                break
            best = nearest(count, now, base, scale, x, items, todo, sizes)
            now = best if best <= np.int64(LAST) else now
        shared[ROUNDS] += 1
        shared[COUNT], shared[NOW] = count, now
        atomic_store(shared, NEXT, 0)
        is_shared = members > 1 and vertices >= SHARED_FROM
        if is_shared:
            atomic_add(shared, STATE, IN_ROUND)
        take_chunks(
            np.int64(0), now, np.int64(not is_shared), base, scale, starts, indices, edges, x, seen,
            shared, heads, fills, free, items, nexts, todo, sizes,
        )  # fmt: skip
        if is_shared:
            atomic_add(shared, STATE, IN_ROUND)
            while atomic_load(shared, STATE) & (IN_ROUND - 1):
                pause()
        for at in range(count):  # whoever has listed them: one may list and another one take
            chunk, member = todo[at], at % members
            nexts[chunk] = free[8 * member]
            free[8 * member] = chunk
    shared[NOW] = now


@borrowing
def join(
    member, base, scale, starts, indices, edges, x, seen,
    shared, heads, fills, free, items, nexts, todo, sizes,
):  # fmt: skip
    """Take part in rounds until it is over, or there was none for long."""
    last, waited = 0, 0
    while waited < PATIENCE and not atomic_load(shared, OVER):
        state = atomic_load(shared, STATE)
        number = state // IN_ROUND
        if number & 1 and number != last:
            if compare_and_swap(shared, STATE, state, state + 1):
                last, waited = number, 0
                take_chunks(
                    member, shared[NOW], np.int64(0), base, scale, starts, indices, edges, x, seen,
                    shared, heads, fills, free, items, nexts, todo, sizes,
                )  # fmt: skip
                atomic_add(shared, STATE, -1)
        else:
            waited += 1
            pause()


@kernel
def work(
    header, begin, end, members, budget, base, scale, starts, indices, edges, x, seen,
    shared, heads, fills, free, items, nexts, todo, sizes,
):  # fmt: skip
    """Lead as the first of the members, join as another one."""
    for _part, low, high in parts(header, begin, end):
        for member in range(low, high):
            if member == 0:
                lead(
                    members, budget, base, scale, starts, indices, edges, x, seen,
                    shared, heads, fills, free, items, nexts, todo, sizes,
                )  # fmt: skip
                if not shared[OVER]:
                    atomic_store(shared, OVER, 1)
            else:
                join(
                    member, base, scale, starts, indices, edges, x, seen,
                    shared, heads, fills, free, items, nexts, todo, sizes,
                )  # fmt: skip


@kernel
def clear(header, begin, end, x):
    """x is worst from begin to end."""
    for _part, low, high in parts(header, begin, end):
        x[low:high] = WORST


@kernel
def begin_with(places, values, base, scale, x, seen, shared, heads, fills, free, items, nexts):
    """Begin with these entries."""
    for p in range(len(places)):
        j = np.uint64(places[p])
        x[j] = values[p]
        if values[p] == WORST:
            seen[j >> SIX] |= ONE << (j & LOW)
        bucket = bucket_of(values[p], base, scale)
        put(np.int64(0), j, bucket, np.int64(0), shared, heads, fills, free, items, nexts)


@kernel
def mark_reached(header, begin, end, x, words):
    """Set the bits of places that are better than the worst; returns how many bits are set then."""
    count = ZERO
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            first = word << SIX
            bits = words[word]
            for bit in range(min(np.uint64(64), np.uint64(len(x)) - first)):
                bits |= np.uint64(x[first + bit] != WORST) << bit
            words[word] = bits
            count += count_ones(bits)
    return count


@kernel
def some_products(value, stride, edges, out):
    """out[s] = the product of a value and every edge of so many."""
    for s in range(len(out)):
        out[s] = multiply(edges[s * stride], value, 0)
