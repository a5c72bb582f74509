"""Sums that were kept as ordered integers, as the floats they stand for. Given: float_of(key)."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import float_of, kernel


@kernel
def floats_of(keys, out):
    """out[p] = the float of key p."""
    for p in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        out[p] = float_of(keys[p])
