"""Values by place that one vector owns and products may borrow.

The steps of a search find entries only where what was reached has none. A product under the complement
of a vector's structure leases that vector's buffer and writes between its values, so that `merge` has
nothing to copy. Whatever else would show in both copies first.
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


class DenseBuffer:
    """The values of one vector, its owner, and who else has values between them.

    A borrower has entries where the owner had none when the lease began; `_outside` says how many of
    those places the owner still has none at. A borrower may be gone by now: nobody says so. One at a
    time, and none any more where the owner had to copy: it does not merge what is found beside it.
    """

    __slots__ = ("_busy", "_leasable", "_outside", "_was_leased", "values")

    def __init__(self, values: Array, *, leasable: bool = True) -> None:
        self.values = values
        self._leasable = leasable
        self._outside = 0
        self._was_leased = False
        self._busy = threading.Lock()

    def lease(self, dtype: DType) -> Array | None:
        """The values, if a product may write such to all free places from now on, until `end_lease`."""
        if not self._leasable or self.values.dtype != dtype or not self._busy.acquire(blocking=False):
            return None
        if self._outside:
            self._busy.release()
            return None
        return self.values

    def end_lease(self, kept: int) -> None:
        """The product is done, and so many of its results stay here."""
        self._was_leased = self._was_leased or kept > 0
        self._outside = kept
        self._busy.release()

    def merged(self, count: int) -> None:
        """The owner has so many of the borrower's entries for its own now."""
        self._outside -= count

    def may_write(self, words: Array, added: "JitVector | None") -> bool:
        """Whether the owner, with entries at `words`, may write where `added` has, or everywhere."""
        if not self._was_leased:
            return True
        if self._outside or added is None:
            return False
        structure = plain_kernels("structure")
        if added.has_indices:
            return not structure.any_bit(added.indices, words)
        return not structure.count_bits(added.words, NONE, words)
