"""A matrix on disk, and how parts of it come into memory: pieces of rows, in order, or some rows."""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.grid import WORD
from anypair.backends.streamed.data_file import AT_ONCE, aligned, reads_so_far
from anypair.backends.streamed.folder import (
    Block,
    Folder,
    index_dtype,
    one_for_all,
    rows_kernels,
)
from anypair.dtypes import Array, DType
from anypair.errors import NotEnoughMemory

Piece = tuple[int, int]  # rows from, to
CSR = tuple[Array, Array, Array]  # starts, columns, values


class StreamedMatrix:
    """A folder, and what is known of the matrix in it."""

    def __init__(self, folder: Folder, *, symmetric: bool | None = None) -> None:
        self.folder = folder
        self.shape = folder.shape
        self.dtype: DType = folder.dtype
        self.nvals = folder.nvals
        self.symmetric = folder.symmetric if symmetric is None else symmetric
        self.entry_bytes = index_dtype(self.shape[1]).itemsize
        if any(block.value is None for block in folder.blocks):
            self.entry_bytes += self.dtype.itemsize
        self._kept: dict[Piece, Storage] = {}  # pieces that stay in memory
        self._kept_bytes = 0
        self._views: dict[
            Piece, Storage
        ] = {}  # pieces of mapped files, which take no memory of their own
        self._pieces: dict[int, list[Piece]] = {}
        self._was_read = True  # rather than found in the page cache, the last time that all was needed
        self._lasts = np.array([block.last for block in folder.blocks], np.int64)

    @property
    def starts(self) -> Array:
        return self.folder.starts

    @property
    def nbytes(self) -> int:
        """Bytes of memory: what says where rows begin, and pieces that are kept."""
        return self.starts.nbytes + self._kept_bytes

    def pieces(self, limit: int) -> list[Piece]:
        """Rows from the first to the last, in pieces of at most so many bytes, and of one block each."""
        if limit not in self._pieces:
            most = max(limit // self.entry_bytes, 1)
            found: list[Piece] = []
            for block in self.folder.blocks:
                row = block.first
                while row < block.last:
                    end = int(np.searchsorted(self.starts, self.starts[row] + most, "right")) - 1
                    if end == row and self.starts[row + 1] - self.starts[row] > most:
                        self._refuse(row, limit)
                    if end < block.last and end // WORD * WORD > row:
                        end = end // WORD * WORD  # so that masks of pieces are words of the mask
                    found.append((row, min(end, block.last)))
                    row = found[-1][1]
            self._pieces[limit] = found
        return self._pieces[limit]

    def _refuse(self, row: int, limit: int) -> None:
        needed = int(self.starts[row + 1] - self.starts[row]) * self.entry_bytes
        raise NotEnoughMemory(
            f"row {row} of {self.folder.path} takes {needed} bytes, and memory_limit leaves {limit} for "
            f"a piece of the matrix; give a memory_limit {-(-needed // limit)} times as large"
        )

    @cached_property
    def nonempty(self) -> Array:
        """Words of the rows that have entries."""
        flags = np.zeros(-(-self.shape[0] // WORD) * WORD, np.bool_)
        flags[: self.shape[0]] = self.starts[1:] > self.starts[:-1]
        return np.packbits(flags, bitorder="little").view(np.uint64)

    def size_of(self, piece: Piece) -> int:
        """The bytes of a piece on disk."""
        return int(self.starts[piece[1]] - self.starts[piece[0]]) * self.entry_bytes

    def rows(self, piece: Piece) -> CSR:
        """The rows of a piece, which lies in one block, as they are on disk."""
        first, last = piece
        block = self._block_of(first)
        columns, values = self.folder.load(block)
        before = int(self.starts[block.first])
        begin, end = int(self.starts[first]) - before, int(self.starts[last]) - before
        kept = one_for_all(values[:1], end - begin) if block.value is not None else values[begin:end]
        return self.starts[first : last + 1] - self.starts[first], columns[begin:end], kept

    def entries_of(self, rows: Array) -> int:
        """How many entries these rows have."""
        return int(rows_kernels.count_entries(rows, self.starts))

    def some_rows(self, rows: Array) -> CSR:
        """These rows in this order; one may come more than once. Little else is read."""
        rows = np.ascontiguousarray(rows, np.int64)
        starts = np.empty(len(rows) + 1, np.int64)
        rows_kernels.lay_out(rows, self.starts, starts)
        columns = np.empty(int(starts[-1]), index_dtype(self.shape[1]))
        one, values = self.one_value, None
        if one is None:
            values = np.empty(len(columns), self.dtype)
        in_order = bool((rows[1:] >= rows[:-1]).all())
        order = None if in_order else np.argsort(rows, kind="stable")
        edges = np.searchsorted(rows if order is None else rows[order], self._lasts).tolist()
        for block, begin, end in zip(self.folder.blocks, [0, *edges], edges, strict=False):
            if begin == end or not block.nvals:
                continue
            here: Any = np.arange(begin, end) if order is None else order[begin:end]
            for some in self._stretches(block, rows[here]):
                taken = rows[here[some]]
                self.folder.take(block, taken, starts[:-1][here[some]], columns, values)
                if not any(p[0] >= block.first and p[1] <= block.last for p in self._kept):
                    self._release(block, (int(taken[0]), int(taken[-1]) + 1))
        if values is None:
            assert one is not None
            values = one_for_all(one, len(columns))
        return starts, columns, values

    def _stretches(self, block: Block, rows: Array) -> Iterator[slice]:
        """These rows, which are in order, in parts that are mapped at a time."""
        if block.file.nbytes <= AT_ONCE:
            yield slice(0, len(rows))
            return
        numbers = (self.starts[rows] - self.starts[block.first]) * self.entry_bytes // AT_ONCE
        cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(rows)]
        yield from (slice(begin, end) for begin, end in pairwise(cuts))

    def parts(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, CSR]]:
        """Pieces as they are on disk, each to be looked at before the next one."""
        for piece in pieces:
            yield piece, self.rows(piece)
            self._release(self._block_of(piece[0]), piece)

    def _release(self, block: Block, piece: Piece) -> None:
        for begin, end in self._ranges(block, piece):
            block.file.release(begin, end)

    @cached_property
    def one_value(self) -> Array | None:
        """The value of all entries, if all have the same."""
        values = {block.value for block in self.folder.blocks if block.nvals}
        if len(values) != 1 or None in values:
            return None
        return np.array([*values], self.dtype)

    def _block_of(self, row: int) -> Block:
        return self.folder.blocks[int(np.searchsorted(self._lasts, row, "right"))]

    def is_checked(self, piece: Piece) -> bool:
        """Whether all of its block has been read before, and found right."""
        return self._block_of(piece[0]).checked

    def stream(
        self,
        backend: Backend,
        pieces: Sequence[Piece],
        room: int,
        whole: Collection[Piece] | None = None,
    ) -> Iterator[tuple[Piece, Storage]]:
        """Pieces as the local backend has them, each read while the caller works on the one before.

        A block is read, and checked, for the first time by a thread; later the system is told what will
        be needed, unless the page cache had all of it the last time: to look that up for each page takes
        a core. Pieces for which there is room stay in memory. Of those that are not in `whole` a backend
        that keeps the arrays it is given looks at little, which is all that is read.
        """
        ahead = {p for p in pieces if (whole is None or p in whole) and p not in self._kept}
        new = [piece for piece in pieces[1:] if piece in ahead and not self.is_checked(piece)]
        coming: Future[None] | None = None
        before = reads_so_far()
        with ThreadPoolExecutor(1, "anypair-blocks") if new else nullcontext() as background:
            for piece, following in zip_longest(pieces, pieces[1:]):
                if coming is not None:
                    coming.result()
                held = self._held(backend, piece)
                coming = None
                if following in ahead and background is not None and following in new:
                    coming = background.submit(self._fetch, following)
                elif following in ahead and (self._was_read or reads_so_far() > before):
                    self._fetch(following)
                yield piece, held
                self._let_go(backend, piece, held, room)
        if ahead:
            self._was_read = reads_so_far() > before

    def _fetch(self, piece: Piece) -> None:
        block = self._block_of(piece[0])
        self.folder.load(block)
        for begin, end in self._ranges(block, piece):
            block.file.fetch(begin, end)

    def _ranges(self, block: Block, piece: Piece) -> list[tuple[int, int]]:
        """Where in the file of its block the columns and the values of a piece lie."""
        first, last = (int(self.starts[row] - self.starts[block.first]) for row in piece)
        sides = [(0, index_dtype(self.shape[1]).itemsize)]
        if block.value is None:
            sides.append((aligned(block.nvals * sides[0][1]), self.dtype.itemsize))
        return [(at + first * size, at + last * size) for at, size in sides]

    def _held(self, backend: Backend, piece: Piece) -> Storage:
        held = self._kept.get(piece, self._views.get(piece))
        if held is None:
            shape = (piece[1] - piece[0], self.shape[1])
            held = backend.build_from_rows(*self.rows(piece), shape)
            if backend.keeps_rows:
                self._views[piece] = held
        return held

    def _let_go(self, backend: Backend, piece: Piece, held: Storage, room: int) -> None:
        """Keep a piece if there is room, else give up its memory."""
        if piece in self._kept:
            return
        needed = max(self.size_of(piece), backend.nbytes(held))
        if self._kept_bytes + needed <= room:
            self._kept[piece] = held
            self._kept_bytes += needed
        if piece not in self._kept or not backend.keeps_rows:
            self._release(self._block_of(piece[0]), piece)
