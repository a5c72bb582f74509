"""Values sent to places. Given: combine(x, y), and only_left(x), the cast of one that stays alone."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import combine, kernel, only_left


@kernel
def scatter(targets, values, one, words, dense):
    """dense[targets[p]] = the sum of the values that are sent there; returns how many there are."""
    count = 0
    for p in range(len(targets)):
        place = np.uint64(targets[p])
        value = values[0 if one else p]
        bit = np.uint64(1) << (place & np.uint64(63))
        if words[place >> np.uint64(6)] & bit:
            dense[place] = combine(dense[place], value)
        else:
            words[place >> np.uint64(6)] |= bit
            dense[place] = only_left(value)
            count += 1
    return count
