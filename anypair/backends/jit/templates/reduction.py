"""Sums. Given: add(x, y), as_term(x), STOPS, TERMINAL."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from anypair.compiling.given import STOPS, TERMINAL, add, as_term, kernel


@kernel
def fold(begin, end, values, out, at):
    """out[at] = the sum of values begin to end, of which there is at least one."""
    total = as_term(values[begin])
    for p in range(np.uint64(begin + 1), np.uint64(end)):
        if STOPS and total == TERMINAL:
            break
        total = add(total, as_term(values[p]))
    out[at] = total


@kernel
def fold_runs(begin, end, starts, values, out):
    """out[r] = the sum of run r, for runs begin to end, none of them empty."""
    for run in range(begin, end):
        fold(starts[run], starts[run + 1], values, out, run)
