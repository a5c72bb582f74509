"""Products of pairs of values that have been brought together. Given: multiply(x, y, k), CHECKED."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, kernel, multiply


@kernel
def multiply_pairs(x_at, x, x_step, y_at, y, y_step, k_at, k, out, finished):
    """out[p] = multiply(x[x_at[p]], y[y_at[p]], k[k_at[p]])."""
    for p in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        out[p] = multiply(x[x_at[p] * x_step], y[y_at[p] * y_step], k[k_at[p]])
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
