"""Segmented sums in a fixed order. Given: add(x, y), as_term(x),
fold_in_block(sums, hits), SUM, STOPS, TERMINAL, CHECKED, BLOCK."""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import BLOCK, CHECKED, STOPS, SUM, TERMINAL, add, as_term, kernel
    from anypair.backends.cuda.templates.folding import fold_in_block


@kernel
def fold_runs(starts, values, step, long, out, finished):
    """out[r] = the sum of run r from left to right, one thread for each; those too long are left out."""
    for run in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        if starts[run + 1] - starts[run] >= long:
            continue
        total = as_term(values[starts[run] * step])
        for p in range(starts[run] + 1, starts[run + 1]):
            if STOPS and total == TERMINAL:
                break
            total = add(total, as_term(values[p * step]))
        out[run] = total
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)


@kernel
def fold_long_runs(runs, starts, values, step, out, finished):
    """As fold_runs for the runs named, one block for each: a piece for each thread, then the pieces."""
    sums = cuda.shared.array(BLOCK, SUM)
    hits = cuda.shared.array(BLOCK, np.int8)
    t = cuda.threadIdx.x
    for r in range(cuda.blockIdx.x, len(runs), cuda.gridDim.x):
        begin, end = starts[runs[r]], starts[runs[r] + 1]
        length = (end - begin + BLOCK - 1) // BLOCK
        low, high = begin + t * length, min(begin + (t + 1) * length, end)
        hits[t] = low < high
        if low < high:
            total = as_term(values[low * step])
            for p in range(low + 1, high):
                total = add(total, as_term(values[p * step]))
            sums[t] = total
        fold_in_block(sums, hits)
        if t == 0:
            out[runs[r]] = sums[0]  # which no other thread touches
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
