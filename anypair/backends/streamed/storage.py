"""A matrix on disk, and how parts of it come into memory: pieces of rows, in order, or some rows."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from itertools import zip_longest

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.streamed.folder import Block, Folder, index_dtype, one_for_all
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
        self._pieces: dict[int, list[Piece]] = {}

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
                    found.append((row, min(end, block.last)))
                    row = found[-1][1]
            self._pieces[limit] = found
        return self._pieces[limit]

    def _refuse(self, row: int, limit: int) -> None:
        needed = int(self.starts[row + 1] - self.starts[row]) * self.entry_bytes
        raise NotEnoughMemory(
            f"row {row} of {self.folder.path} takes {needed} bytes, and memory_limit leaves {limit} for "
            f"a piece of the matrix; give memory_limit={4 * needed} or more"
        )

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

    def some_rows(self, rows: Array) -> CSR:
        """These rows in this order; one may come more than once. Little else is read."""
        begins, counts = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        starts = np.concatenate([[0], np.cumsum(counts)])
        columns = np.empty(int(starts[-1]), index_dtype(self.shape[1]))
        values: Array | None = None
        lasts = [block.last for block in self.folder.blocks]
        numbers = np.searchsorted(lasts, rows, "right")
        for number in np.unique(numbers[counts > 0]).tolist():
            block = self.folder.blocks[number]
            here = np.flatnonzero((numbers == number) & (counts > 0))
            taken, found = self.folder.take(block, begins[here] - self.starts[block.first], counts[here])
            if len(here) == len(rows):
                return starts, taken, found
            ends = np.cumsum(counts[here])
            at = np.arange(len(taken)) + np.repeat(starts[here] - (ends - counts[here]), counts[here])
            columns[at] = taken
            if values is None:
                values = np.empty(len(columns), self.dtype)
            values[at] = found
        one = self.one_value
        if one is not None:
            values = one_for_all(one, len(columns))
        return starts, columns, np.empty(0, self.dtype) if values is None else values

    @property
    def one_value(self) -> Array | None:
        """The value of all entries, if all have the same."""
        values = {block.value for block in self.folder.blocks if block.nvals}
        if len(values) != 1 or None in values:
            return None
        return np.array([*values], self.dtype)

    def _block_of(self, row: int) -> Block:
        lasts = [block.last for block in self.folder.blocks]
        return self.folder.blocks[int(np.searchsorted(lasts, row, "right"))]

    def stream(
        self, backend: Backend, pieces: Sequence[Piece], room: int
    ) -> Iterator[tuple[Piece, Storage]]:
        """Pieces as the local backend has them, each read while the caller works on the one before.

        A block is read, and checked, for the first time by a thread; later the system is told what will
        be needed, which costs nothing where the page cache has it. Pieces for which there is room stay
        in memory.
        """
        coming: Future[CSR] | None = None
        new = [piece for piece in pieces[1:] if not self._block_of(piece[0]).checked]
        with ThreadPoolExecutor(1, "anypair-blocks") if new else nullcontext() as background:
            for piece, following in zip_longest(pieces, pieces[1:]):
                held = self._kept.get(piece)
                if held is None:
                    rows = self.rows(piece) if coming is None else coming.result()
                    held = self._held(backend, piece, rows, room)
                coming = None
                if following is not None and following not in self._kept:
                    block = self._block_of(following[0])
                    if block.checked or background is None:
                        block.file.will_be_needed()
                    else:
                        coming = background.submit(self.rows, following)
                yield piece, held

    def _held(self, backend: Backend, piece: Piece, rows: CSR, room: int) -> Storage:
        held = backend.build_from_rows(*rows, (piece[1] - piece[0], self.shape[1]))
        needed = max(self.size_of(piece), backend.nbytes(held))
        if self._kept_bytes + needed <= room:
            self._kept[piece] = held
            self._kept_bytes += needed
        return held
