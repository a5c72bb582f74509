"""Variable-length bytes in SIMD order (Ueno and Suzumura, Fig. 4). Given: BLOCK, the width of a group.

A value is cut into groups of 7 bits, the lowest first, with a flag on all but the last. The first bytes
of the values of a group stand together, then the second bytes of those that have one, and so on, so
that neighbouring threads read neighbouring bytes. (Algorithm IV of the paper tests the value where it
has to test the byte, and never clears it; this is what Fig. 4 shows.)
"""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import BLOCK, kernel
    from anypair.backends.cuda.templates.block import before_in_block


@kernel
def count_bytes(values, counts):
    """counts[p] = how many bytes value p takes."""
    for p in range(cuda.grid(1), len(values), cuda.gridsize(1)):
        length = 1
        rest = values[p] >> 7
        while rest > 0:
            length += 1
            rest >>= 7
        counts[p] = length


@kernel
def encode(values, starts, out):
    """Group g of BLOCK values goes to out[starts[g]:]; one block for each group."""
    counts = cuda.shared.array(BLOCK, np.int32)
    t = cuda.threadIdx.x
    for group in range(cuda.blockIdx.x, len(starts) - 1, cuda.gridDim.x):
        at = starts[group]
        place = group * BLOCK + t
        active = place < len(values)
        rest = np.int64(values[place]) if active else np.int64(0)
        while at < starts[group + 1]:
            ahead, total = before_in_block(np.int32(active), counts)
            if active:
                more = rest > 127
                out[at + ahead] = (rest & 127) | (128 if more else 0)
                rest >>= 7
                active = more
            at += total


@kernel
def decode(data, starts, out):
    """The reverse of encode."""
    counts = cuda.shared.array(BLOCK, np.int32)
    t = cuda.threadIdx.x
    for group in range(cuda.blockIdx.x, len(starts) - 1, cuda.gridDim.x):
        at = starts[group]
        place = group * BLOCK + t
        inside = place < len(out)
        active = inside
        value = np.int64(0)
        shift = 0
        while at < starts[group + 1]:
            ahead, total = before_in_block(np.int32(active), counts)
            if active:
                byte = np.int64(data[at + ahead])
                value |= (byte & 127) << shift
                shift += 7
                active = byte > 127
            at += total
        if inside:
            out[place] = value
