"""Cases of several factors: a covering array, in which each two values of two factors meet in some case.

Faults depend on one factor or on two far more often than on three, so a covering array finds nearly what
the whole product finds, in the time of its two longest factors. `ANYPAIR_TEST_FULL=1` takes the product.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

FULL = os.environ.get("ANYPAIR_TEST_FULL", "") not in ("", "0")

#: Two values of two factors: the numbers of the factors, and of the values in them.
Pair = tuple[tuple[int, int], tuple[int, int]]


def cases(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """A covering array of the factors, or all their combinations in a full run."""
    return list(product(*factors)) if FULL else pairwise(*factors)


def pairwise(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Combinations in which each two values of two factors meet; the same ones each time.

    >>> pairwise("ab", (1, 2), "xy")
    [('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'y'), ('b', 2, 'x')]
    """
    if len(factors) == 1:
        return [(value,) for value in factors[0]]
    counts = [len(factor) for factor in factors]
    missing = set(_pairs(counts)) if all(counts) else set()
    rows = []
    while missing:
        row = _completed(dict(min(missing)), counts, missing)
        missing -= set(combinations(enumerate(row), 2))
        rows.append(tuple(factor[k] for factor, k in zip(factors, row, strict=True)))
    return rows


def _pairs(counts: Sequence[int]) -> Iterator[Pair]:
    for i, j in combinations(range(len(counts)), 2):
        yield from (((i, a), (j, b)) for a, b in product(range(counts[i]), range(counts[j])))


def _completed(row: dict[int, int], counts: Sequence[int], missing: set[Pair]) -> list[int]:
    """With each further factor at the value that makes most pairs that are missing, the widest first."""

    def gained(choice: tuple[int, int]) -> int:
        return sum(tuple(sorted((other, choice))) in missing for other in row.items())

    for factor in sorted(set(range(len(counts))) - row.keys(), key=lambda factor: -counts[factor]):
        row[factor] = max(((factor, value) for value in range(counts[factor])), key=gained)[1]
    return [row[factor] for factor in range(len(counts))]
