"""Where the bytes of a message are: what exchanges ask of the host's memory, and of a device's."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np

from anypair.dtypes import Array


class Memory(Protocol):
    """Arrays of bytes, of which MPI alone takes notice: others ask for lengths and slices only."""

    def empty(self, length: int) -> Any:
        """Room for so many bytes."""

    def joined(self, parts: Sequence[Any]) -> Any:
        """The bytes of all parts, side by side."""

    def split(self, whole: Any, lengths: Sequence[int]) -> list[Any]:
        """What came side by side, as parts of these lengths."""

    def ready(self) -> None:
        """Wait for all that still works on these arrays. Called right before MPI gets some of them."""


class HostMemory:
    """NumPy's."""

    def empty(self, length: int) -> Array:
        return np.empty(length, np.uint8)

    def joined(self, parts: Sequence[Array]) -> Array:
        return np.concatenate(parts)

    def split(self, whole: Array, lengths: Sequence[int]) -> list[Array]:
        return [part.copy() for part in slices(whole, lengths)]  # each can be let go by itself

    def ready(self) -> None:
        pass


HOST = HostMemory()


def slices(whole: Any, lengths: Sequence[int]) -> list[Any]:
    """Neighbouring slices of these lengths.

    >>> slices("abcdef", [1, 0, 3])
    ['a', '', 'bcd']
    """
    return [whole[begin:end] for begin, end in pairwise(accumulate(lengths, initial=0))]
