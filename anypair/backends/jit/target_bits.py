"""Which places a renumbering reaches."""

import weakref

import numpy as np

from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.jit.storage import nwords
from anypair.dtypes import Array


class TargetBits:
    """One bit for each place that an array of new numbers names, as long as that array lives.

    Many results of searches are renumbered by the same array.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[int, int], Array] = {}

    def of(self, old: Array, size: int) -> Array:
        """The bits of all old[k], which are below `size`; not to be changed."""
        key = id(old), size
        if key not in self._made:
            words = np.zeros(nwords(size), np.uint64)
            plain_kernels("structure").mark(old, words)
            self._made[key] = words
            weakref.finalize(old, self._made.pop, key, None).atexit = False
        return self._made[key]
