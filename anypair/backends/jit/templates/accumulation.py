"""Writing into a bitmap in place. Given: combine(x, y), only_right(y)."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import combine, kernel, only_right


@kernel
def accumulate(words, dense, indices, values):
    """dense(indices) = combine with what is there, else the value; returns how many are new."""
    one = np.uint64(1)
    new = 0
    for p in range(len(indices)):
        j = indices[p]
        bit = one << np.uint64(j & 63)
        if words[j >> 6] & bit:
            dense[j] = combine(dense[j], values[p])
        else:
            words[j >> 6] |= bit
            dense[j] = only_right(values[p])
            new += 1
    return new
