"""One operator over all entries. Given: operate(x, i, j), CHECKED."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, kernel, operate


@kernel
def apply_to_vector(indices, values, step, out, finished):
    """Entries of a vector."""
    for p in range(cuda.grid(1), len(indices), cuda.gridsize(1)):
        out[p] = operate(values[p * step], indices[p], 0)
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)


@kernel
def apply_to_matrix(rows, columns, values, step, out, finished):
    """Entries of a matrix."""
    for p in range(cuda.grid(1), len(columns), cuda.gridsize(1)):
        out[p] = operate(values[p * step], rows[p], columns[p])
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
