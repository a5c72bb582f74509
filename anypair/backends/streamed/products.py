"""Products with vectors: push the rows of the vector's entries, or pull along the wanted rows.

A push of few entries reads their rows and little else; a pull skips pieces that no wanted row lies in,
and of one with few wanted rows reads these. All else is streamed, the next piece read ahead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from anypair.backends.base import Backend, Storage, StructuralMask
from anypair.backends.grid import WORD
from anypair.backends.streamed.folder import rows_kernels
from anypair.backends.streamed.storage import CSR, Piece, StreamedMatrix
from anypair.dtypes import INT64, Array
from anypair.semiring import TypedSemiring
from anypair.trace import current as current_trace

FEW = 8  # rows are read one by one if their entries are less than one in so many
SCATTERED = 16  # rows for each piece from which on reading them takes longer than a call for each piece
PUSHED_BELOW = 16  # a symmetric matrix is pushed if the rows are less than one entry in so many
DENSE = 4  # results of more than one entry in so many places are kept by place


@dataclass
class Read:
    """What a product has read and looked at."""

    nbytes: int = 0
    pieces: int = 0
    edges: int | None = 0

    def note(self, trace_edges: int | None) -> None:
        self.edges = None if self.edges is None or trace_edges is None else self.edges + trace_edges


@dataclass(frozen=True, eq=False)
class VectorProduct:
    """t(i) = sum over k of a(i, k) u(k) if `by_rows`, else t(j) = sum over k of a(k, j) u(k)."""

    by_direction: Mapping[str, Backend]
    a: StreamedMatrix
    u: Storage
    semiring: TypedSemiring
    mask: StructuralMask | None
    by_rows: bool
    limit: int  # bytes of a piece
    room: int  # bytes of pieces that are kept

    def run(self) -> tuple[Storage, str, Read]:
        """The product, in which direction it went, and what it read."""
        read = Read()
        push, places = not self.by_rows, None
        if self.a.symmetric:
            push = self.local.nvals(self.u) * PUSHED_BELOW < self.a.shape[0]
            places = self._places() if push else None
            edges = self.a.entries_of(places) if places is not None else 0
            push &= edges * PUSHED_BELOW < self.a.nvals and edges * self.a.entry_bytes <= self.limit
            push = push and (places is None or not self._pulls_less(places, edges))
        if push:
            result = self._push(self._places() if places is None else places, read)
        else:
            result = self._pull(read)
        return result, "push" if push else "pull", read

    @property
    def local(self) -> Backend:
        return self.by_direction["auto"]

    def _places(self) -> Array:
        return self.local.peek(self.u)[0].astype(np.int64, copy=False)

    def _pulls_less(self, places: Array, edges: int) -> bool:
        """Whether the wanted rows are few, and not much more than what a push would read."""
        if self.mask is None or len(places) < SCATTERED * len(self.a.pieces(self.limit)):
            return False
        nrows = self.a.shape[0]
        if int(np.bitwise_count(self._wanted).sum()) * FEW > nrows:
            return False
        return self.a.entries_of(self._listed(0, nrows)) < 2 * edges

    # Pull

    def _pull(self, read: Read) -> Storage:
        a = self.a
        pieces: dict[Piece, int] = {}  # and how many bytes of each are looked at
        few: list[Array] = []  # rows of pieces that are not read as a whole
        for piece in a.pieces(self.limit):
            size = a.size_of(piece)
            rows = None if self.mask is None else self._few_wanted(piece)
            nbytes = size if rows is None else a.entries_of(rows) * a.entry_bytes
            if rows is None or nbytes * FEW > size:
                pieces |= {piece: size} if size else {}
            elif nbytes and self.local.keeps_rows and a.is_checked(piece):
                pieces[piece] = nbytes
            elif nbytes:
                few.append(rows)
        found = [self._pull_rows(rows, read) for rows in self._batches(few)]
        whole = [piece for piece, nbytes in pieces.items() if nbytes == a.size_of(piece)]
        for piece, block in a.stream(self.local, [*pieces], self.room, whole):
            t = self._pulling.mxv(block, self.u, self.semiring, self._mask_of(piece))
            self._count(read, pieces[piece])
            found.append((slice(*piece), t))
        return self._together(found)

    def _few_wanted(self, piece: Piece) -> Array | None:
        """The rows of a piece that the mask wants and that have entries; None if they are many."""
        first, last = piece
        words = self._wanted[first // WORD : -(-last // WORD)]
        if int(np.bitwise_count(words).sum()) * FEW > last - first:
            return None
        return self._listed(first, last)

    def _listed(self, first: int, last: int) -> Array:
        """The wanted rows from the first to the last."""
        words = self._wanted[first // WORD : -(-last // WORD)]
        rows = np.empty(int(np.bitwise_count(words).sum()), np.int64)
        count = rows_kernels.listed(self._wanted, first, last, rows)
        return rows[:count]

    def _batches(self, few: Sequence[Array]) -> Iterator[Array]:
        """The rows of pieces together, as long as they take no more memory than one piece."""
        held: list[Array] = []
        room = self.limit
        for rows in few:
            nbytes = self.a.entries_of(rows) * self.a.entry_bytes
            if held and nbytes > room:
                yield np.concatenate(held)
                held, room = [], self.limit
            held.append(rows)
            room -= nbytes
        if held:
            yield np.concatenate(held)

    def _pull_rows(self, rows: Array, read: Read) -> tuple[Any, Storage]:
        """What the product is at these rows, all of which are wanted."""
        block = self._storage(self.a.some_rows(rows))
        t = self._pulling.mxv(block, self.u, self.semiring, None)
        self._count(read, self.a.entries_of(rows) * self.a.entry_bytes)
        return rows, t

    @property
    def _pulling(self) -> Backend:
        return self.by_direction.get("pull", self.local)  # there is no transpose to push along

    @cached_property
    def _wanted(self) -> Array:
        """Words of the rows that the mask wants and that have entries."""
        assert self.mask is not None
        words = self.local.words(self.mask.storage, self.a.shape[0])
        return self.a.nonempty & ~words if self.mask.complemented else self.a.nonempty & words

    def _mask_of(self, piece: Piece) -> StructuralMask | None:
        if self.mask is None or piece == (0, self.a.shape[0]):
            return self.mask
        first, last = piece
        words = self._wanted[first // WORD : -(-last // WORD)]
        if shift := first % WORD:
            following = np.append(words[1:], np.uint64(0)) << np.uint64(WORD - shift)
            words = (words >> np.uint64(shift) | following)[: -(-(last - first) // WORD)]
        if rest := (last - first) % WORD:
            words = words.copy()
            words[-1] &= np.uint64((1 << rest) - 1)
        part = self.local.build_from_words(words, np.ones(1, np.bool_), last - first)
        return StructuralMask(part, False)

    def _together(self, found: Sequence[tuple[Any, Storage]]) -> Storage:
        """One vector of what there is at some rows: lists of rows, then ranges in order."""
        dtype, nrows, local = self.semiring.result, self.a.shape[0], self.local
        words = np.zeros(-(-nrows // WORD), np.uint64)
        for rows, t in found:
            if isinstance(rows, np.ndarray) or rows.start % WORD:
                listed = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
                rows_kernels.mark(local.words(t, len(listed)), listed, words)
            else:
                here = local.words(t, rows.stop - rows.start)
                words[rows.start // WORD :][: len(here)] |= here
        if self.semiring.constant is not None:
            one = np.array([self.semiring.constant], dtype)
            return local.build_from_words(words, one, nrows)
        many = sum(local.nvals(t) for _, t in found) * DENSE > nrows
        if not many and (len(found) < 2 or isinstance(found[0][0], slice)):
            values = np.concatenate([np.empty(0, dtype), *(local.peek(t)[-1] for _, t in found)])
            return local.build_from_words(words, values, nrows)
        by_place = np.empty(nrows, dtype)
        for rows, t in found:
            count = len(rows) if isinstance(rows, np.ndarray) else rows.stop - rows.start
            by_place[rows] = local.by_place(t, count)
        return local.build_by_place(words, by_place, nrows)

    # Push

    def _push(self, places: Array, read: Read) -> Storage:
        a, starts = self.a, self.a.starts
        places = places[starts[places + 1] > starts[places]]
        edges = self.a.entries_of(places)
        if edges * a.entry_bytes <= self.limit and edges * FEW < max(a.nvals, FEW):
            self._count(read, edges * a.entry_bytes)
            return self._push_rows(a.some_rows(places), places)
        pieces = []
        for piece in a.pieces(self.limit):
            low, high = np.searchsorted(places, piece)
            pieces += [piece] if low < high else []
        total: Storage | None = None
        for piece, block in a.stream(self.local, pieces, self.room):
            t = self._push_block(block, piece)
            self._count(read, a.size_of(piece))
            total = t if total is None else self.local.ewise_add(total, t, self.semiring.add.op)
        assert total is not None  # there are more entries than none
        return total

    def _push_block(self, block: Storage, piece: Piece) -> Storage:
        part = self.local.extract(self.u, (range(*piece),))
        if self._numbers_matter:
            rows = self.a.rows(piece)
            return self._multiply(self._storage(self._padded(rows, range(*piece))), self.u)
        t = self._multiply(block, part)
        return self._renumbered(t, np.arange(*piece)) if self._gives_numbers else t

    def _push_rows(self, rows: CSR, places: Array) -> Storage:
        """The product with these rows alone, numbered from 0 where the numbers do not matter."""
        if self._numbers_matter:
            return self._multiply(self._storage(self._padded(rows, places)), self.u)
        values = self.local.peek(self.local.extract(self.u, (places,)))[1]
        part = self.local.build((np.arange(len(places)),), values, (len(places),), None)
        t = self._multiply(self._storage(rows), part)
        return self._renumbered(t, places) if self._gives_numbers else t

    def _multiply(self, block: Storage, u: Storage) -> Storage:
        local = self.by_direction.get("push", self.local)  # there is no transpose to pull along
        return local.vxm(u, block, self.semiring, self.mask)

    @property
    def _gives_numbers(self) -> bool:
        """Whether sums are the least, or the greatest, number of a row: they can be translated later."""
        semiring, add = self.semiring, self.semiring.add
        return semiring.multiply.gives == "source" and add.selects is not None and add.domain == INT64

    @property
    def _numbers_matter(self) -> bool:
        return self.semiring.multiply.op.reads_index and not self._gives_numbers

    def _renumbered(self, t: Storage, old: Array) -> Storage:
        places, numbers = self.local.peek(t)
        return self.local.build((places.astype(np.int64),), old[numbers], (self.a.shape[1],), None)

    def _padded(self, rows: CSR, places: Array | range) -> CSR:
        """The rows at their own places among all, the others being empty."""
        counts = np.zeros(self.a.shape[0], np.int64)
        counts[places] = np.diff(rows[0])
        return np.concatenate([[0], np.cumsum(counts)]), rows[1], rows[2]

    def _storage(self, rows: CSR) -> Storage:
        return self.local.build_from_rows(*rows, (len(rows[0]) - 1, self.a.shape[1]))

    def _count(self, read: Read, nbytes: int) -> None:
        read.nbytes += nbytes
        read.pieces += 1
        if (trace := current_trace()) is not None:
            read.note(trace.noted("edges"))
