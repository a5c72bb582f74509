"""Pull. Given: multiply(x, y, k), add(x, y), fold_in_block(sums, hits), SUM, FIRST_HIT, STOPS, TERMINAL,
CHECKED, BLOCK.

Rows are sorted, so the first hit is the one with the smallest k.
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import (
        BLOCK,
        CHECKED,
        FIRST_HIT,
        STOPS,
        SUM,
        TERMINAL,
        add,
        kernel,
        multiply,
    )
    from anypair.backends.cuda.templates.block import bit_of
    from anypair.backends.cuda.templates.folding import fold_in_block


@kernel
def pull(
    rows, long, starts, indices, edges, edge_step, present, values, value_step, out, found, finished,
):  # fmt: skip
    """Each row looks for entries of the vector among its own, in order; one thread for each row.

    Rows of `long` entries and more are left out.
    """
    for r in range(cuda.grid(1), len(rows), cuda.gridsize(1)):
        j = rows[r]
        if starts[j + 1] - starts[j] >= long:
            continue
        hit = False
        total = out[r]
        for p in range(starts[j], starts[j + 1]):
            k = indices[p]
            if present[k >> 5] & bit_of(k):
                product = multiply(edges[p * edge_step], values[k * value_step], k)
                total = add(total, product) if hit else product
                hit = True
                if FIRST_HIT or (STOPS and total == TERMINAL):
                    break
        out[r] = total
        found[r] = hit
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)


@kernel
def pull_long_rows(
    long, rows, starts, indices, edges, edge_step, present, values, value_step, out, found, finished,
):  # fmt: skip
    """As pull for the rows named, one block for each: an entry for each thread, stretch by stretch."""
    sums = cuda.shared.array(BLOCK, SUM)
    hits = cuda.shared.array(BLOCK, np.int8)
    t = cuda.threadIdx.x
    for r in range(cuda.blockIdx.x, len(long), cuda.gridDim.x):
        j = rows[long[r]]
        first, last = starts[j], starts[j + 1]
        total = out[long[r]]
        hit = False
        over = False
        while first < last and not over:
            p = first + t
            here = False
            if p < last:
                k = indices[p]
                here = present[k >> 5] & bit_of(k) != 0
                if here:
                    sums[t] = multiply(edges[p * edge_step], values[k * value_step], k)
            hits[t] = here
            if cuda.syncthreads_or(np.int32(here)):
                # Every thread keeps the total, so that all agree on when to stop.
                fold_in_block(sums, hits)
                total = add(total, sums[0]) if hit else sums[0]
                hit = True
                over = FIRST_HIT or (STOPS and total == TERMINAL)
                cuda.syncthreads()
            first += BLOCK
        if t == 0:
            out[long[r]] = total
            found[long[r]] = hit
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
