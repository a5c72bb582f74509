"""Entry by entry. Given: combine(x, y), only_left(x), only_right(y), CHECKED.

Where each value comes from and goes to has been found before.
"""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, combine, kernel, only_left, only_right
    from anypair.backends.cuda.templates.block import bit_of


@kernel
def place_left(values, step, to, out):
    """out[to[p]] = value p of the left operand, cast."""
    for p in range(cuda.grid(1), len(to), cuda.gridsize(1)):
        out[to[p]] = only_left(values[p * step])


@kernel
def place_right(values, step, to, out):
    """out[to[p]] = value p of the right operand, cast."""
    for p in range(cuda.grid(1), len(to), cuda.gridsize(1)):
        out[to[p]] = only_right(values[p * step])


@kernel
def combine_at_places(x_at, x, x_step, y_at, y, y_step, to, out, finished):
    """out[to[p]] = combine(x[x_at[p]], y[y_at[p]])."""
    for p in range(cuda.grid(1), len(to), cuda.gridsize(1)):
        out[to[p]] = combine(x[x_at[p] * x_step], y[y_at[p] * y_step])
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)


@kernel
def fold_duplicates(starts, values, step, out, finished):
    """out[r] = run r folded from the left, in the order given: the operator may be no monoid's."""
    for run in range(cuda.grid(1), len(out), cuda.gridsize(1)):
        total = only_left(values[starts[run] * step])
        for p in range(starts[run] + 1, starts[run + 1]):
            total = combine(total, values[p * step])
        out[run] = total
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)


@kernel
def accumulate(indices, values, step, words, dense, new, finished):
    """dense(indices) = combine with what is there, else the value; new[0] counts the others."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        j = indices[p]
        if words[j >> 5] & bit_of(j):
            dense[j] = combine(dense[j], values[p * step])
        else:
            dense[j] = only_right(values[p * step])
            cuda.atomic.or_(words, j >> 5, bit_of(j))
            cuda.atomic.add(new, 0, 1)
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
