"""How many entries a product of matrices has, before memory is asked for it.

Counted no more exactly than it takes to know that they fit, or that they do not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import Array
from anypair.memory import ALWAYS_FITS, available, require


@dataclass(frozen=True)
class RowsOfProduct:
    """What is known of the rows of a product without computing it."""

    products: Array  # how many each row is summed from
    longest: Callable[[], Array]  # how many entries each has at least without a mask: its longest term
    ncols: int
    masked: Array | None = None  # how many places of each row the mask names
    complemented: bool = False

    @property
    def at_most(self) -> int:
        """How many entries the product has at most."""
        most = np.minimum(self.products, self.ncols)
        if self.masked is not None:
            most = np.minimum(most, self.ncols - self.masked if self.complemented else self.masked)
        return int(most.sum())

    @property
    def at_least(self) -> int:
        """How many entries the product has at least."""
        if self.masked is None:
            return int(self.longest().sum())
        return int(np.maximum(self.longest() - self.masked, 0).sum()) if self.complemented else 0


def require_product(
    products: int,
    bytes_each: int,
    besides: int,
    look: Callable[[], RowsOfProduct],
    count: Callable[[int], int],
) -> None:
    """Refuse a sum of so many products, an entry of which takes `bytes_each`, if it does not fit beside
    what the work on it takes.

    `look` finds out about its rows; `count(limit)` counts its entries, and may stop beyond the limit,
    which takes about as long as to compute them.
    """
    if products * bytes_each + besides <= ALWAYS_FITS:
        return
    free, rows = available(), look()
    if rows.at_most * bytes_each + besides <= free:
        return
    entries = rows.at_least
    if entries * bytes_each + besides <= free:
        entries = count(max(0, free - besides) // bytes_each)
    require(entries * bytes_each + besides, f"the product, of at least {entries} entries,")


def longest_terms(starts: Array, lengths: Array) -> Array:
    """The greatest of the lengths of each row, or 0 for a row without any."""
    longest = np.zeros(len(starts) - 1, np.int64)
    filled = starts[1:] > starts[:-1]
    if filled.any():
        longest[filled] = np.maximum.reduceat(lengths, starts[:-1][filled].astype(np.int64))
    return longest
