"""What kernels share: searching, bits, and a prefix sum over the threads of a block. Given: BLOCK."""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import BLOCK, compiled


@compiled
def first_not_below(wanted, keys, low, high):
    """The first place of the sorted keys[low:high] that is not below `wanted`."""
    begin, end = np.int64(low), np.int64(high)
    while begin < end:
        middle = (begin + end) >> 1
        if keys[middle] < wanted:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def first_above(wanted, keys, low, high):
    """The first place of the sorted keys[low:high] that is above `wanted`."""
    begin, end = np.int64(low), np.int64(high)
    while begin < end:
        middle = (begin + end) >> 1
        if keys[middle] <= wanted:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def bit_of(j):
    """The bit of place j in its word of 32."""
    return np.uint32(1) << np.uint32(j & 31)


@compiled
def before_in_block(count, sums):
    """How much the threads before this one count, and how much all do; `sums` is shared memory."""
    t = cuda.threadIdx.x
    sums[t] = count
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        lower = sums[t - step] if t >= step else np.int32(0)
        cuda.syncthreads()
        sums[t] += lower
        cuda.syncthreads()
        step *= 2
    before = sums[t] - count
    total = sums[BLOCK - 1]
    cuda.syncthreads()
    return before, total
