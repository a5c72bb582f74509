"""Push, balanced over edges. Given: multiply(x, y, k), combine_at(sums, j, x), ANY, CHECKED, BLOCK.

An edge has a thread, wherever it comes from: the thread finds its vertex by binary search in the prefix
sums of the degrees. Gathering and filtering are one kernel (Ueno and Suzumura kept them apart to save
registers; the compile tests print how many it takes).
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import ANY, BLOCK, CHECKED, combine_at, kernel, multiply
    from anypair.backends.cuda.templates.block import before_in_block, bit_of, first_above


@kernel
def push(
    tiles, done, frontier, before, starts, indices, edges, edge_step, values, value_step,
    blocked, flip, touched, sums, reached, room, count, finished,
):  # fmt: skip
    """Send values along the edges of these tiles, BLOCK edges each, into `sums`.

    `before` counts the edges in front of each vertex of the frontier. Places inside blocked ^ flip are
    passed over; those touched for the first time are listed in `reached`. A tile takes room for all its
    edges first; one that finds too little is left undone, for another launch with an empty list.
    """
    counts = cuda.shared.array(BLOCK, np.int32)
    shared = cuda.shared.array(3, np.int64)
    t = cuda.threadIdx.x
    total = before[len(frontier)]
    for at in range(cuda.blockIdx.x, len(tiles), cuda.gridDim.x):
        first = tiles[at] * BLOCK
        if t == 0:
            taken = cuda.atomic.add(room, 0, BLOCK)
            if taken + BLOCK > len(reached):
                cuda.atomic.add(room, 0, -BLOCK)
                taken = -1
            shared[0] = taken
            # The vertices that the block's edges belong to: each thread searches among these only.
            low = first_above(first, before, 0, len(frontier)) - 1
            shared[1] = low
            shared[2] = first_above(min(first + BLOCK, total) - 1, before, low, len(frontier))
        cuda.syncthreads()
        fits = shared[0] >= 0
        cuda.syncthreads()
        if fits:
            edge = first + t
            target = np.int64(-1)
            if edge < total:
                vertex = first_above(edge, before, shared[1], shared[2]) - 1
                k = frontier[vertex]
                p = starts[k] + (edge - before[vertex])
                j = indices[p]
                word, bit = j >> 5, bit_of(j)
                if not (blocked[word] ^ flip) & bit:
                    if not ANY:
                        combine_at(
                            sums, j, multiply(edges[p * edge_step], values[vertex * value_step], k)
                        )
                    # Test, and only then test-and-set: most places have been touched already.
                    if not touched[word] & bit and not cuda.atomic.or_(touched, word, bit) & bit:
                        target = np.int64(j)
                        if ANY:
                            combine_at(
                                sums, j, multiply(edges[p * edge_step], values[vertex * value_step], k)
                            )
            # A thread whose operator raised has left the block: what it did not count would send the
            # others astray. The host sees that the launch was not finished.
            if CHECKED and cuda.syncthreads_count(1) < BLOCK:
                return
            ahead, found = before_in_block(np.int32(target >= 0), counts)
            if t == 0:
                shared[0] = cuda.atomic.add(count, 0, found)
                cuda.atomic.add(room, 0, found - BLOCK)
                done[tiles[at]] = 1
            cuda.syncthreads()
            if target >= 0:
                reached[shared[0] + ahead] = target
            cuda.syncthreads()
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
