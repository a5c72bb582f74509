"""Cases of several factors: a covering array, in which each two values of two factors meet in some case.

Faults depend on one factor or on two far more often than on three, so a covering array finds nearly what
the whole product finds, in the time of its two longest factors; with `strength=3` each three values meet.
`ANYPAIR_TEST_FULL=1` takes the product.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

FULL = os.environ.get("ANYPAIR_TEST_FULL", "") not in ("", "0")

#: Values that meet: the numbers of factors, each with the number of its value.
Meeting = tuple[tuple[int, int], ...]


def cases(*factors: Sequence[Any], strength: int = 2) -> list[tuple[Any, ...]]:
    """A covering array of the factors, or all their combinations in a full run."""
    return list(product(*factors)) if FULL else covering_array(*factors, strength=strength)


def covering_array(*factors: Sequence[Any], strength: int = 2) -> list[tuple[Any, ...]]:
    """Combinations in which each so many values of as many factors meet; the same ones each time.

    >>> covering_array("ab", (1, 2), "xy")
    [('a', 1, 'x'), ('a', 2, 'y'), ('b', 1, 'y'), ('b', 2, 'x')]
    """
    counts = [len(factor) for factor in factors]
    strength = min(strength, len(counts))
    missing = set(_meetings(counts, strength)) if all(counts) else set()
    rows = []
    while missing:
        row = _completed(dict(min(missing)), counts, missing, strength)
        missing -= set(combinations(enumerate(row), strength))
        rows.append(tuple(factor[k] for factor, k in zip(factors, row, strict=True)))
    return rows


def _meetings(counts: Sequence[int], strength: int) -> Iterator[Meeting]:
    for chosen in combinations(range(len(counts)), strength):
        for values in product(*(range(counts[factor]) for factor in chosen)):
            yield tuple(zip(chosen, values, strict=True))


def _completed(
    row: dict[int, int], counts: Sequence[int], missing: set[Meeting], strength: int
) -> list[int]:
    """With each further factor at the value of most meetings that are missing, the widest first."""

    def gained(choice: tuple[int, int]) -> int:
        others = combinations(row.items(), strength - 1)
        return sum(tuple(sorted((*other, choice))) in missing for other in others)

    for factor in sorted(set(range(len(counts))) - row.keys(), key=lambda factor: -counts[factor]):
        row[factor] = max(((factor, value) for value in range(counts[factor])), key=gained)[1]
    return [row[factor] for factor in range(len(counts))]
