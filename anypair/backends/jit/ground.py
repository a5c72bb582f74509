"""Values by place where a vector has guests: others, with entries at places that it has free.

The steps of a search find entries only where what was reached has none. Put there at once, they
need not be copied when they are added to what was reached.
"""

import threading
from typing import TYPE_CHECKING

import numpy as np

from anypair.backends.jit.kernels import plain_kernels
from anypair.dtypes import Array, DType

if TYPE_CHECKING:
    from anypair.backends.jit.storage import JitVector

NONE = np.uint64(0)
ALL = np.uint64(2**64 - 1)


class Ground:
    """The values of one vector, its owner, and who else may write where.

    A guest has entries where the owner had none when it came; `outside` says how many of those places
    the owner still has none at. Guests may be gone by now: nobody says so. They are welcome once the
    owner was seen to take in what was found beside it, and no more if it had to move away from them.
    """

    __slots__ = ("_busy", "_had_guests", "_moved", "_outside", "_welcoming", "sign", "values")

    def __init__(self, values: Array | None = None, *, moved: bool = False) -> None:
        self.values = values
        self.sign = object()  # by which it is known again, without being kept alive
        self._outside = 0
        self._had_guests = False
        self._welcoming = False
        self._moved = moved
        self._busy = threading.Lock()

    def welcome(self) -> None:
        """The owner takes in what is found beside it."""
        self._welcoming = not self._moved

    def enter(self, dtype: DType) -> Array | None:
        """The values, if a product may write such to all free places from now on, until it leaves."""
        if not self._welcoming or self.values is None or self.values.dtype != dtype:
            return None
        if not self._busy.acquire(blocking=False):
            return None
        if self._outside:
            self._busy.release()
            return None
        return self.values

    def leave(self, guests: int) -> None:
        """The product is done, and has found so many entries that stay."""
        self._had_guests = self._had_guests or guests > 0
        self._outside = guests
        self._busy.release()

    def took_in(self, count: int) -> None:
        """The owner has so many of its guests' entries for its own now."""
        self._outside -= count

    def admits(self, words: Array, added: "JitVector | None") -> bool:
        """Whether the owner, with entries at `words`, may write where `added` has, or everywhere."""
        if not self._had_guests:
            return True
        if self._outside or added is None:
            return False
        structure = plain_kernels("structure")
        if added.has_list:
            return not structure.any_bit(added.any_indices(), words)
        return not structure.count_bits(added.words, NONE, words)
