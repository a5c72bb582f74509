"""A sum over the threads of a block, in a fixed order. Given: add(x, y), FIRST_HIT, BLOCK."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import BLOCK, FIRST_HIT, add, compiled


@compiled
def fold_in_block(sums, hits):
    """Leave in sums[0] the sum of the pieces that have hits[t] set, or the first of them if FIRST_HIT.

    Neighbours are added up in pairs, then pairs of pairs: always in the order of the threads.
    """
    t = cuda.threadIdx.x
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        if t % (2 * step) == 0 and hits[t + step]:
            if not hits[t]:
                sums[t] = sums[t + step]
                hits[t] = 1
            elif not FIRST_HIT:
                sums[t] = add(sums[t], sums[t + step])
        cuda.syncthreads()
        step *= 2
