"""Rows and columns of a matrix by number."""

import numpy as np

from anypair.backends.base import Indices
from anypair.backends.jit.building import build_matrix
from anypair.backends.jit.generation import plain_kernels
from anypair.backends.jit.storage import JitMatrix, take
from anypair.backends.jit.threads import Team
from anypair.dtypes import Array


def extract_matrix(team: Team, a: JitMatrix, indices: Indices) -> JitMatrix:
    """t(r, c) = a(rows(r), columns(c)); a number may come more than once."""
    wanted_rows, wanted_cols = indices
    rows = np.empty(a.nvals, np.int64)
    plain_kernels("structure").row_of_each(a.starts, rows)
    cols, values = a.indices, a.values
    if wanted_rows is not None:
        rows, origin = _renumbered(rows, wanted_rows, a.shape[0])
        cols, values = cols[origin], take(values, origin, len(origin))
    if wanted_cols is not None:
        cols, origin = _renumbered(cols, wanted_cols, a.shape[1])
        rows, values = rows[origin], take(values, origin, len(origin))
    shape = tuple(n if w is None else len(w) for n, w in zip(a.shape, indices, strict=True))
    return build_matrix(team, rows, cols, values, (shape[0], shape[1]), None)


def _renumbered(old: Array, wanted: Array, bound: int) -> tuple[Array, Array]:
    """Where each old number comes among the wanted ones, and which entry each of those places is of."""
    new = np.full(bound, -1, np.int64)
    new[wanted] = np.arange(len(wanted))
    if (new[wanted] == np.arange(len(wanted))).all():
        numbers = new[old]
        origin = np.flatnonzero(numbers >= 0)
        return numbers[origin], origin
    order = np.argsort(wanted, kind="stable")
    starts = np.searchsorted(wanted, old, "left", sorter=order)
    counts = np.searchsorted(wanted, old, "right", sorter=order) - starts
    origin = np.repeat(np.arange(len(old)), counts)
    offsets = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[np.repeat(starts, counts) + offsets], origin
