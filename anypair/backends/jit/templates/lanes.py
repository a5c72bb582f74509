"""Sums in eight lanes, by the lowest bits of a place. Given: add(x, y), as_term(x), STOPS, TERMINAL.

`has` says, by a bit each, which lanes have a value yet.
"""

from typing import TYPE_CHECKING

import numpy as np

from anypair.compiling.bits import trailing_zeros

if TYPE_CHECKING:
    from anypair.compiling.given import STOPS, TERMINAL, add, as_term, compiled, kernel

ONE, EIGHT, LAST_OF_EIGHT, ALL_LANES = (np.uint64(x) for x in (1, 8, 7, 255))
AT_ONCE = np.uint64(512)  # terms that are computed before they are added


@compiled
def add_term(lanes, has, place, term):
    """Add one term; returns which lanes have a value now."""
    lane = place & LAST_OF_EIGHT
    bit = ONE << lane
    lanes[lane] = add(lanes[lane], term) if has & bit else term
    return has | bit


@compiled
def add_terms(values, first, count, lanes, has):
    """Add values of places one after the other, the first of which belongs to the first lane."""
    p, last = first, first + count
    while p < last and (has != ALL_LANES or (p - first) & LAST_OF_EIGHT):
        has = add_term(lanes, has, p - first, as_term(values[p]))
        p += ONE
    if p + EIGHT <= last:
        a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
        e, f, g, h = lanes[4], lanes[5], lanes[6], lanes[7]
        while p + EIGHT <= last:
            a = add(a, as_term(values[p]))
            b = add(b, as_term(values[p + np.uint64(1)]))
            c = add(c, as_term(values[p + np.uint64(2)]))
            d = add(d, as_term(values[p + np.uint64(3)]))
            e = add(e, as_term(values[p + np.uint64(4)]))
            f = add(f, as_term(values[p + np.uint64(5)]))
            g = add(g, as_term(values[p + np.uint64(6)]))
            h = add(h, as_term(values[p + np.uint64(7)]))
            p += EIGHT
        lanes[0], lanes[1], lanes[2], lanes[3] = a, b, c, d
        lanes[4], lanes[5], lanes[6], lanes[7] = e, f, g, h
    while p < last:
        has = add_term(lanes, has, p - first, as_term(values[p]))
        p += ONE
    return has


@compiled
def sum_of_lanes(lanes, has):
    """The lanes that have a value, added up in order; one has."""
    first = trailing_zeros(has)
    total = lanes[first]
    for lane in range(first + ONE, EIGHT):
        if has >> lane & ONE:
            total = add(total, lanes[lane])
    return total


@compiled
def is_settled(lanes, has):
    """Whether no further term changes the sum."""
    if STOPS:
        for lane in range(EIGHT):
            if has >> lane & ONE and lanes[lane] == TERMINAL:
                return True
    return False


@kernel
def sum_of_blocks(sums, filled, out):
    """out[0] = the sums of blocks that are filled, added up in order; returns whether one is."""
    some = False
    for block in range(len(sums)):
        if filled[block]:
            out[0] = add(out[0], sums[block]) if some else sums[block]
            some = True
    return some
