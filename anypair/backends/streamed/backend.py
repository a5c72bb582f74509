"""The contract, filled in: matrices are streamed through the local backend, vectors are its own."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeGuard

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, Storage, StructuralMask
from anypair.backends.options import Option, whole
from anypair.backends.places import count_of, kron_places, listed, place_of_each
from anypair.backends.plan import DIRECTIONS
from anypair.backends.registry import BACKENDS, backend_class, load
from anypair.backends.samples import sample_graph
from anypair.backends.streamed.folder import Folder, FolderWriter, open_folder, reserved
from anypair.backends.streamed.products import VectorProduct
from anypair.backends.streamed.scratch import Owner
from anypair.backends.streamed.sorting import Edges, Kind, Sorter
from anypair.backends.streamed.storage import CSR, Piece, StreamedMatrix
from anypair.dtypes import Array, DType, Scalar
from anypair.errors import UnknownOption
from anypair.memory import available, require
from anypair.semiring import TypedBinary, TypedMonoid, TypedNary, TypedSemiring, TypedUnary
from anypair.trace import current as current_trace

NOT_LOCAL = ("mpi", "streamed", "list")
SAMPLE = 4096  # vertices of a graph on which searches are tried
PIECES = 4  # of this size fit the limit: one is computed on, one read ahead, and copies of both
PIECES_MAPPED = 2  # where no copies are made


class StreamedBackend(Backend):
    """Matrices on disk, vectors in memory: graphs larger than memory."""

    name = "streamed"
    bytes_per_edge = (0, 0)  # edges and matrices are on disk
    declared: ClassVar[Mapping[str, Option]] = {
        "local": Option("jit"),  # by the registry
        "threads": whole(0, 0, "is not a number of threads", execution=True),
        "memory_limit": whole(0, 0, execution=True),  # bytes; 0 is half of what is free
        "scratch": Option(""),  # a folder for what operations make; the system's if it is empty
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        name, threads = self.options["local"], self.options["threads"]
        if name not in BACKENDS or name in NOT_LOCAL:
            others = ", ".join(other for other in BACKENDS if other not in NOT_LOCAL)
            raise UnknownOption(f"backend 'streamed': local={name!r} is none of {others}")
        scratch = self.options["scratch"]
        self.matrices_on_disk = scratch
        if not isinstance(scratch, str) or (scratch and not Path(scratch).is_dir()):
            raise UnknownOption(f"backend 'streamed': scratch={scratch!r} is not a folder")
        made_of = backend_class(name)
        given = {"threads": threads} if threads and "threads" in made_of.declared else {}
        self.by_direction = {"auto": load(name, given)}
        if "direction" in made_of.declared:
            self.by_direction |= {
                d: load(name, {**given, "direction": d}) for d in DIRECTIONS if d != "auto"
            }
        self.local = self.by_direction["auto"]
        self.compiles_operators = self.local.compiles_operators
        #: How many bytes matrices may take in memory.
        self.memory_limit: int = self.options["memory_limit"] or available() // 2
        #: Bytes of matrices that products have read, whether from disk or from the page cache.
        self.bytes_read = 0

    @property
    def threads(self) -> int:
        return self.local.threads

    @property
    def _piece_bytes(self) -> int:
        return self.memory_limit // (PIECES_MAPPED if self.local.keeps_rows else PIECES)

    def _room(self, a: StreamedMatrix) -> int:
        """How many bytes of pieces stay in memory from one operation to the next."""
        if self.local.keeps_rows:  # of a part one could use the rest less
            return self.memory_limit if a.nvals * a.entry_bytes <= self.memory_limit else 0
        return self.memory_limit // 2

    def prepare(self, a: StreamedMatrix, run: Rehearsed) -> None:
        rehearsing = StreamedBackend(**self.options)
        rehearsing.by_direction = {name: b.rehearsing() for name, b in self.by_direction.items()}
        rehearsing.local = rehearsing.by_direction["auto"]
        every = np.arange(SAMPLE)
        made = sample_graph(rehearsing, every, SAMPLE, 14, a.dtype, symmetric=a.symmetric)
        run(rehearsing, made, SAMPLE)

    # In and out

    def opened(self, path: Path) -> StreamedMatrix:
        return StreamedMatrix(open_folder(path))

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Storage:
        if len(shape) == 1:
            return self.local.build(indices, values, shape, duplicates)
        return self._sorted(
            [(indices[0], indices[1], values)],
            lambda: (shape[0], shape[1]),
            kind_of(values),
            duplicates,
        )

    def build_graph(
        self,
        sources: Array,
        targets: Array,
        values: Array,
        n: int,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> StreamedMatrix:
        step = max(self._piece_bytes // 64, 1 << 10)
        cuts = (slice(at, at + step) for at in range(0, len(sources), step))
        parts = ((sources[cut], targets[cut], values[cut]) for cut in cuts)
        return self.build_graph_of_parts(
            parts, lambda: n, values, duplicates, symmetric=symmetric, self_loops=self_loops
        )

    def build_graph_of_parts(
        self,
        parts: Iterable[Edges],
        n: Callable[[], int],
        like: Array,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool,
        self_loops: bool,
    ) -> StreamedMatrix:
        kind = kind_of(like, symmetric=symmetric, self_loops=self_loops)
        return self._sorted(parts, lambda: (n(), n()), kind, duplicates)

    def _sorted(
        self,
        parts: Iterable[Edges],
        shape: Callable[[], tuple[int, int]],
        kind: Kind,
        duplicates: TypedBinary | None,
    ) -> StreamedMatrix:
        """A matrix of edges that come in any order, in parts; the shape may be known only after them."""
        owner = Owner(self.options["scratch"])
        folder = self.save(owner.path, parts, shape, kind, duplicates)
        folder.owner = owner
        return StreamedMatrix(folder)

    def save(
        self,
        path: Path,
        parts: Iterable[Edges],
        shape: Callable[[], tuple[int, int]],
        kind: Kind,
        duplicates: TypedBinary | None,
        *,
        symmetric: bool = False,
        durable: bool = False,
    ) -> Folder:
        """As `_sorted`, in a folder, whose former content stays until the end; `symmetric` says that the
        entries are, edges apart.
        """
        with reserved(path):
            sorter = Sorter(self.local, path, kind, self.memory_limit)
            writer = None
            try:
                for part in parts:
                    sorter.add(*part)
                size = shape()
                require(24 * size[0], f"where {size[0]} rows begin")
                writer = FolderWriter(path, size, kind.dtype, max(self._piece_bytes, 1))
                sorter.finish(writer, duplicates)
            except BaseException:
                if writer is not None:
                    writer.abort()
                raise
            finally:
                sorter.close()
            return writer.finish(symmetric=symmetric or kind.symmetric, durable=durable)

    def saved(self, a: StreamedMatrix, path: Path, *, symmetric: bool) -> Folder:
        """A copy of a matrix in a folder of this name."""
        with reserved(path):
            writer = FolderWriter(path, a.shape, a.dtype, max(self._piece_bytes, 1))
            try:
                for piece, (starts, columns, values) in a.parts(self._pieces(a)):
                    writer.append(piece[1], np.diff(starts), columns, values)
            except BaseException:
                writer.abort()
                raise
            return writer.finish(symmetric=symmetric, durable=True)

    def _writer(self, shape: tuple[int, int], dtype: DType) -> tuple[FolderWriter, Owner]:
        owner = Owner(self.options["scratch"])
        return FolderWriter(owner.path, shape, dtype, max(self._piece_bytes, 1)), owner

    def entries(self, x: Storage) -> tuple[Array, ...]:
        if not isinstance(x, StreamedMatrix):
            return self.local.entries(x)
        rows = np.repeat(np.arange(x.shape[0]), np.diff(x.starts))
        columns, values = np.empty(x.nvals, np.int64), np.empty(x.nvals, x.dtype)
        for (first, last), part in x.parts(self._pieces(x)):
            here = slice(x.starts[first], x.starts[last])
            columns[here], values[here] = part[1:]
        return rows, columns, values

    def first_entries(self, x: Storage, shape: Shape, count: int) -> tuple[Array, ...]:
        if not isinstance(x, StreamedMatrix):
            return self.local.first_entries(x, shape, count)
        last = int(np.searchsorted(x.starts, min(count, x.nvals)))
        starts, columns, values = x.some_rows(np.arange(last))
        rows = np.repeat(np.arange(last), np.diff(starts))
        return rows[:count], columns[:count].astype(np.int64), values[:count].copy()

    def peek(self, x: Storage) -> tuple[Array, ...]:
        return self.entries(x) if isinstance(x, StreamedMatrix) else self.local.peek(x)

    def nvals(self, x: Storage) -> int:
        return x.nvals if isinstance(x, StreamedMatrix) else self.local.nvals(x)

    def nbytes(self, x: Storage) -> int:
        return x.nbytes if isinstance(x, StreamedMatrix) else self.local.nbytes(x)

    def finish(self, x: Storage) -> None:
        if not isinstance(x, StreamedMatrix):
            self.local.finish(x)

    def build_full(self, size: int, value: Array) -> Storage:
        return self.local.build_full(size, value)

    def build_from_words(self, words: Array, values: Array, size: int) -> Storage:
        return self.local.build_from_words(words, values, size)

    def block(self, u: Storage, size: int, missing: Scalar) -> Array:
        return self.local.block(u, size, missing)

    def words(self, x: Storage, size: int) -> Array:
        return self.local.words(x, size)

    # Products

    def mxv(
        self, a: StreamedMatrix, u: Storage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        return self._multiply(a, u, semiring, mask, by_rows=True)

    def vxm(
        self, u: Storage, a: StreamedMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        return self._multiply(a, u, semiring, mask, by_rows=False)

    def _multiply(
        self,
        a: StreamedMatrix,
        u: Storage,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        *,
        by_rows: bool,
    ) -> Storage:
        limit = max(self._piece_bytes, 1)
        product = VectorProduct(self.by_direction, a, u, semiring, mask, by_rows, limit, self._room(a))
        result, direction, read = product.run()
        self.bytes_read += read.nbytes
        if (trace := current_trace()) is not None:
            formats = f"{read.pieces} pieces, {read.nbytes} bytes"
            trace.note(direction=direction, formats=formats, edges=read.edges)
        return result

    def mxm(
        self, a: StreamedMatrix, b: StreamedMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> StreamedMatrix:
        """Rows of a times rows of b, which are at their own places among all: nothing is renumbered."""

        def product(piece: Piece, left: Storage) -> Storage:
            inside = None
            if mask is not None:
                inside = StructuralMask(self._rows(mask.storage, *piece), mask.complemented)
            total = None
            for part, own in b.parts(self._pieces(b)):
                rows = (self._padded(b, part), *own[1:])
                right = self.local.build_from_rows(*rows, b.shape)
                t = self.local.mxm(left, right, semiring, inside)
                total = t if total is None else self.local.ewise_add(total, t, semiring.add.op)
            return total

        if not b.nvals or not a.nvals:
            return self._sorted([], lambda: (a.shape[0], b.shape[1]), Kind(semiring.result), None)
        return self._row_by_row(a, product, semiring.result, b.shape[1])

    def _padded(self, b: StreamedMatrix, piece: Piece) -> Array:
        starts = np.clip(b.starts, b.starts[piece[0]], b.starts[piece[1]])
        padded: Array = starts - b.starts[piece[0]]
        return padded

    # Entry by entry

    def ewise_add(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return self._merge(self.local.ewise_add, x, y, op)

    def ewise_mult(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return self._merge(self.local.ewise_mult, x, y, op)

    def ewise_all(self, x: Storage, op: TypedNary, shape: Shape, *others: Storage) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.ewise_all(x, op, shape, *others)

        def combined(piece: Piece, part: Storage) -> Storage:
            rest = (self._rows(y, *piece) for y in others)
            return self.local.ewise_all(part, op, (piece[1] - piece[0], shape[1]), *rest)

        return self._row_by_row(x, combined, op.result, shape[1])

    def _merge(self, merge: Callable[..., Storage], x: Storage, y: Storage, op: TypedBinary) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return merge(x, y, op)
        return self._row_by_row(
            x, lambda piece, left: merge(left, self._rows(y, *piece), op), op.result, x.shape[1]
        )

    def apply(self, x: Storage, op: Applied) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.apply(x, op)

        def applied(piece: Piece, part: Storage) -> Storage:
            if not _sees_places(op):
                return self.local.apply(part, op)
            starts, columns, _ = x.rows(piece)
            return self.local.build_from_rows(
                starts, columns, self._by_place(x, piece, part, op), (piece[1] - piece[0], x.shape[1])
            )

        return self._row_by_row(x, applied, op.result, x.shape[1])

    def select(self, x: Storage, op: Applied) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.select(x, op)

        def selected(piece: Piece, part: Storage) -> Storage:
            if not _sees_places(op):
                return self.local.select(part, op)
            kept = self._by_place(x, piece, part, op).astype(np.bool_)
            starts, columns, values = x.rows(piece)
            before = np.concatenate([[0], np.cumsum(kept)])
            shape = (piece[1] - piece[0], x.shape[1])
            return self.local.build_from_rows(before[starts], columns[kept], values[kept], shape)

        return self._row_by_row(x, selected, x.dtype, x.shape[1])

    def _by_place(self, x: StreamedMatrix, piece: Piece, part: Storage, op: TypedUnary) -> Array:
        """What an operator that sees indices makes of the entries of a piece."""
        rows, columns, _ = self.local.peek(part)
        places = (rows.astype(np.int64) + piece[0], columns.astype(np.int64))
        return self.local.apply_at(part, op, places, x.shape)

    def restrict(self, x: Storage, mask: StructuralMask) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.restrict(x, mask)

        def inside(piece: Piece, part: Storage) -> Storage:
            other = StructuralMask(self._rows(mask.storage, *piece), mask.complemented)
            return self.local.restrict(part, other)

        return self._row_by_row(x, inside, x.dtype, x.shape[1])

    def cast(self, x: Storage, dtype: DType) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.cast(x, dtype)
        if dtype == x.dtype:  # folders are never written to again
            return StreamedMatrix(x.folder, symmetric=x.symmetric)
        made = self._row_by_row(x, lambda _, part: self.local.cast(part, dtype), dtype, x.shape[1])
        return self.as_symmetric(made) if x.symmetric else made

    def write(
        self,
        out: Storage,
        t: Storage,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Storage:
        if isinstance(out, StreamedMatrix):
            return super().write(out, t, mask, accum, replace, dtype)
        return self.local.write(out, t, mask, accum, replace, dtype)

    def merge(self, out: Storage, t: Storage, dtype: DType) -> Storage:
        if isinstance(out, StreamedMatrix):
            return super().merge(out, t, dtype)
        return self.local.merge(out, t, dtype)

    # Fewer, other or more entries

    def reduce(self, x: Storage, monoid: TypedMonoid) -> Scalar:
        if not isinstance(x, StreamedMatrix):
            return self.local.reduce(x, monoid)
        sums = [self.local.reduce(part, monoid) for _, part in self._stream(x) if self.local.nvals(part)]
        if not sums:
            return monoid.identity
        total = sums[0]
        for other in sums[1:]:
            total = monoid.op(total, other)
        return total

    def reduce_rows(self, a: StreamedMatrix, monoid: TypedMonoid) -> Storage:
        places, values = [np.empty(0, np.int64)], [np.empty(0, monoid.domain)]
        for piece, part in self._stream(a):
            at, sums = self.local.peek(self.local.reduce_rows(part, monoid))
            places.append(at.astype(np.int64) + piece[0])
            values.append(sums)
        return self.local.build((np.concatenate(places),), np.concatenate(values), a.shape[:1], None)

    def extract(self, x: Storage, indices: Indices) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.extract(x, indices)
        rows, columns = indices
        wanted = np.arange(x.shape[0]) if rows is None else listed(rows)
        ncols = count_of(columns, x.shape[1])
        writer, owner = self._writer((len(wanted), ncols), x.dtype)
        ends = np.cumsum(x.starts[wanted + 1] - x.starts[wanted]) * x.entry_bytes
        row = 0
        while row < len(wanted):  # as many rows as fit, at least one
            before = int(ends[row - 1]) if row else 0
            following = max(int(np.searchsorted(ends, before + self._piece_bytes, "right")), row + 1)
            some = x.some_rows(wanted[row:following])
            part = self.local.build_from_rows(*some, (following - row, x.shape[1]))
            if columns is not None:
                part = self.local.extract(part, (None, columns))
            self._append(writer, part, following)
            row = following
        return _finished(writer, owner)

    def place(self, x: Storage, indices: Indices, shape: Shape) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.place(x, indices, shape)
        return self._moved(
            x, lambda i, j: (place_of_each(indices[0], i), place_of_each(indices[1], j)), shape
        )

    def renumber(self, u: Storage, old: Array, size: int, *, values: bool) -> Storage:
        return self.local.renumber(u, old, size, values=values)

    def relabel(
        self, x: Storage, rename: Callable[[Array], Array], shape: Shape, *, values: bool
    ) -> Storage:
        if not isinstance(x, StreamedMatrix):
            return self.local.relabel(x, rename, shape, values=values)
        return self._moved(x, lambda i, j: (rename(i), rename(j)), shape)

    def rowwise(self, columns: Storage, values: Storage, ncols: int) -> StreamedMatrix:
        t = self.local.rowwise(columns, values, ncols)
        shape = self.local.shape_of(t)
        writer, owner = self._writer(shape, self.local.to_rows(t)[2].dtype)
        self._append(writer, t, shape[0])
        return _finished(writer, owner)

    def transpose(self, a: StreamedMatrix) -> StreamedMatrix:
        if a.symmetric:
            return StreamedMatrix(a.folder, symmetric=True)
        return self._moved(a, lambda i, j: (j, i), a.shape[::-1])

    def as_symmetric(self, a: StreamedMatrix) -> StreamedMatrix:
        return StreamedMatrix(a.folder, symmetric=True)

    def kron(self, a: StreamedMatrix, b: StreamedMatrix, op: TypedBinary) -> StreamedMatrix:
        """A part of a's rows with all of b, which has to fit into memory."""
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        right_rows, right_columns, right = self.entries(b)

        def parts() -> Iterator[CSR]:
            for piece, (starts, columns, values) in a.parts(self._pieces(a)):
                rows = np.repeat(np.arange(*piece), np.diff(starts))
                step = max(self._piece_bytes // (64 * max(len(right), 1)), 1)
                for at in range(0, len(rows), step):
                    some = slice(at, at + step)
                    left = (rows[some], columns[some].astype(np.int64))
                    x, y = np.repeat(values[some], len(right)), np.tile(right, len(left[0]))
                    yield (
                        *kron_places(left, (right_rows, right_columns), b.shape),
                        self._products(x, y, op),
                    )

        require(48 * len(right), f"a copy of {len(right)} entries")
        return self._sorted(parts(), lambda: shape, Kind(op.result), None)

    def _products(self, x: Array, y: Array, op: TypedBinary) -> Array:
        places = (np.arange(len(x)),)
        left, right = (self.local.build(places, v, (len(x),), None) for v in (x, y))
        return self.local.entries(self.local.ewise_mult(left, right, op))[-1]

    # Rows of matrices, in order

    def _pieces(self, x: StreamedMatrix) -> list[Piece]:
        return x.pieces(max(self._piece_bytes, 1))

    def _stream(self, x: StreamedMatrix) -> Iterator[tuple[Piece, Storage]]:
        return x.stream(self.local, self._pieces(x), self._room(x))

    def _rows(self, x: StreamedMatrix, first: int, last: int) -> Storage:
        """Some rows of another matrix, whose blocks may have other bounds."""
        shape = (last - first, x.shape[1])
        return self.local.build_from_rows(*x.some_rows(np.arange(first, last)), shape)

    def _row_by_row(
        self, x: StreamedMatrix, make: Callable[[Piece, Storage], Storage], dtype: DType, ncols: int
    ) -> StreamedMatrix:
        """What `make` has for each piece of x, as a matrix."""
        writer, owner = self._writer((x.shape[0], ncols), dtype)
        for piece, part in self._stream(x):
            self._append(writer, make(piece, part), piece[1])
        return _finished(writer, owner)

    def _append(self, writer: FolderWriter, part: Storage, last: int) -> None:
        starts, columns, values = self.local.to_rows(part)
        writer.append(last, np.diff(starts), columns, values)

    def _moved(
        self, x: StreamedMatrix, move: Callable[[Array, Array], tuple[Array, Array]], shape: Shape
    ) -> StreamedMatrix:
        """Entries with other places, sorted again."""

        def parts() -> Iterator[CSR]:
            for piece, (starts, columns, values) in x.parts(self._pieces(x)):
                rows = np.repeat(np.arange(*piece), np.diff(starts))
                yield *move(rows, columns.astype(np.int64)), values

        kind = Kind(x.dtype, x.one_value)
        return self._sorted(parts(), lambda: (shape[0], shape[1]), kind, None)


def kind_of(values: Array, *, symmetric: bool = False, self_loops: bool = True) -> Kind:
    """The kind of edges that have such values: of stride 0 if one stands for all."""
    is_one = len(values) > 1 and values.strides == (0,)
    return Kind(values.dtype, values[:1].copy() if is_one else None, symmetric, self_loops)


def _sees_places(op: Applied) -> TypeGuard[TypedUnary]:
    return isinstance(op, TypedUnary) and op.op.indexed


def _finished(writer: FolderWriter, owner: Owner) -> StreamedMatrix:
    folder = writer.finish()
    folder.owner = owner
    return StreamedMatrix(folder)
