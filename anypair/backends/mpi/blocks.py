"""Hypersparse (doubly compressed) blocks of matrices: only non-empty rows and columns take memory.

A block of a large grid has many more rows than entries (n / R of the former, m / (R C) of the
latter), so pointers for all of them would outgrow the graph.
"""

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.mpi.storage import MatrixBlock
from anypair.dtypes import Array
from anypair.errors import DuplicateEntries
from anypair.semiring import TypedBinary

HYPERSPARSE = 2  # rows for each entry, from which only those with entries are kept


def build_block(
    local: Backend,
    rows: Array,
    columns: Array,
    values: Array,
    shape: tuple[int, int],
    duplicates: TypedBinary | None,
) -> MatrixBlock:
    """A block of these entries, numbered within the block."""
    kept_rows, rows = _compressed(rows, shape[0])
    kept_columns, columns = _compressed(columns, shape[1])
    block = MatrixBlock(None, shape, kept_rows, kept_columns)
    try:
        block.storage = local.build((rows, columns), values, block.kept_shape, duplicates)
    except DuplicateEntries as error:
        kept = zip((kept_rows, kept_columns), error.place, strict=True)
        raise DuplicateEntries(place=tuple(x if k is None else int(k[x]) for k, x in kept)) from None
    return block


def _compressed(places: Array, size: int) -> tuple[Array | None, Array]:
    """The numbers in use and where each place is among them, or None if most are in use."""
    if size < HYPERSPARSE * max(len(places), 1):
        return None, places
    kept, at = np.unique(places, return_inverse=True)
    return kept, at.astype(np.int64, copy=False)


def block_entries(local: Backend, block: MatrixBlock) -> tuple[Array, Array, Array]:
    """The entries, numbered within the block."""
    rows, columns, values = local.peek(block.storage)
    if block.rows is not None:
        rows = block.rows[rows]
    if block.columns is not None:
        columns = block.columns[columns]
    return rows, columns, values


def like(block: MatrixBlock, storage: object) -> MatrixBlock:
    """A block with other storage of the same kept shape."""
    return MatrixBlock(storage, block.shape, block.rows, block.columns)


def alike(local: Backend, *blocks: MatrixBlock) -> list[MatrixBlock]:
    """The blocks, all with the same rows and columns kept."""
    rows = _union([block.rows for block in blocks])
    columns = _union([block.columns for block in blocks])
    return [_keeping(local, block, rows, columns) for block in blocks]


def whole(local: Backend, block: MatrixBlock) -> MatrixBlock:
    """The block with all its rows and columns."""
    return _keeping(local, block, None, None)


def _union(kept: list[Array | None]) -> Array | None:
    union = kept[0]
    for other in kept[1:]:
        if union is None or other is None:
            return None
        union = union if union is other else np.union1d(union, other)
    return union


def _keeping(
    local: Backend, block: MatrixBlock, rows: Array | None, columns: Array | None
) -> MatrixBlock:
    """The block with these rows and columns kept, which are those that it keeps now or more."""
    moves = (_move(block.rows, rows), _move(block.columns, columns))
    if all(move is None for move in moves):
        return block
    kept = MatrixBlock(None, block.shape, rows, columns)
    kept.storage = local.place(block.storage, moves, kept.kept_shape)
    return kept


def _move(own: Array | None, wanted: Array | None) -> Array | None:
    """Where what is kept now goes among what is wanted; None if it stays."""
    if own is None or own is wanted:
        return None
    if wanted is None:
        return own.astype(np.int64, copy=False)  # numbers within a block may be smaller
    return np.searchsorted(wanted, own)
