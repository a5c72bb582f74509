"""Numbers of shortest paths to vertices at one distance, scaled where they would overflow."""

import math

from anypair import Matrix, apply, reduce
from anypair.errors import ResultOverflow
from anypair.semiring import max_monoid, min_monoid, times

#: Counts stay below the first, by powers of two that leave the largest near the second, and not below
#: the third: then neither sums of them nor sums of their reciprocals overflow.
MOST, MIDDLE, LEAST = 2.0**900, 2.0**500, 2.0**-960


def scaled(counts: Matrix, most: float) -> tuple[Matrix, float, float]:
    """Counts, none of which is above `most`, times a power of two; this; and what none is above then."""
    if most <= MOST:
        return counts, 1.0, most
    most = reduce(counts, max_monoid)
    if most <= MIDDLE:
        return counts, 1.0, most
    scale = 2.0 ** -math.floor(math.log2(most / MIDDLE))
    counts = apply(counts, times, right=scale)
    if reduce(counts, min_monoid) < LEAST:
        raise ResultOverflow(
            "betweenness: of vertices at one distance, some have a few shortest paths from a source, "
            "others more than float64 counts beside them"
        )
    return counts, scale, most * scale
