"""Values by place that several vectors share, each of them with entries at places of its own.

The steps of a search find entries only where what was reached has none. Put there at once, they
need not be copied when they are added to what was reached.
"""

import threading
from typing import TYPE_CHECKING

import numpy as np

from anypair.backends.jit.generation import plain_kernels
from anypair.dtypes import Array

if TYPE_CHECKING:
    from anypair.backends.jit.storage import JitVector

NONE = np.uint64(0)
ALL = np.uint64(2**64 - 1)


class Ground:
    """An array of values, and who may write where.

    `taken` are the places where some vector may have an entry; None while one alone has ever used it.
    """

    __slots__ = ("_busy", "_taken", "values")

    def __init__(self, values: Array) -> None:
        self.values = values
        self._taken: Array | None = None
        self._busy = threading.Lock()

    def enter(self, words: Array) -> bool:
        """Whether a product may write to all places but these from now on, until it leaves."""
        if not self._busy.acquire(blocking=False):
            return False
        if self._taken is not None and plain_kernels("structure").count_bits(words, ALL, self._taken):
            self._busy.release()
            return False
        return True

    def share(self, words: Array, found: Array) -> None:
        """Keep what the product has found, beside the entries at `words`."""
        self._taken = words | found

    def leave(self) -> None:
        """The product is done."""
        self._busy.release()

    def admits(self, added: "JitVector | None") -> bool:
        """Whether a vector may write where `added` has entries, or everywhere; if so, it does."""
        if self._taken is None:
            return True
        if added is None:
            return False
        structure = plain_kernels("structure")
        if added.has_list:
            indices, _ = added.any_list()
            if structure.any_bit(indices, self._taken):
                return False
            structure.mark(indices, self._taken)
        elif structure.count_bits(added.words, NONE, self._taken):
            return False
        else:
            self._taken |= added.words
        return True
