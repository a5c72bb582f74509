"""A binary operator with one operand fixed, over all values. Given: operate(x, scalar)."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import kernel, operate


@kernel
def apply_bound(begin, end, scalar, values, out):
    """Values begin to end; the number is an argument, so that another one compiles nothing."""
    fixed = scalar[0]  # read once: for all that the compiler knows, `out` might overlap it
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = operate(values[p], fixed)
