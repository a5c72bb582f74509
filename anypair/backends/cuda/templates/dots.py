"""Masked products of matrices by dots. Given: multiply, add, FIRST_HIT, STOPS, TERMINAL, CHECKED."""

from typing import TYPE_CHECKING

from numba import cuda

if TYPE_CHECKING:
    from anypair.backends.cuda.given import CHECKED, FIRST_HIT, STOPS, TERMINAL, add, kernel, multiply


@kernel
def dots(
    rows, columns, xs, xi, x, x_step, ys, yi, y, y_step, out, found, finished,
):  # fmt: skip
    """out[p] = row rows[p] of x times row columns[p] of y, which is the other matrix transposed."""
    for at in range(cuda.grid(1), len(columns), cuda.gridsize(1)):
        p, p_end = xs[rows[at]], xs[rows[at] + 1]
        q, q_end = ys[columns[at]], ys[columns[at] + 1]
        hit = False
        total = out[at]
        while p < p_end and q < q_end:
            if xi[p] < yi[q]:
                p += 1
            elif xi[p] > yi[q]:
                q += 1
            else:
                product = multiply(x[p * x_step], y[q * y_step], xi[p])
                total = add(total, product) if hit else product
                hit = True
                if FIRST_HIT or (STOPS and total == TERMINAL):
                    break
                p += 1
                q += 1
        out[at] = total
        found[at] = hit
    if CHECKED:
        cuda.atomic.add(finished, 0, 1)
