"""Buffers that are used again by the next call, one set for each thread that calls."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TypeVar

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.jit.storage import nwords
from anypair.dtypes import Array, DType, index_dtype

Kept = TypeVar("Kept")


class PushScratch:
    """For a push: which places were touched, which words of these have one, which places a mask names
    (all clear between calls), and sums.

    Places are touched as bits, or as bytes, which take more room and less time. The first places, and
    the first values, have room for a list of what was reached.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.touched, self.named = (np.zeros(nwords(size), np.uint64) for _ in range(2))
        self.groups = np.zeros(nwords(nwords(size)), np.uint64)
        self.reached = np.empty(size, index_dtype(size))
        self.counts = np.empty(nwords(size), np.int64)
        self._sums: dict[DType, Array] = {}
        self._listed: dict[DType, Array] = {}

    def listed(self, dtype: DType) -> Array:
        """Room for a list of values."""
        found = self._listed.get(dtype)
        if found is None:
            found = self._listed[dtype] = np.empty(self.size, dtype)
        return found

    @cached_property
    def flags(self) -> Array:
        """A byte for every bit of `touched`."""
        return np.zeros(64 * len(self.touched), np.uint8)

    def sums(self, dtype: DType) -> Array:
        """Room for a value at every place."""
        found = self._sums.get(dtype)
        if found is None:
            found = self._sums[dtype] = np.empty(self.size, dtype)
        return found


class RowScratch:
    """For rows of a product of matrices: a bit for each column that has a sum, one for each word of
    these, one for each column that a mask names (all clear between calls), and sums.

    Columns that a mask names may have bytes instead, as in `PushScratch`.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.touched, self.named = (np.zeros(nwords(size), np.uint64) for _ in range(2))
        self.groups = np.zeros(nwords(nwords(size)), np.uint64)
        self._sums: dict[DType, Array] = {}

    @cached_property
    def flags(self) -> Array:
        """A byte for each column."""
        return np.zeros(self.size, np.uint8)

    @property
    def bits(self) -> tuple[Array, Array, Array]:
        return self.touched, self.groups, self.named

    def sums(self, dtype: DType) -> Array:
        """Room for a value at every column."""
        found = self._sums.get(dtype)
        if found is None:
            found = self._sums[dtype] = np.empty(self.size, dtype)
        return found


class BufferPool:
    """The last results of some size: memory that nobody holds any more is used for the next one.

    Fresh memory costs a page fault for every 4 KiB, which is more than a product takes to fill it.
    """

    KEPT = 3  # a frontier, the one that is made from it, and what is done to it on the way

    def __init__(self, size: int) -> None:
        self.size = size
        self._arrays: list[Array] = []

    def get(self, dtype: DType) -> Array:
        """An array of this dtype, with anything in it."""
        for at in range(len(self._arrays)):
            if self._arrays[at].dtype == dtype and sys.getrefcount(self._arrays[at]) <= UNHELD:
                return self._arrays[at]
        made = np.empty(self.size, dtype)
        self._arrays = [*self._arrays[1 - self.KEPT :], made]
        return made


class Workspace(threading.local):
    """Scratch and pools by size; the last few that were made are kept."""

    KEPT = 4

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._scratch: dict[int, PushScratch] = {}
        self._rows: dict[int, RowScratch] = {}
        self._pools: dict[int, BufferPool] = {}

    def push_scratch(self, size: int) -> PushScratch:
        """Clear scratch for a push to so many places."""
        return self._scratch.get(size) or self._recent(self._scratch, PushScratch, size)

    def row_scratch(self, size: int) -> RowScratch:
        """Clear scratch for rows of so many columns."""
        return self._recent(self._rows, RowScratch, size)

    def get(self, size: int, dtype: DType) -> Array:
        """An array for a result, with anything in it."""
        if size < self._backend.tuning.pooled_from:
            return np.empty(size, dtype)
        return self._recent(self._pools, BufferPool, size).get(dtype)

    def _recent(self, kept: dict[int, Kept], make: Callable[[int], Kept], size: int) -> Kept:
        found = kept.get(size)
        if found is None:
            if len(kept) >= self.KEPT:
                kept.pop(next(iter(kept)))
            found = kept[size] = make(size)
        return found

    @contextmanager
    def kept_clear(self) -> Iterator[None]:
        """Around a kernel that leaves scratch as clear as it finds it, unless it raises."""
        try:
            yield
        except BaseException:  # Ctrl-C too
            self.forget()
            raise

    def forget(self) -> None:
        """Drop all scratch: a kernel that raised has left it as it was then."""
        self._scratch.clear()
        self._rows.clear()


def _references_to_an_array_in_a_list() -> int:
    arrays = [np.empty(0)]
    return sys.getrefcount(arrays[0])


UNHELD = _references_to_an_array_in_a_list()
