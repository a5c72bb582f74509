"""The baseline of the SEI note (CMU/SEI-2014-TN-001, Fig. 8): one thread per vertex, two phases.

Given: multiply(x, y, k), combine_at(sums, j, x), CHECKED. Flags are whole bytes, one for each vertex.
"""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, combine_at, kernel, multiply
    from anypair.backends.cuda.templates.block import bit_of


@kernel
def expand_vertices(
    current, starts, indices, edges, edge_step, values, value_step, blocked, flip, sums, following,
    finished,
):  # fmt: skip
    """Phase 1: each vertex of the wavefront looks at its neighbours and flags those not visited."""
    for k in range(cuda.grid(1), len(current), cuda.gridsize(1)):
        if current[k]:
            for p in range(starts[k], starts[k + 1]):
                j = indices[p]
                if not (blocked[j >> 5] ^ flip) & bit_of(j):
                    combine_at(sums, j, multiply(edges[p * edge_step], values[k * value_step], k))
                    following[j] = 1
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
