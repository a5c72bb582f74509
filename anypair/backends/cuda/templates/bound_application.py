"""A binary operator with one operand fixed, over all values. Given: operate(x, scalar), CHECKED."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, kernel, operate


@kernel
def apply_bound(scalar, values, out, finished):
    """The number is an argument, so that another one compiles nothing."""
    for p in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        out[p] = operate(values[p], scalar[0])
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
