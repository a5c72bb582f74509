"""Sorting, grouping and looking up integer keys, by SciPy's counting sort where it pays."""

import numpy as np
import scipy.sparse

from anypair.dtypes import Array


def order_of(keys: Array, bound: int) -> Array:
    """The stable order that sorts keys from 0 to bound - 1."""
    if bound > 8 * len(keys):
        return np.argsort(keys, kind="stable")
    # One row for each key: converting rows to columns is a stable counting sort, in C.
    rows = scipy.sparse.csr_array(
        (np.arange(len(keys)), keys, np.arange(len(keys) + 1)), shape=(len(keys), bound)
    )
    order: Array = rows.tocsc().data
    return order


def lexicographic_order(indices: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
    """The stable order that sorts places by row, then by column."""
    rows, cols = indices
    by_column = order_of(cols, shape[1])
    return by_column[order_of(rows[by_column], shape[0])]


def is_increasing(keys: Array) -> bool:
    """Whether keys are sorted and each comes once."""
    return bool(np.all(keys[1:] > keys[:-1]))


def run_starts(sorted_keys: Array) -> Array:
    """Where each run of equal keys begins."""
    if not len(sorted_keys):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]]))


def contains(sorted_keys: Array, wanted: Array, bound: int) -> Array:
    """For each wanted key from 0 to bound - 1, whether it is among the sorted ones."""
    if bound <= 16 * len(wanted):
        table = np.zeros(bound, np.bool_)
        table[sorted_keys] = True
        return table[wanted]
    return find(sorted_keys, wanted)[0]


def find(sorted_keys: Array, wanted: Array) -> tuple[Array, Array]:
    """Whether each wanted key is among the sorted ones, and where."""
    at = np.searchsorted(sorted_keys, wanted)
    inside = at < len(sorted_keys)
    inside[inside] = sorted_keys[at[inside]] == wanted[inside]
    return inside, at
