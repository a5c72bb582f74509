"""Buffers that are used again by the next call, one set for each thread that calls."""

import threading

import numpy as np

from anypair.backends.jit.storage import index_dtype, nwords
from anypair.dtypes import Array, DType


class Marks:
    """For a push: which places were touched (all clear between calls), in which order, and sums."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.touched = np.zeros(nwords(size), np.uint64)
        self.reached = np.empty(size, index_dtype(size))
        self._sums: dict[DType, Array] = {}

    def sums(self, dtype: DType) -> Array:
        """Room for a value at every place."""
        if dtype not in self._sums:
            self._sums[dtype] = np.empty(self.size, dtype)
        return self._sums[dtype]


class Workspace(threading.local):
    """Marks by size; the last few are kept."""

    KEPT = 4

    def __init__(self) -> None:
        self._marks: dict[int, Marks] = {}

    def marks(self, size: int) -> Marks:
        """Clear marks for a result of this size."""
        found = self._marks.pop(size, None) or Marks(size)
        if len(self._marks) >= self.KEPT:
            self._marks.pop(next(iter(self._marks)))
        self._marks[size] = found
        return found

    def forget(self) -> None:
        """Drop all marks: a kernel that raised has left them as they were then."""
        self._marks.clear()
