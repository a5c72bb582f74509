"""Entries in any order become rows, in bounded memory: an external sort by ranges of rows.

What does not fit is dealt out to files, one for each range of rows, and these are sorted one by one.
"""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.streamed.folder import SPILLED, FolderWriter, one_for_all
from anypair.dtypes import INT64, Array, DType
from anypair.errors import DuplicateEntries, FileUnreadable
from anypair.semiring import TypedBinary

RANGES = 1 << 6  # to which entries are dealt out at once
SORTING = 4  # how many times the bytes of its entries a sort takes


class Sorter:
    """Takes entries, and gives them to a writer row by row.

    `limit` is how many bytes sorting may take; `one` is the value of all entries, if they have one. What
    is spilled lies below `folder`.
    """

    def __init__(
        self, local: Backend, folder: Path, dtype: DType, limit: int, one: Array | None = None
    ) -> None:
        self.local = local
        self.dtype = dtype
        self.one = one
        self._parent = folder
        self._limit = max(limit // SORTING, 1)
        self._held: list[tuple[Array, Array, Array]] = []
        self._bytes = 0
        self._spilled: Path | None = None
        self._shift = 0
        self.first = 0  # the first row
        self.ranges = RANGES

    @property
    def _entry_bytes(self) -> int:
        return 16 + (0 if self.one is not None else self.dtype.itemsize)

    def add(self, rows: Array, columns: Array, values: Array) -> None:
        """More entries; the arrays stay as they are until all have been added."""
        if not len(rows):
            return
        step = max(self._limit // self._entry_bytes, 1)
        for at in range(0, len(rows), step):
            some = slice(at, at + step)
            self._held.append((rows[some], columns[some], values[some]))
            self._bytes += len(rows[some]) * self._entry_bytes
            if self._bytes > self._limit and len(self._held) * step > step:
                self._spill()

    def close(self) -> None:
        """Remove what was spilled."""
        if self._spilled is not None:
            shutil.rmtree(self._spilled, ignore_errors=True)
            self._spilled = None

    def finish(
        self,
        writer: FolderWriter,
        duplicates: TypedBinary | None,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Write the rows `first` to `last`, all unless they are given; those at one place are folded in
        the order in which they came.
        """
        last = writer.shape[0] if last is None else last
        try:
            if self._spilled is None:
                self._build(writer, duplicates, self._taken(), first, last)
                return
            self._spill()
            length = 1 << self._shift
            for number, begin in enumerate(range(first, last, length)):
                end = min(begin + length, last)
                if self._size_of(number) > self._limit and end - begin > 1:
                    self._split(writer, duplicates, number, begin, end)
                else:
                    parts = [*self._read(number, 1 << 62)]
                    self._held = parts
                    self._build(writer, duplicates, self._taken(), begin, end)
        finally:
            self.close()

    def _split(
        self, writer: FolderWriter, duplicates: TypedBinary | None, number: int, low: int, high: int
    ) -> None:
        """A range that is too large, dealt out once more to smaller ones."""
        inner = Sorter(self.local, self._parent, self.dtype, self._limit * SORTING, self.one)
        inner.first = low
        inner.ranges = 2 << (self._size_of(number) // self._limit).bit_length()
        try:
            for entries in self._read(number, max(self._limit // self._entry_bytes, 1)):
                inner.add(*entries)
            inner.finish(writer, duplicates, low, high)
        finally:
            inner.close()

    def _taken(self) -> tuple[Array, Array, Array]:
        """All that is held, as one."""
        held, self._held, self._bytes = self._held, [], 0
        if len(held) == 1:
            return held[0]
        rows, columns = (
            np.concatenate([part[axis] for part in held] or [np.empty(0, np.int64)]) for axis in (0, 1)
        )
        if self.one is not None:
            return rows, columns, one_for_all(self.one, len(rows))
        values = np.concatenate([part[2] for part in held] or [np.empty(0, self.dtype)])
        return rows, columns, values

    def _build(
        self,
        writer: FolderWriter,
        duplicates: TypedBinary | None,
        entries: tuple[Array, Array, Array],
        first: int,
        last: int,
    ) -> None:
        rows, columns, values = entries
        shape = (last - first, writer.shape[1])
        try:
            built = self.local.build((rows - first, columns), values, shape, duplicates)
        except DuplicateEntries as error:
            row, column = error.place
            raise DuplicateEntries(place=(row + first, column)) from None
        starts, indices, kept = self.local.to_rows(built)
        writer.append(last, np.diff(starts), indices, kept)

    # On disk

    def _spill(self) -> None:
        rows, columns, values = self._taken()
        if not len(rows):
            return
        try:
            if self._spilled is None:
                self._parent.mkdir(parents=True, exist_ok=True)
                self._spilled = Path(tempfile.mkdtemp(prefix=SPILLED, dir=self._parent))
                span = int(rows.max()) - self.first
                self._shift = max(span.bit_length() - self.ranges.bit_length() + 1, 0)
            ranges = (rows - self.first) >> self._shift
            narrow = ranges.astype(np.uint16 if int(ranges.max()) < 1 << 16 else np.int64)
            order = np.argsort(narrow, kind="stable")
            numbers, begins = np.unique(narrow[order], return_index=True)
            records = np.empty(len(rows), self._record)
            records["row"], records["column"] = rows[order], columns[order]
            if self.one is None:
                records["value"] = values[order]
            ends = [*begins[1:].tolist(), len(rows)]
            for number, begin, end in zip(numbers.tolist(), begins.tolist(), ends, strict=True):
                with (self._spilled / str(number)).open("ab") as file:
                    records[begin:end].tofile(file)
        except OSError as error:
            self.close()
            raise FileUnreadable(f"{self._parent}: cannot be written: {error.strerror}") from error

    def _size_of(self, number: int) -> int:
        """How many bytes of entries a range has."""
        assert self._spilled is not None
        path = self._spilled / str(number)
        return path.stat().st_size if path.exists() else 0

    def _read(self, number: int, step: int) -> Iterator[tuple[Array, Array, Array]]:
        """The entries of a range, so many at a time; the file is removed at the end."""
        assert self._spilled is not None
        path = self._spilled / str(number)
        if not path.exists():
            return
        with path.open("rb") as file:
            while len(records := np.fromfile(file, self._record, min(step, self._size_of(number)))):
                rows, columns = records["row"].copy(), records["column"].copy()
                if self.one is not None:
                    yield rows, columns, one_for_all(self.one, len(rows))
                else:
                    yield rows, columns, records["value"].copy()
        path.unlink()

    @property
    def _record(self) -> Any:
        fields: list[Any] = [("row", INT64), ("column", INT64)]
        return np.dtype(fields if self.one is not None else [*fields, ("value", self.dtype)])
