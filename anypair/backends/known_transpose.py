"""A matrix that remembers its transpose, and is gone when nobody refers to it any more.

Two that referred to each other, or a symmetric one to itself, would keep their arrays until the garbage
collector comes by: memory of many matrices is then in use at once, and new memory is slow to begin with.
"""

from typing import Self
from weakref import ref


class KnownTranspose:
    """What remembers `transposed`: the transpose, itself if it is symmetric, None if it is not made."""

    #: A matrix holds the transpose that was made of it; that one only refers back.
    _transposed: "Self | ref[Self] | None" = None
    _symmetric = False

    @property
    def transposed(self) -> Self | None:
        if self._symmetric:
            return self
        other = self._transposed
        return other() if isinstance(other, ref) else other

    def set_transposed(self, other: Self) -> None:
        """Remember the transpose, for both; a symmetric matrix is its own."""
        self._symmetric = other is self
        if other is self:
            self._transposed = None
        else:
            self._transposed, other._transposed = other, ref(self)

    def share_transposed(self, equal: Self) -> None:
        """Have the transpose, if one is made, of a matrix that has the same entries."""
        self._symmetric, self._transposed = equal._symmetric, None
        if not equal._symmetric:
            self._transposed = equal.transposed

    def forget_transposed(self) -> None:
        """Have other values than the transpose."""
        self._symmetric, self._transposed = False, None
