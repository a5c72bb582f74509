"""The array layer: sorting, grouping, counting and looking up on whatever `xp` is.

`xp` is CuPy on a GPU; in the tests it is NumPy, and array-api-strict, so that nothing here can mix up
host and device. What `xp` has no word for is a kernel of `templates/structure.py`.
"""

from collections.abc import Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from anypair.backends.cuda.device import Device
from anypair.backends.cuda.kernels import plain_kernels
from anypair.dtypes import BOOL, INT64, Array, DType

DeviceArray: TypeAlias = Any

INT8 = np.dtype(np.int8)
INT32 = np.dtype(np.int32)
WORD = np.dtype(np.uint32)


def index_dtype(bound: int) -> DType:
    """The smallest index dtype for places below `bound`: 32 bits while they suffice."""
    return INT32 if bound < 2**31 else INT64


def nwords(size: int) -> int:
    """How many words hold a bit for each of `size` places."""
    return (size + 31) >> 5


def step_of(values: DeviceArray) -> int:
    """How far kernels move from value to value: nowhere in an array of one, which is all of them."""
    return 0 if values.shape[0] == 1 else 1


class ThreadFailedError(RuntimeError):
    """A thread of a kernel did not reach its end."""


class Arrays:
    """What the rest of the backend asks of device arrays."""

    long = 1024  # entries of a sum or a row from which a whole block works on it

    def __init__(self, device: Device) -> None:
        self.device = device
        self.xp = device.xp
        self.block = device.block
        self._empty_words: dict[int, DeviceArray] = {}

    @cached_property
    def _unused(self) -> DeviceArray:
        return self.zeros(1, INT32)

    def no_bits(self, size: int) -> DeviceArray:
        """Words of which no bit is set, for all who ask; not to be changed."""
        if size not in self._empty_words:
            self._empty_words = {size: self.zeros(nwords(size), WORD)}  # of the last size only
        return self._empty_words[size]

    # Making and moving

    def empty(self, n: int, dtype: DType) -> DeviceArray:
        return self.xp.empty(n, dtype=self.device.dtype(dtype))

    def zeros(self, n: int, dtype: DType) -> DeviceArray:
        return self.xp.zeros(n, dtype=self.device.dtype(dtype))

    def full(self, n: int, value: Any, dtype: DType) -> DeviceArray:
        return self.xp.full(n, value, dtype=self.device.dtype(dtype))

    def repeated(self, n: int, value: Any, dtype: DType) -> DeviceArray:
        """As full, for any value of the dtype: libraries differ in the Python numbers they fill with."""
        return self.take(self.to_device(np.array([value], dtype)), self.zeros(n, INT32))

    def arange(self, n: int, dtype: DType = INT64) -> DeviceArray:
        return self.xp.arange(n, dtype=self.device.dtype(dtype))

    def to_device(self, host: Array, dtype: DType | None = None) -> DeviceArray:
        wanted = host if dtype is None else host.astype(dtype, copy=False)
        return self.device.to_device(np.ascontiguousarray(wanted))

    def to_host(self, values: DeviceArray) -> Array:
        return self.device.to_host(values)

    def as_type(self, values: DeviceArray, dtype: DType) -> DeviceArray:
        """The values as another integer dtype; always a copy."""
        return self.xp.astype(values, self.device.dtype(dtype), copy=True)

    def number(self, values: DeviceArray, at: int = 0) -> int:
        """One integer on the host; waits for it."""
        return int(values[at])

    def concatenate(self, parts: list[DeviceArray]) -> DeviceArray:
        return parts[0] if len(parts) == 1 else self.xp.concat(parts)

    def spread(self, values: DeviceArray, n: int) -> DeviceArray:
        """n values, where one may stand for all."""
        if values.shape[0] == n:
            return values
        return self.take(values, self.zeros(n, INT32))

    def take(self, values: DeviceArray, places: DeviceArray) -> DeviceArray:
        """values(places)."""
        return self.xp.take(values, places, axis=0)

    def take_values(self, values: DeviceArray, places: DeviceArray) -> DeviceArray:
        """As take; one value for all stays that."""
        return values if values.shape[0] == 1 else self.take(values, places)

    # Sorting and grouping

    def order(self, *keys: DeviceArray) -> DeviceArray:
        """The stable order that sorts by the first key, then by the second."""
        order = self.device.order(keys[-1])
        for key in reversed(keys[:-1]):
            order = self.take(order, self.device.order(self.take(key, order)))
        return order

    def is_increasing(self, keys: DeviceArray) -> bool:
        """Whether keys are sorted and each comes once."""
        return keys.shape[0] < 2 or bool(self.xp.all(keys[1:] > keys[:-1]))

    def places_where(self, flags: DeviceArray) -> DeviceArray:
        """The places of the true flags, in order."""
        return self.xp.nonzero(flags)[0]

    def run_bounds(self, *sorted_keys: DeviceArray) -> DeviceArray:
        """Where each run of equal keys begins, and at last how many keys there are."""
        n = sorted_keys[0].shape[0]
        if n < 2:
            return self.arange(n + 1)
        new = self.zeros(n - 1, BOOL)
        for keys in sorted_keys:
            new = new | (keys[1:] != keys[:-1])
        inner = self.as_type(self.places_where(new), INT64) + 1
        return self.xp.concat([self.zeros(1, INT64), inner, self.full(1, n, INT64)])

    def counted_before(self, counts: DeviceArray) -> DeviceArray:
        """Prefix sums: how much is counted in front of each place, and at last how much in all."""
        kind = self.device.dtype(INT64)
        return self.xp.cumulative_sum(self.xp.astype(counts, kind), dtype=kind, include_initial=True)

    def total(self, counts: DeviceArray) -> int:
        return int(self.xp.sum(counts, dtype=self.device.dtype(INT64)))

    def expand(self, starts: DeviceArray, counts: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """All positions of the ranges [starts, starts + counts), and the range that each came from."""
        before = self.counted_before(counts)
        everything = self.arange(self.number(before, before.shape[0] - 1))
        origin = self.as_type(self.xp.searchsorted(before, everything, side="right"), INT64) - 1
        return self.take(starts, origin) + (everything - self.take(before, origin)), origin

    def rows_of(self, starts: DeviceArray, nvals: int) -> DeviceArray:
        """The row of every entry."""
        found = self.xp.searchsorted(starts, self.arange(nvals), side="right")
        return self.as_type(found, INT64) - 1

    def starts_of(self, sorted_rows: DeviceArray, nrows: int) -> DeviceArray:
        """Where each row begins among entries that are sorted by row, and at last their number."""
        found = self.xp.searchsorted(
            self.as_type(sorted_rows, INT64), self.arange(nrows + 1), side="left"
        )
        return self.as_type(found, INT64)

    def find(self, sorted_keys: DeviceArray, wanted: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Where each wanted key stands or would stand among the sorted ones, and whether it is there."""
        at = self.as_type(self.xp.searchsorted(sorted_keys, wanted, side="left"), INT64)
        if not sorted_keys.shape[0]:
            return at, self.zeros(wanted.shape[0], BOOL)
        last = sorted_keys.shape[0] - 1
        near = self.take(sorted_keys, self.xp.where(at > last, last + 0 * at, at))
        return at, (at <= last) & (near == wanted)

    def before_bounds(self, sorted_keys: DeviceArray, bounds: Sequence[int]) -> list[int]:
        """How many keys are below each of a few bounds, on the host; waits for them."""
        wanted = self.to_device(np.array(bounds, np.int64))
        keys = self.as_type(sorted_keys, INT64)
        found: list[int] = self.to_host(self.xp.searchsorted(keys, wanted, side="left")).tolist()
        return found

    # Bitmaps

    def bitmap(self, size: int, indices: DeviceArray) -> DeviceArray:
        """Words with the bits of these places."""
        words = self.zeros(nwords(size), WORD)
        self.run(self.structure.mark, indices.shape[0], indices, words)
        return words

    def listed(self, words: DeviceArray, dtype: DType) -> DeviceArray:
        """The places whose bits are set, in order, by a prefix sum over the words' counts."""
        before = self.counted_before(self._bit_counts(words))
        out = self.empty(self.number(before, before.shape[0] - 1), dtype)
        self.run(self.structure.list_bits, words.shape[0], words, before, out)
        return out

    def count_bits(self, words: DeviceArray) -> int:
        return self.total(self._bit_counts(words))

    def _bit_counts(self, words: DeviceArray) -> DeviceArray:
        counts = self.empty(words.shape[0], INT32)
        self.run(self.structure.count_bits, words.shape[0], words, counts)
        return counts

    def scatter(self, indices: DeviceArray, values: DeviceArray, dense: DeviceArray) -> DeviceArray:
        """dense(indices) = values, in place; no index comes twice."""
        self.run(self.structure.scatter, indices.shape[0], indices, values, step_of(values), dense)
        return dense

    # Kernels

    @property
    def structure(self) -> Any:
        """The kernels without operators."""
        return plain_kernels("structure", self.block)

    def run(self, kernel: Any, count: int, *arguments: Any) -> int:
        """A thread for each of `count` things, as far as they go; returns how many there are."""
        return self.run_blocks(kernel, -(-count // self.block), *arguments)

    def run_blocks(self, kernel: Any, blocks: int, *arguments: Any) -> int:
        """A block for each of so many things, as far as a launch has blocks."""
        blocks = min(blocks, self.device.most_blocks)
        if blocks:
            self.device.launch(kernel, blocks, self.block, *arguments)
        return blocks * self.block

    def run_operators(
        self, module: ModuleType, name: str, count: int, *arguments: Any, blocks: bool = False
    ) -> None:
        """As run, or run_blocks, for a kernel with operators, one of which may raise.

        An exception ends its thread in silence, before it counts itself among the finished ones.
        """
        finished = self.zeros(1, INT32) if module.CHECKED else self._unused
        run = self.run_blocks if blocks else self.run
        threads = run(getattr(module, name), count, *arguments, finished)
        if module.CHECKED and self.number(finished) != threads:
            raise ThreadFailedError("an exception in a thread of the GPU; on `jit` it can be seen")
