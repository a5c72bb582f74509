"""Row, column and value of every entry, from the arrays that `scipy.sparse.save_npz` writes.

Nothing in the arrays is believed: counts and places are checked as 64-bit numbers before they are used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anypair.dtypes import Array

Shape = tuple[int, int]
Triple = tuple[Array, Array, Array]  # rows, columns, values


@dataclass(frozen=True)
class Entries:
    """Entries row by row, each place once."""

    rows: Array
    columns: Array
    values: Array


@dataclass(frozen=True)
class SparseLayout:
    """The arrays that a layout consists of, and how they become entries."""

    arrays: tuple[str, ...]
    expand: Callable[..., Triple]


def entries_of(layout: SparseLayout, arrays: Sequence[Array], shape: Shape) -> Entries:
    """The entries; values at one place are added up, as SciPy has it. `ValueError` says what is wrong.

    >>> rows = np.array([1, 1]), np.array([0, 2]), np.array([0, 0, 2])
    >>> entries_of(LAYOUTS["csr"], [rows[1] + 0.5, rows[1], rows[2]], (2, 3)).values.tolist()
    [0.5, 2.5]
    """
    rows, columns, values = layout.expand(*arrays, shape)
    _check_indices("row", rows, shape[0])
    _check_indices("column", columns, shape[1])
    return _added_up(rows, columns, values)


def _expand_rows(values: Array, indices: Array, pointers: Array, shape: Shape) -> Triple:
    counts, held = _counts(pointers, shape[0], min(len(_flat("indices", indices)), len(values)))
    rows = np.repeat(np.arange(shape[0]), counts)
    return rows, _whole("indices", indices)[:held], _flat("data", values)[:held]


def _expand_columns(values: Array, indices: Array, pointers: Array, shape: Shape) -> Triple:
    columns, rows, values = _expand_rows(values, indices, pointers, (shape[1], shape[0]))
    return rows, columns, values


def _expand_pairs(values: Array, rows: Array, columns: Array, shape: Shape) -> Triple:
    rows, columns = _whole("row", rows), _whole("col", columns)
    if not len(rows) == len(columns) == len(_flat("data", values)):
        raise ValueError(f"{len(rows)} rows, {len(columns)} columns and {len(values)} values")
    return rows, columns, values


def _expand_coordinates(values: Array, places: Array, shape: Shape) -> Triple:
    if places.ndim != 2 or len(places) != 2:
        raise ValueError(f"coords of shape {places.shape} are no rows and columns")
    return _expand_pairs(values, places[0], places[1], shape)


def _expand_blocks(values: Array, indices: Array, pointers: Array, shape: Shape) -> Triple:
    if values.ndim != 3 or 0 in values.shape[1:]:
        raise ValueError(f"data of shape {values.shape} are no blocks")
    height, width = values.shape[1:]
    if shape[0] % height or shape[1] % width:
        raise ValueError(f"blocks of {height}x{width} do not fill {shape[0]}x{shape[1]}")
    down, across = shape[0] // height, shape[1] // width
    counts, held = _counts(pointers, down, min(len(_flat("indices", indices)), len(values)))
    block_columns = _whole("indices", indices)[:held]
    _check_indices("block", block_columns, across)
    first_rows = np.repeat(np.arange(down) * height, counts)
    ends = np.broadcast_arrays(
        first_rows[:, None, None] + np.arange(height)[:, None],
        (block_columns * width)[:, None, None] + np.arange(width),
    )
    return ends[0].ravel(), ends[1].ravel(), values[:held].ravel()


def _expand_diagonals(values: Array, offsets: Array, shape: Shape) -> Triple:
    offsets = _whole("offsets", offsets)
    if values.ndim != 2 or len(values) != len(offsets):
        raise ValueError(f"data of shape {values.shape} for {len(offsets)} diagonals")
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError("a diagonal that is given twice")
    columns = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    rows = columns - offsets[:, None]  # what wraps around is below zero, and outside anyway
    present = (rows >= 0) & (rows < shape[0]) & (columns < shape[1]) & (values != 0)
    return rows[present], columns[present], values[present]


def _counts(pointers: Array, rows: int, available: int) -> tuple[Array, int]:
    """How many entries each row has, and all together."""
    pointers = _whole("indptr", pointers)
    if len(pointers) != rows + 1:
        raise ValueError(f"indptr has {len(pointers)} numbers for {rows} rows")
    if pointers[0] != 0:
        raise ValueError(f"indptr begins with {pointers[0]}, not with 0")
    if (falls := pointers[1:] < pointers[:-1]).any():
        row = int(np.argmax(falls))
        raise ValueError(f"indptr falls from {pointers[row]} to {pointers[row + 1]} in row {row}")
    held = int(pointers[-1])
    if held > available:
        raise ValueError(f"indptr ends with {held}, and there are {available} entries")
    return np.diff(pointers), held


def _flat(name: str, array: Array) -> Array:
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions")
    return array


def _whole(name: str, array: Array) -> Array:
    """Whole numbers as int64; what does not fit is a mistake wherever such numbers stand."""
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} holds {array.dtype}, not whole numbers")
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ValueError(f"{name} holds {array.max()}, which is too large for a 64-bit number")
    return _flat(name, array).astype(np.int64)


def _check_indices(what: str, indices: Array, bound: int) -> None:
    if len(indices) and (indices.min() < 0 or indices.max() >= bound):
        wrong = int(indices[np.argmax((indices < 0) | (indices >= bound))])
        raise ValueError(f"{what} {wrong}, and there are {bound}")


def _added_up(rows: Array, columns: Array, values: Array) -> Entries:
    if not _in_order(rows, columns).all():
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        begins = np.flatnonzero(np.concatenate([[True], _in_order(rows, columns)]))
        rows, columns = rows[begins], columns[begins]
        values = np.add.reduceat(values, begins, dtype=values.dtype)
    return Entries(rows, columns, values)


def _in_order(rows: Array, columns: Array) -> Array:
    """Whether each entry but the first comes after the one before it."""
    ordered: Array = rows[1:] > rows[:-1]
    ordered |= (rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1])
    return ordered


LAYOUTS = {
    "csr": SparseLayout(("data", "indices", "indptr"), _expand_rows),
    "csc": SparseLayout(("data", "indices", "indptr"), _expand_columns),
    "bsr": SparseLayout(("data", "indices", "indptr"), _expand_blocks),
    "coo": SparseLayout(("data", "row", "col"), _expand_pairs),
    "dia": SparseLayout(("data", "offsets"), _expand_diagonals),
}
COORDINATES = SparseLayout(("data", "coords"), _expand_coordinates)  # the other way to write coo
