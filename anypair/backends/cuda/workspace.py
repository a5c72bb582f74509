"""Buffers that are used again by the next push."""

import threading
from typing import Any

from anypair.backends.cuda.arrays import WORD, Arrays, nwords
from anypair.dtypes import DType


class Marks:
    """For a push: which places were touched, and sums; both are clear between calls."""

    def __init__(self, arrays: Arrays, size: int, dtype: DType, identity: Any) -> None:
        self.touched = arrays.zeros(nwords(size), WORD)
        self.identity = arrays.repeated(1, identity, dtype)
        self.sums = arrays.repeated(size, identity, dtype)


class Workspace(threading.local):
    """Marks that are used again by the next call; the last few are kept, for each thread that calls."""

    KEPT = 4

    def __init__(self) -> None:
        self._marks: dict[Any, Marks] = {}

    def take(self, arrays: Arrays, size: int, dtype: DType, identity: Any) -> Marks:
        """Clear marks, out of the workspace until they are given back."""
        found = self._marks.pop((size, dtype, identity), None)
        return found or Marks(arrays, size, dtype, identity)

    def give_back(self, marks: Marks, size: int, dtype: DType, identity: Any) -> None:
        """Keep marks that have been cleared again."""
        if len(self._marks) >= self.KEPT:
            self._marks.pop(next(iter(self._marks)))
        self._marks[size, dtype, identity] = marks
