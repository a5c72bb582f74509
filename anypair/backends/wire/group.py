"""What the grid needs of a set of ranks: a handful of exchanges of bytes.

`communicator.py` does them with MPI; the tests have a second implementation with threads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

from anypair.backends.wire.memories import Memory
from anypair.backends.wire.traffic import Traffic
from anypair.dtypes import Array


class Group(ABC):
    """Some ranks, of which this process is one. All members make the same calls in the same order."""

    size: int
    rank: int
    traffic: Traffic

    @abstractmethod
    def allgather(self, message: Array) -> list[Array]:
        """The message (uint8) of every member."""

    @abstractmethod
    def alltoall(self, messages: Sequence[Array]) -> list[Array]:
        """messages[p] goes to member p; what comes back is from each."""

    @abstractmethod
    def shift(self, message: Array | None, to: int | None, source: int | None) -> Array | None:
        """Send to one member and receive from another, each if there is one."""

    # The same three, where members know the lengths already: bytes of any memory, which only MPI reads

    @abstractmethod
    def allgather_in(self, memory: Memory, message: Any, lengths: Sequence[int]) -> list[Any]:
        """The message of every member; lengths[p] is that of member p."""

    @abstractmethod
    def alltoall_in(
        self, memory: Memory, messages: Sequence[Any], lengths: Sequence[int], longest: int
    ) -> list[Any]:
        """messages[p] goes to member p, which sends lengths[p] bytes; `longest` is of all members."""

    @abstractmethod
    def shift_in(
        self, memory: Memory, message: Any, to: int | None, source: int | None, length: int
    ) -> Any:
        """Send to one member and receive so many bytes from another, each if there is one."""

    @abstractmethod
    def why_not_on_device(self) -> str | None:
        """Why messages must not be in the memory of a GPU; None if they may, or if nobody knows."""

    @abstractmethod
    def broadcast(self, message: Array | None, root: int) -> Array:
        """The message of the root."""

    @abstractmethod
    def start_sum(self, numbers: Array) -> Callable[[], Array]:
        """Begin to add up int64 numbers over all members; what comes back waits for the sums."""

    @abstractmethod
    def objects(self, value: Any) -> list[Any]:
        """A Python object of every member."""

    @abstractmethod
    def split(self, colour: int, key: int) -> Self:
        """The members with the same colour, in the order of their keys."""

    @abstractmethod
    def place_here(self) -> tuple[int, list[frozenset[int]]]:
        """This member's number among those on its machine, and the cores that each of them may use."""
