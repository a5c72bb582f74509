"""An operator as the library calls it, by pointers to its operands and its result.

Given: operate(x, y, k), operate(x, y, k, i, j), operate(x, i, j) or operate(x, i, j, number), which
returns a value of the result's dtype; and where to write that it has raised, and for what: raised(),
failed_x(), failed_y(), failed_k(), failed_i(), failed_j().

An exception must not leave a C callback: it is noted here, and raised when the library has returned.
In a sum z is x, so z is written last.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.backends.suitesparse.given import (
        failed_i,
        failed_j,
        failed_k,
        failed_x,
        failed_y,
        raised,
    )
    from anypair.compiling.given import operate


def binary(z, x, y):
    """A GrB_BinaryOp."""
    try:
        z[0] = operate(x[0], y[0], 0)
    except Exception:
        failed_x()[0] = x[0]
        failed_y()[0] = y[0]
        raised()[0] = 1
        z[0] = 0


def positional(z, x, ix, jx, y, iy, jy, theta):
    """A GxB_IndexBinaryOp."""
    k = np.int64(iy)
    try:
        z[0] = operate(x[0], y[0], k)
    except Exception:
        failed_x()[0] = x[0]
        failed_y()[0] = y[0]
        failed_k()[0] = k
        raised()[0] = 1
        z[0] = 0


def placed(z, x, ix, jx, y, iy, jy, theta):
    """A GxB_IndexBinaryOp that sees the place of the result: the row of x and the column of y."""
    k, i, j = np.int64(iy), np.int64(ix), np.int64(jy)
    try:
        z[0] = operate(x[0], y[0], k, i, j)
    except Exception:
        failed_x()[0] = x[0]
        failed_y()[0] = y[0]
        failed_k()[0] = k
        failed_i()[0] = i
        failed_j()[0] = j
        raised()[0] = 1
        z[0] = 0


def unary(z, x):
    """A GrB_UnaryOp."""
    try:
        z[0] = operate(x[0], 0, 0)
    except Exception:
        failed_x()[0] = x[0]
        raised()[0] = 1
        z[0] = 0


def indexed(z, x, i, j, thunk):
    """A GrB_IndexUnaryOp."""
    try:
        z[0] = operate(x[0], np.int64(i), np.int64(j))
    except Exception:
        failed_x()[0] = x[0]
        failed_y()[0] = np.int64(i)
        failed_k()[0] = np.int64(j)
        raised()[0] = 1
        z[0] = 0


def numbered(z, x, i, j, number):
    """A GrB_IndexUnaryOp that is called with a number."""
    try:
        z[0] = operate(x[0], np.int64(i), np.int64(j), number[0])
    except Exception:
        failed_x()[0] = x[0]
        failed_y()[0] = np.int64(i)
        failed_k()[0] = np.int64(j)
        raised()[0] = 1
        z[0] = 0
