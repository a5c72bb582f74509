"""Messages on the host, for every local backend: it hands out what it has as NumPy arrays."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.grid import Side
from anypair.backends.wire import messages
from anypair.backends.wire.array_layer import ArrayLayer, numbers_as_values
from anypair.backends.wire.group import Group
from anypair.backends.wire.messages import Content, Form
from anypair.dtypes import Array, DType, index_dtype
from anypair.semiring import TypedBinary

SAMPLED = 1024  # entries of a vector that stand for all
NOTHING = np.empty(0, np.uint8)
ANYWHERE = nullcontext()


class HostArrays(ArrayLayer):
    """NumPy arrays; a bitmap has words of 64 bits."""

    word = 64
    on_host = True

    def __init__(self, local: Backend) -> None:
        self.local = local

    def scope(self) -> AbstractContextManager[None]:
        return ANYWHERE

    def peek(self, x: Storage, *, values: bool) -> tuple[Array, Array | None]:
        places, found = self.local.peek(x)
        return places, found if values else None

    def words(self, x: Storage, size: int) -> Array:
        return self.local.words(x, size)

    def vector(self, places: Array, size: int, values: Array | None, filler: Array) -> Storage:
        if values is None:
            values = np.broadcast_to(filler[0], len(places))
        return self.local.build((places,), values, (size,), None)

    def vector_of_words(self, words: Array, size: int, values: Array | None, filler: Array) -> Storage:
        return self.local.build_from_words(words, filler if values is None else values, size)

    def sum_at(self, numbers: Array, x: Storage) -> int:
        places = self.local.peek(x)[0]
        step = len(places) // SAMPLED + 1
        return int(numbers[places[::step]].sum()) * step

    # Arrays

    def no_words(self, size: int) -> Array:
        return np.zeros(-(-size // 64), np.uint64)

    def listed(self, words: Array, size: int) -> Array:
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), count=size, bitorder="little"))

    def count_bits(self, words: Array) -> int:
        return int(np.bitwise_count(words).sum())

    def has_bits(self, words: Array) -> bool:
        return bool(words.any())

    def side_by_side(self, pieces: Sequence[Array], starts: Sequence[int]) -> Array:
        bits = [
            np.unpackbits(piece.view(np.uint8), count=int(n), bitorder="little")
            for piece, n in zip(pieces, np.diff(starts), strict=True)
        ]
        words = self.no_words(starts[-1])
        packed = np.packbits(np.concatenate(bits), bitorder="little")
        words.view(np.uint8)[: len(packed)] = packed
        return words

    def inside(self, words: Array, kept: Array) -> Array:
        bits = (words[kept >> 6] >> (kept & 63).astype(np.uint64)) & np.uint64(1)
        return np.flatnonzero(bits)

    def among(self, kept: Array, places: Array, values: Array | None) -> tuple[Array, Array | None]:
        at = np.searchsorted(kept, places)
        found = at < len(kept)
        found[found] = kept[at[found]] == places[found]
        return at[found], None if values is None else values[found]

    def taken(self, kept: Array, at: Array) -> Array:
        return kept[at]

    def cuts(self, places: Array, bounds: Sequence[int]) -> list[int]:
        found: list[int] = places.searchsorted(bounds).tolist()
        return found

    def cast(self, values: Array, dtype: DType) -> Array:
        return values.astype(dtype, copy=False)

    def numbers_as_values(self, op: TypedBinary, places: Array, side: Side) -> Array:
        return numbers_as_values(op, side.to_global(places.astype(np.int64)))

    # Messages

    list_message = staticmethod(messages.list_message)
    bitmap_message = staticmethod(messages.bitmap_message)
    failure_message = staticmethod(messages.failure_message)
    read = staticmethod(messages.read)
    into_words = staticmethod(messages.into_words)

    def no_message(self) -> Array:
        return NOTHING

    def values_of(self, parts: Sequence[Content]) -> Array:
        return np.concatenate([part.values for part in parts])

    def as_list(self, parts: Sequence[Content], starts: Sequence[int], size: int, form: Form) -> Array:
        return messages.as_list(parts, starts, form, index_dtype(size))

    # Exchanges

    def allgather(self, group: Group, message: Array) -> list[Array]:
        return group.allgather(message)

    def alltoall(self, group: Group, given: Sequence[Array]) -> list[Array]:
        return group.alltoall(given)

    def shift(
        self, group: Group, message: Array | None, to: int | None, source: int | None
    ) -> Array | None:
        return group.shift(message, to, source)
