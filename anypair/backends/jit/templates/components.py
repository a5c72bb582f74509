"""Sums over components, for graphs that have the reverse of each edge. Given: LEAST, WORST.

Vertices point to a parent in a forest, which has a smaller number; compare-and-swap hooks the larger of
two roots onto the smaller one, so that in the end each component hangs on its smallest vertex, whatever
the order. Two edges of each vertex join most of the largest component; after that its edges need not
be looked at, since they are met from the other end (Afforest of Sutton, Ben-Nun and Barak).
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import count_ones
from anypair.threads.atomics import atomic_load, atomic_or, compare_and_swap

if TYPE_CHECKING:
    from anypair.compiling.given import LEAST, WORST, compiled, kernel, parts

ZERO, ONE, TWO, SIX, LOW = (np.uint64(x) for x in (0, 1, 2, 6, 63))


@compiled
def hook(parents, u, v):
    """Have two vertices in one tree."""
    a, b = atomic_load(parents, u), atomic_load(parents, v)
    while a != b:
        high, low = np.uint64(max(a, b)), np.uint64(min(a, b))
        above = np.uint64(atomic_load(parents, high))
        if above == low or (above == high and compare_and_swap(parents, high, high, low)):
            return
        a, b = atomic_load(parents, np.uint64(atomic_load(parents, high))), atomic_load(parents, low)


@compiled
def shorten(parents, v):
    """Have a vertex point to its root."""
    parent = np.uint64(atomic_load(parents, v))
    while True:
        above = np.uint64(atomic_load(parents, parent))
        if above == parent:
            break
        parents[v] = parent = above


@kernel
def hook_first(header, begin, end, starts, indices, parents):
    """The parent of each vertex is its smallest neighbour, or itself: no cycles arise."""
    for _part, low, high in parts(header, begin, end):
        for v in range(np.uint64(low), np.uint64(high)):
            first = np.uint64(starts[v])
            parent = v
            if first < starts[v + ONE]:
                parent = min(v, np.uint64(indices[first]))
            parents[v] = parent


@kernel
def hook_second(header, begin, end, starts, indices, parents):
    """Hook along the second edge of each vertex, and the first if that leads to a larger one."""
    for _part, low, high in parts(header, begin, end):
        for v in range(np.uint64(low), np.uint64(high)):
            first, last = np.uint64(starts[v]), np.uint64(starts[v + ONE])
            if first < last and indices[first] > v:
                hook(parents, v, np.uint64(indices[first]))
            if first + ONE < last:
                hook(parents, v, np.uint64(indices[first + ONE]))


@kernel
def shorten_all(header, begin, end, parents):
    """Have all vertices point to their roots, where nobody hooks."""
    for _part, low, high in parts(header, begin, end):
        for v in range(np.uint64(low), np.uint64(high)):
            shorten(parents, v)


@kernel
def hook_rest(header, begin, end, giant, starts, indices, parents):
    """Hook along the other edges of vertices outside of one tree; returns how many these are."""
    looked = ZERO
    for _part, low, high in parts(header, begin, end):
        for v in range(np.uint64(low), np.uint64(high)):
            if atomic_load(parents, v) != giant:
                for p in range(np.uint64(starts[v]) + TWO, np.uint64(starts[v + ONE])):
                    hook(parents, v, np.uint64(indices[p]))
                    looked += ONE
    return looked


@kernel
def clear(header, begin, end, x):
    """x is worst from begin to end."""
    for _part, low, high in parts(header, begin, end):
        x[low:high] = WORST


@kernel
def fold(header, begin, end, places, values, parents, x, seen):
    """Sum values up at the roots, and set their bits."""
    for _part, low, high in parts(header, begin, end):
        for p in range(np.uint64(low), np.uint64(high)):
            root, value = np.uint64(parents[np.uint64(places[p])]), values[p]
            word, bit = root >> SIX, ONE << (root & LOW)
            if not atomic_load(seen, word) & bit:
                atomic_or(seen, word, bit)
            there = atomic_load(x, root)
            while value < there if LEAST else value > there:
                if compare_and_swap(x, root, there, value):
                    break
                there = atomic_load(x, root)


@kernel
def spread(header, begin, end, parents, x, seen, words):
    """Give all vertices what their roots have, by words; returns how many have something."""
    count = ZERO
    for _part, low, high in parts(header, begin, end):
        for word in range(np.uint64(low), np.uint64(high)):
            first = word << SIX
            bits = ZERO
            for bit in range(min(np.uint64(64), np.uint64(len(x)) - first)):
                v = first + bit
                root = np.uint64(parents[v])
                if (seen[root >> SIX] >> (root & LOW)) & ONE:
                    bits |= ONE << bit
                    if root != v:
                        x[v] = x[root]
            words[word] = bits
            count += count_ones(bits)
    return count
