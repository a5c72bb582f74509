"""Where the messages of a vector product are made, sent and read: on the host, or where the entries are.

The phases of a product are written once, on this; `host_arrays.py` and `device_arrays.py` know the
arrays. Scalars (lengths, counts, kinds) are on the host either way.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, TypeAlias

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.grid import Side
from anypair.backends.wire.group import Group
from anypair.backends.wire.messages import Content, Form
from anypair.dtypes import Array, DType, cast
from anypair.semiring import TypedBinary

STAGES = ("host", "device")
AnyArray: TypeAlias = Any  # an array of the layer: slices and operators serve everywhere
Message: TypeAlias = Any


class ArrayLayer(ABC):
    """The arrays between a local backend and the wire. Places are sorted, each once."""

    local: Backend
    word: ClassVar[int]  # bits of a word of a bitmap
    on_host: bool  # whether its arrays are in memory that any MPI can send

    @abstractmethod
    def scope(self) -> AbstractContextManager[None]:
        """Where all work on such arrays is done."""

    # Vectors of the local backend, as arrays and back

    @abstractmethod
    def peek(self, x: Storage, *, values: bool) -> tuple[AnyArray, AnyArray]:
        """Places, and values, or None if they are not asked for; only to be read."""

    @abstractmethod
    def words(self, x: Storage, size: int) -> AnyArray:
        """A bit for each place, set where there is an entry; only to be read, until x is written to."""

    @abstractmethod
    def vector(self, places: AnyArray, size: int, values: AnyArray | None, filler: Array) -> Storage:
        """A vector of the dtype of `filler`, which is the value of all entries if `values` is None."""

    @abstractmethod
    def vector_of_words(
        self, words: AnyArray, size: int, values: AnyArray | None, filler: Array
    ) -> Storage:
        """The same with the places whose bits are set; never written to, so that words may be shared."""

    @abstractmethod
    def sum_at(self, numbers: Array, x: Storage) -> int:
        """About what the `numbers`, of all places, come to at those of a vector."""

    # Arrays

    @abstractmethod
    def no_words(self, size: int) -> AnyArray:
        """Words for so many places, with no bit set."""

    @abstractmethod
    def listed(self, words: AnyArray, size: int) -> AnyArray:
        """The places whose bits are set."""

    @abstractmethod
    def count_bits(self, words: AnyArray) -> int:
        """How many bits are set."""

    @abstractmethod
    def has_bits(self, words: AnyArray) -> bool:
        """Whether any bit is set."""

    @abstractmethod
    def side_by_side(self, pieces: Sequence[AnyArray], starts: Sequence[int]) -> AnyArray:
        """Words of all pieces, which begin at these places, wherever words begin."""

    @abstractmethod
    def inside(self, words: AnyArray, kept: Array) -> AnyArray:
        """Which of the places `kept` have their bit set, numbered among these."""

    @abstractmethod
    def among(
        self, kept: Array, places: AnyArray, values: AnyArray | None
    ) -> tuple[AnyArray, AnyArray | None]:
        """The places that are kept, numbered among these, and their values."""

    @abstractmethod
    def taken(self, kept: Array, at: AnyArray) -> AnyArray:
        """kept(at)."""

    @abstractmethod
    def cuts(self, places: AnyArray, bounds: Sequence[int]) -> list[int]:
        """How many places lie before each bound."""

    @abstractmethod
    def cast(self, values: AnyArray, dtype: DType) -> AnyArray:
        """The values, as another dtype that holds them."""

    @abstractmethod
    def numbers_as_values(self, op: TypedBinary, places: AnyArray, side: Side) -> AnyArray:
        """What a positional operator that reads nothing else gives for these places of a side."""

    # Messages

    @abstractmethod
    def list_message(
        self,
        places: AnyArray,
        size: int,
        values: AnyArray | None,
        form: Form,
        *,
        fresh: bool = False,
    ) -> Message:
        """A message of places below `size`, with a value for each or none."""

    @abstractmethod
    def bitmap_message(
        self, words: AnyArray, count: int, values: AnyArray | None, *, fresh: bool = False
    ) -> Message:
        """A message of the `count` places whose bits are set."""

    @abstractmethod
    def failure_message(self) -> Message:
        """What a rank sends when it has nothing to send because it failed."""

    @abstractmethod
    def no_message(self) -> Message:
        """What nobody reads."""

    @abstractmethod
    def read(self, message: Message, dtype: DType | None) -> Content:
        """A message taken apart; its values, if it has any, are of `dtype`."""

    @abstractmethod
    def values_of(self, parts: Sequence[Content]) -> AnyArray:
        """The values of all parts, one after the other."""

    @abstractmethod
    def as_list(
        self, parts: Sequence[Content], starts: Sequence[int], size: int, form: Form
    ) -> AnyArray:
        """The places of all parts, which are below `size`, part p moved to starts[p]."""

    @abstractmethod
    def into_words(self, part: Content, words: AnyArray, form: Form) -> None:
        """Set the bits of a part's places in words of its own."""

    # Exchanges

    @abstractmethod
    def allgather(self, group: Group, message: Message) -> list[Message]:
        """The message of every member."""

    @abstractmethod
    def alltoall(self, group: Group, given: Sequence[Message]) -> list[Message]:
        """given[p] goes to member p; what comes back is from each."""

    @abstractmethod
    def shift(
        self, group: Group, message: Message | None, to: int | None, source: int | None
    ) -> Message | None:
        """Send to one member and receive from another, each if there is one."""


def numbers_as_values(op: TypedBinary, numbers: Array) -> Array:
    """What a positional operator that reads nothing else gives for these indices."""
    if op.gives == "source":
        return cast(numbers, op.result)
    found: Array = np.frompyfunc(lambda k: op(0, 0, k), 1, 1)(numbers.astype(object))
    return found.astype(op.result)
