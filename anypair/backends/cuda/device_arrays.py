"""Messages where the entries are: arrays of the GPU, which MPI reads and writes by itself."""

import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager

from anypair.backends.base import Backend, Storage
from anypair.backends.cuda import device_messages as messages
from anypair.backends.cuda.arrays import WORD, Arrays, DeviceArray, index_dtype, nwords
from anypair.backends.cuda.codec import BYTE
from anypair.backends.cuda.device_messages import DeviceMemory, DeviceMessage
from anypair.backends.cuda.storage import CudaVector
from anypair.backends.grid import Side
from anypair.backends.wire.array_layer import ArrayLayer, numbers_as_values
from anypair.backends.wire.group import Group
from anypair.backends.wire.messages import Content, Form
from anypair.dtypes import BOOL, INT64, Array, DType
from anypair.semiring import TypedBinary


class Copies:
    """Copies on the device of arrays that never change, for as long as the arrays themselves live."""

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self._made: dict[int, DeviceArray] = {}

    def of(self, host: Array) -> DeviceArray:
        """The copy, made once."""
        key = id(host)
        if key not in self._made:
            self._made[key] = self.arrays.to_device(host, INT64)
            weakref.finalize(host, self._made.pop, key, None).atexit = False
        return self._made[key]


class DeviceArrays(ArrayLayer):
    """Arrays of the device; a bitmap has words of 32 bits. Scalars alone come to the host."""

    word = 32

    def __init__(self, local: Backend, arrays: Arrays) -> None:
        self.local = local
        self.device = arrays.device
        self.on_host = self.device.on_host
        self.arrays = arrays
        self.memory = DeviceMemory(self.arrays)
        self.copies = Copies(self.arrays)
        self.nothing = DeviceMessage(0, self.arrays.empty(0, BYTE))

    def scope(self) -> AbstractContextManager[None]:
        return self.device.scope()

    def peek(self, x: CudaVector, *, values: bool) -> tuple[DeviceArray, DeviceArray | None]:
        places, found = x.sorted_list()
        return places, self.arrays.spread(found, x.nvals) if values else None

    def words(self, x: CudaVector, size: int) -> DeviceArray:
        return x.words

    def vector(
        self, places: DeviceArray, size: int, values: DeviceArray | None, filler: Array
    ) -> Storage:
        given = self.arrays.to_device(filler) if values is None else values
        listed = (self.cast(places, index_dtype(size)), given)
        return CudaVector(self.arrays, size, filler.dtype, listed)

    def vector_of_words(
        self, words: DeviceArray, size: int, values: DeviceArray | None, filler: Array
    ) -> Storage:
        if values is None:
            given, count = self.arrays.to_device(filler), self.arrays.count_bits(words)
            return CudaVector(
                self.arrays, size, filler.dtype, None, words=words, dense=given, nvals=count
            )
        places = self.arrays.listed(words, index_dtype(size))
        return CudaVector(self.arrays, size, filler.dtype, (places, values), words=words)

    def sum_at(self, numbers: Array, x: CudaVector) -> int:
        return self.arrays.total(self.arrays.take(self.copies.of(numbers), x.any_list()[0]))

    # Arrays

    def no_words(self, size: int) -> DeviceArray:
        return self.arrays.zeros(nwords(size), WORD)

    def listed(self, words: DeviceArray, size: int) -> DeviceArray:
        return self.arrays.listed(words, index_dtype(size))

    def count_bits(self, words: DeviceArray) -> int:
        return self.arrays.count_bits(words)

    def has_bits(self, words: DeviceArray) -> bool:
        return bool(self.arrays.xp.any(words))

    def side_by_side(self, pieces: Sequence[DeviceArray], starts: Sequence[int]) -> DeviceArray:
        places = [
            self.arrays.listed(piece, INT64) + start
            for piece, start in zip(pieces, starts, strict=False)
        ]
        return self.arrays.bitmap(starts[-1], self.arrays.concatenate(places))

    def inside(self, words: DeviceArray, kept: Array) -> DeviceArray:
        places = self.copies.of(kept)
        flags = self.arrays.empty(places.shape[0], BOOL)
        self.arrays.run(self.arrays.structure.test_bits, places.shape[0], places, words, False, flags)
        return self.arrays.places_where(flags)

    def among(
        self, kept: Array, places: DeviceArray, values: DeviceArray | None
    ) -> tuple[DeviceArray, DeviceArray | None]:
        at, found = self.arrays.find(self.copies.of(kept), self.cast(places, INT64))
        chosen = self.arrays.places_where(found)
        return self.arrays.take(at, chosen), None if values is None else self.arrays.take(values, chosen)

    def taken(self, kept: Array, at: DeviceArray) -> DeviceArray:
        return self.arrays.take(self.copies.of(kept), at)

    def cuts(self, places: DeviceArray, bounds: Sequence[int]) -> list[int]:
        return self.arrays.before_bounds(places, bounds)

    def cast(self, values: DeviceArray, dtype: DType) -> DeviceArray:
        same = values.dtype == self.device.dtype(dtype)
        return values if same else self.arrays.as_type(values, dtype)

    def numbers_as_values(self, op: TypedBinary, places: DeviceArray, side: Side) -> DeviceArray:
        """By way of the host: the operator is a Python function, and few semirings need this."""
        numbers = side.to_global(self.arrays.to_host(self.cast(places, INT64)))
        return self.arrays.to_device(numbers_as_values(op, numbers))

    # Messages

    def list_message(
        self,
        places: DeviceArray,
        size: int,
        values: DeviceArray | None,
        form: Form,
        *,
        fresh: bool = False,
    ) -> DeviceMessage:
        return messages.list_message(self.arrays, places, size, values, form, fresh=fresh)

    def bitmap_message(
        self, words: DeviceArray, count: int, values: DeviceArray | None, *, fresh: bool = False
    ) -> DeviceMessage:
        return messages.bitmap_message(self.arrays, words, count, values, fresh=fresh)

    def failure_message(self) -> DeviceMessage:
        return messages.failure_message(self.arrays)

    def no_message(self) -> DeviceMessage:
        return self.nothing

    def read(self, message: DeviceMessage, dtype: DType | None) -> Content:
        return messages.read(self.arrays, message, dtype)

    def values_of(self, parts: Sequence[Content]) -> DeviceArray:
        return self.arrays.concatenate([part.values for part in parts])

    def as_list(
        self, parts: Sequence[Content], starts: Sequence[int], size: int, form: Form
    ) -> DeviceArray:
        kind = index_dtype(size)
        return self.arrays.concatenate(
            [
                messages.places_of(self.arrays, part, kind) + start
                for part, start in zip(parts, starts, strict=False)
            ]
        )

    def into_words(self, part: Content, words: DeviceArray, form: Form) -> None:
        messages.into_words(self.arrays, part, words)

    # Exchanges

    def allgather(self, group: Group, message: DeviceMessage) -> list[DeviceMessage]:
        return messages.allgather(group, self.memory, message)

    def alltoall(self, group: Group, given: Sequence[DeviceMessage]) -> list[DeviceMessage]:
        return messages.alltoall(group, self.memory, given)

    def shift(
        self, group: Group, message: DeviceMessage | None, to: int | None, source: int | None
    ) -> DeviceMessage | None:
        return messages.shift(group, self.memory, message, to, source)
