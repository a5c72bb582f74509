"""Where the searches start: random vertices with an edge to another one, known from the seed alone."""

from collections.abc import Callable

import numpy as np

from anypair.dtypes import Array
from anypair.graph500.kronecker import ROOTS, scramble

BATCH = 1 << 12  # candidates asked about at once


def choose_roots(count: int, scale: int, seed: int, connected: Callable[[Array], Array]) -> list[int]:
    """`count` different roots, or as many as there are.

    All vertices are candidates, in an order that the seed gives; `connected` says of an array of
    them which have an edge to another vertex. So ranks that know a part of the graph each can agree
    on the roots by sharing the answers about a few candidates.

    >>> choose_roots(2, 3, seed=1, connected=lambda vertices: vertices > 5) in ([6, 7], [7, 6])
    True
    """
    found: list[int] = []
    for start in range(0, 1 << scale, BATCH):
        numbers = np.arange(start, min(start + BATCH, 1 << scale))
        candidates = scramble(numbers, scale, seed, stream=ROOTS)
        found += candidates[connected(candidates)].tolist()
        if len(found) >= count:
            break
    return found[:count]
