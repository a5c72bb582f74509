"""Entry by entry. Given: combine(x, y), only_left(x), only_right(y); a vector is one row.

Loops over values count in unsigned numbers: of signed ones Numba asks each time whether they count from
the end, and no loop becomes one of vector instructions.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import combine, kernel, only_left, only_right


@kernel
def combine_values(begin, end, xv, yv, out):
    """Values of one structure."""
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = combine(xv[p], yv[p])


@kernel
def union(begin, end, xs, xi, xv, ys, yi, yv, starts, out_i, out_v):
    """Rows begin to end of the union."""
    for row in range(begin, end):
        p, q, at = xs[row], ys[row], starts[row]
        while p < xs[row + 1] and q < ys[row + 1]:
            if xi[p] == yi[q]:
                out_i[at] = xi[p]
                out_v[at] = combine(xv[p], yv[q])
                p += 1
                q += 1
            elif xi[p] < yi[q]:
                out_i[at] = xi[p]
                out_v[at] = only_left(xv[p])
                p += 1
            else:
                out_i[at] = yi[q]
                out_v[at] = only_right(yv[q])
                q += 1
            at += 1
        while p < xs[row + 1]:
            out_i[at] = xi[p]
            out_v[at] = only_left(xv[p])
            p += 1
            at += 1
        while q < ys[row + 1]:
            out_i[at] = yi[q]
            out_v[at] = only_right(yv[q])
            q += 1
            at += 1


@kernel
def intersection(begin, end, xs, xi, xv, ys, yi, yv, starts, out_i, out_v):
    """Rows begin to end of the intersection."""
    for row in range(begin, end):
        p, q, at = xs[row], ys[row], starts[row]
        while p < xs[row + 1] and q < ys[row + 1]:
            if xi[p] == yi[q]:
                out_i[at] = xi[p]
                out_v[at] = combine(xv[p], yv[q])
                p += 1
                q += 1
                at += 1
            elif xi[p] < yi[q]:
                p += 1
            else:
                q += 1


@kernel
def combine_left_at(begin, end, indices, values, dense, out):
    """Entries begin to end of a list, each with the value of its place on the right."""
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = combine(values[p], dense[np.uint64(indices[p])])


@kernel
def combine_right_at(begin, end, indices, values, dense, out):
    """As combine_left_at, with the value of the place on the left."""
    for p in range(np.uint64(begin), np.uint64(end)):
        out[p] = combine(dense[np.uint64(indices[p])], values[p])
