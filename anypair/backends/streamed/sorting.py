"""Edges in any order become rows, in bounded memory: an external sort by ranges of rows.

What does not fit is dealt out to ranges of rows, the ranges one after another in a file; then what the
file has of each range, from one spill after another, is sorted in memory. A range that is too large for
that is dealt out again.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.places import places_of_edges
from anypair.backends.streamed.data_file import write_all
from anypair.backends.streamed.folder import SPILLED, FolderWriter, one_for_all
from anypair.compiling.modules import load_file
from anypair.dtypes import INT64, Array, DType
from anypair.errors import DuplicateEntries, FileUnreadable
from anypair.semiring import TypedBinary

RANGES = 1 << 8  # to which entries are dealt out at once
SORTING = 4  # how many times the bytes of its entries a sort takes

Edges = tuple[Array, Array, Array]  # sources, targets, values

_dealing: Any = load_file(Path(__file__).parent / "kernels" / "dealing.py")


@dataclass(frozen=True)
class Kind:
    """What edges become of: their values, and which entries there are of each."""

    dtype: DType
    one: Array | None = None  # the value of all, if they have one
    symmetric: bool = False  # each has its reverse right after it
    self_loops: bool = True

    @property
    def plain(self) -> "Kind":
        """The kind of what has been dealt out."""
        return Kind(self.dtype, self.one)

    def entries(self, edges: Edges) -> Edges:
        """Rows, columns and values of edges."""
        sources, targets, values = edges
        if not self.symmetric and self.self_loops:
            return edges
        (rows, columns), kept = places_of_edges(
            sources, targets, symmetric=self.symmetric, self_loops=self.self_loops
        )
        if self.one is not None:
            return rows, columns, one_for_all(self.one, len(rows))
        return rows, columns, (np.repeat(values, 2) if self.symmetric else values)[kept]


@dataclass(frozen=True)
class Spill:
    """Where in the file the places and the values of some entries lie, and where each range ends."""

    places: int
    values: int
    place: DType
    shift: int
    ends: Array


class Sorter:
    """Takes edges, and gives their entries to a writer row by row.

    `limit` is how many bytes sorting may take. What is spilled lies below `folder`.
    """

    def __init__(self, local: Backend, folder: Path, kind: Kind, limit: int) -> None:
        self.local = local
        self.kind = kind
        self._parent = folder
        self._limit = max(limit // SORTING, 1)
        self._held: list[Edges] = []
        self._bytes = 0
        self._folder: Path | None = None
        self._file: BinaryIO
        self._spills: list[Spill] = []
        self._shift = 0  # a range has 2**shift rows
        self.first = 0  # the first row
        self.ranges = RANGES

    def add(self, sources: Array, targets: Array, values: Array) -> None:
        """More edges; the arrays stay as they are until all have been added."""
        own = 0 if self.kind.one is not None else values.itemsize
        each = (sources.itemsize + targets.itemsize + own) * (1 + self.kind.symmetric)
        step = max(self._limit // each, 1)
        for at in range(0, len(sources), step):
            some = slice(at, at + step)
            if self._bytes + each * len(sources[some]) > self._limit:
                self._spill()
            self._held.append((sources[some], targets[some], values[some]))
            self._bytes += each * len(sources[some])

    def close(self) -> None:
        """Remove what was spilled."""
        if self._folder is not None:
            self._file.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def finish(
        self,
        writer: FolderWriter,
        duplicates: TypedBinary | None,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Write the rows `first` to `last`, all unless they are given; entries at one place are folded
        in the order in which they came.
        """
        last = writer.shape[0] if last is None else last
        try:
            if self._folder is None:
                self._build(writer, duplicates, self.kind, self._taken(), first, last)
                return
            self._spill()
            length, end = 1 << self._shift, first
            for number in range(self.ranges):
                begin, end = end, min(end + length, last)
                size = self._size_of(number)
                if size > self._limit and end - begin > 1:
                    self._split(writer, duplicates, number, size, begin, end)
                elif begin < end:
                    self._held = [*self._read(number, size)]
                    self._build(writer, duplicates, self.kind.plain, self._taken(), begin, end)
            if end < last:
                none = np.empty(0, np.int64)
                writer.append(last, np.zeros(last - end, np.int64), none, np.empty(0, self.kind.dtype))
        finally:
            self.close()

    def _split(
        self,
        writer: FolderWriter,
        duplicates: TypedBinary | None,
        number: int,
        size: int,
        low: int,
        high: int,
    ) -> None:
        """A range that is too large, dealt out once more to smaller ones."""
        inner = Sorter(self.local, self._parent, self.kind.plain, self._limit * SORTING)
        inner.first = low
        inner.ranges = 2 << (size // self._limit).bit_length()
        try:
            for entries in self._read(number, self._limit):
                inner.add(*entries)
            inner.finish(writer, duplicates, low, high)
        finally:
            inner.close()

    def _taken(self) -> Edges:
        """All that is held, as one."""
        held, self._held, self._bytes = self._held, [], 0
        if len(held) == 1:
            return held[0]
        sources, targets = (
            np.concatenate([part[side] for part in held] or [np.empty(0, np.int64)]) for side in (0, 1)
        )
        if self.kind.one is not None:
            return sources, targets, one_for_all(self.kind.one, len(sources))
        values = np.concatenate([part[2] for part in held] or [np.empty(0, self.kind.dtype)])
        return sources, targets, values

    def _build(
        self,
        writer: FolderWriter,
        duplicates: TypedBinary | None,
        kind: Kind,
        edges: Edges,
        first: int,
        last: int,
    ) -> None:
        try:
            if kind.symmetric or not kind.self_loops:
                built = self.local.build_graph(
                    *edges, last, duplicates, symmetric=kind.symmetric, self_loops=kind.self_loops
                )
            else:
                rows, columns, values = edges
                shape = (last - first, writer.shape[1])
                built = self.local.build((rows - first, columns), values, shape, duplicates)
        except DuplicateEntries as error:
            row, column = error.place
            raise DuplicateEntries(place=(row + first, column)) from None
        starts, indices, kept = self.local.to_rows(built)
        writer.append(last, np.diff(starts.astype(np.int64, copy=False)), indices, kept)

    # On disk

    def _spill(self) -> None:
        rows, columns, values = self.kind.entries(self._taken())
        if not len(rows):
            return
        top, right = int(rows.max()), int(columns.max())
        while (top - self.first) >> self._shift >= self.ranges:
            self._shift += 1
        place = np.dtype(np.uint32) if max(top, right) < 2**32 else INT64
        counts = np.zeros(self.ranges, np.int64)
        _dealing.count(rows, self.first, self._shift, counts)
        ends = np.cumsum(counts)
        places = np.empty((len(rows), 2), place)
        order = np.empty(0 if self.kind.one is not None else len(rows), np.int64)
        _dealing.deal(rows, columns, self.first, self._shift, ends - counts, places, order)
        try:
            if self._folder is None:
                self._parent.mkdir(parents=True, exist_ok=True)
                self._folder = Path(tempfile.mkdtemp(prefix=SPILLED, dir=self._parent))
                self._file = (self._folder / "entries").open("x+b", buffering=0)
            at = self._file.seek(0, 2)
            write_all(self._file, places.data.cast("B"))
            write_all(self._file, values[order].data.cast("B"))
        except OSError as error:
            self.close()
            raise FileUnreadable(f"{self._parent}: cannot be written: {error.strerror}") from error
        self._spills.append(Spill(at, at + places.nbytes, place, self._shift, ends))

    def _bounds(self, spill: Spill, number: int) -> tuple[int, int]:
        """The entries of a range, as it is now, within a spill, whose ranges may have been smaller."""
        finer = self._shift - spill.shift
        begin, end = (min(each << finer, len(spill.ends)) for each in (number, number + 1))
        return int(spill.ends[begin - 1]) if begin else 0, int(spill.ends[end - 1])

    def _size_of(self, number: int) -> int:
        """How many bytes of entries a range has."""
        own = 0 if self.kind.one is not None else self.kind.dtype.itemsize
        return sum(
            (end - begin) * (2 * spill.place.itemsize + own)
            for spill in self._spills
            for begin, end in [self._bounds(spill, number)]
        )

    def _read(self, number: int, most: int) -> Iterator[Edges]:
        """The entries of a range in the order in which they came, about so many bytes at a time."""
        for spill in self._spills:
            begin, end = self._bounds(spill, number)
            pair = 2 * spill.place.itemsize
            step = max(most // (pair + self.kind.dtype.itemsize), 1)
            for at in range(begin, end, step):
                count = min(step, end - at)
                places = self._stored((count, 2), spill.place, spill.places + at * pair)
                if self.kind.one is not None:
                    values = one_for_all(self.kind.one, count)
                else:
                    own = spill.values + at * self.kind.dtype.itemsize
                    values = self._stored((count,), self.kind.dtype, own)
                yield places[:, 0], places[:, 1], values

    def _stored(self, shape: tuple[int, ...], dtype: DType, at: int) -> Array:
        """An array from this place of the file, which `np.fromfile` would open once more each time."""
        made = np.empty(shape, dtype)
        self._file.seek(at)
        rest = made.data.cast("B")
        while count := self._file.readinto(rest):  # type: ignore[attr-defined]
            rest = rest[count:]
        if len(rest):
            raise FileUnreadable(f"{self._file.name}: ends early; somebody else has changed it")
        return made
