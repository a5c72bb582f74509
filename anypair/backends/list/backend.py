"""The contract, filled in: lists for graphs and their products with vectors, entries for all else."""

from typing import Any

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, Storage, StructuralMask
from anypair.backends.list.kernels import walking_kernels
from anypair.backends.list.storage import ListMatrix, Lists
from anypair.backends.registry import load
from anypair.backends.samples import sample_graph
from anypair.dtypes import Array, DType, Scalar
from anypair.memory import require
from anypair.semiring import TypedBinary, TypedMonoid, TypedNary, TypedSemiring
from anypair.trace import current as current_trace

REST = "scipy"  # whose vectors these are, and which computes what is no product with one


class ListBackend(Backend):
    """Adjacency lists on one thread: built without sorting, slow to walk along; the note's baseline."""

    name = "list"
    tells_places = True
    bytes_per_edge = (200, 400)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.rest = load(REST)

    def prepare(self, a: ListMatrix, run: Rehearsed) -> None:
        sample = sample_graph(self, np.arange(64), 64, 4, a.dtype, symmetric=True)
        run(self, sample, 64)

    # In and out

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Storage:
        return self._kept(self.rest.build(indices, values, shape, duplicates), shape, values.dtype)

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
    ) -> Storage:
        kinds = {"symmetric": symmetric, "self_loops": self_loops}
        if duplicates is None or not duplicates.op.never_raises:
            return super().build_graph(sources, targets, values, n, duplicates, **kinds)
        lists = Lists.of(sources, targets, values, (n, n), **kinds)
        return ListMatrix((n, n), values.dtype, lists=lists, duplicates=duplicates)

    def entries(self, x: Storage) -> tuple[Array, ...]:
        return self.rest.entries(self._stored(x))

    def peek(self, x: Storage) -> tuple[Array, ...]:
        return self.rest.peek(self._stored(x))

    def nvals(self, x: Storage) -> int:
        return self.rest.nvals(self._stored(x))

    def nbytes(self, x: Storage) -> int:
        return x.nbytes(self.rest) if isinstance(x, ListMatrix) else self.rest.nbytes(x)

    # Products

    def mxv(
        self, a: ListMatrix, u: Storage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        nrows, ncols = a.shape
        places, values = self.rest.peek(u)
        require(ncols * (1 + values.itemsize), f"a vector by its {ncols} places")
        present, by_place = np.zeros(ncols, np.bool_), np.empty(ncols, values.dtype)
        present[places], by_place[places] = True, values
        return self._walk("mxv", a, u, (present, by_place), nrows, semiring, mask)

    def vxm(
        self, u: Storage, a: ListMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        return self._walk("vxm", a, u, self.rest.peek(u), a.shape[1], semiring, mask)

    def _walk(
        self,
        operation: str,
        a: ListMatrix,
        u: Storage,
        vector: tuple[Array, ...],
        size: int,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> Storage:
        """The product, of `size` places, by a walk along lists."""
        require(size * (10 + semiring.result.itemsize), f"a vector by its {size} places")
        wanted = np.full(size, mask is None or mask.complemented)
        if mask is not None:
            wanted[self.rest.peek(mask.storage)[0]] = not mask.complemented
        lists = a.lists(self.rest, semiring)
        touched, sums = np.zeros(size, np.bool_), np.empty(size, semiring.result)
        reached = np.empty(size, np.int64)
        links = (lists.head, lists.following, lists.ends, lists.edges, lists.step)
        try:
            kernels: Any = walking_kernels(semiring)
            walk = kernels.walk_rows if operation == "mxv" else kernels.walk_from
            count, looked = walk(*vector, *links, wanted, touched, sums, reached)
        except Exception:  # of an operator, or of the compiler: through entries either is named, or done
            stored = self._stored(a)
            if operation == "mxv":
                return self.rest.mxv(stored, u, semiring, mask)
            return self.rest.vxm(u, stored, semiring, mask)
        if (trace := current_trace()) is not None:
            direction = "pull" if operation == "mxv" else "push"
            trace.note(direction=direction, formats="list", edges=looked)
        places = np.sort(reached[:count])
        return self.rest.build((places,), sums[places], (size,), None)

    def mxm(
        self, a: ListMatrix, b: ListMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Storage:
        inside = None if mask is None else StructuralMask(self._stored(mask.storage), mask.complemented)
        t = self.rest.mxm(self._stored(a), self._stored(b), semiring, inside)
        return self._kept(t, (a.shape[0], b.shape[1]), semiring.result)

    # Through entries

    def ewise_add(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return self._like(x, self.rest.ewise_add(self._stored(x), self._stored(y), op), op.result)

    def ewise_mult(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return self._like(x, self.rest.ewise_mult(self._stored(x), self._stored(y), op), op.result)

    def ewise_all(self, x: Storage, op: TypedNary, shape: Shape, *others: Storage) -> Storage:
        t = self.rest.ewise_all(self._stored(x), op, shape, *map(self._stored, others))
        return self._like(x, t, op.result)

    def apply(self, x: Storage, op: Applied) -> Storage:
        return self._like(x, self.rest.apply(self._stored(x), op), op.result)

    def select(self, x: Storage, op: Applied) -> Storage:
        return self._like(x, self.rest.select(self._stored(x), op))

    def restrict(self, x: Storage, mask: StructuralMask) -> Storage:
        inside = StructuralMask(self._stored(mask.storage), mask.complemented)
        return self._like(x, self.rest.restrict(self._stored(x), inside))

    def cast(self, x: Storage, dtype: DType) -> Storage:
        return self._like(x, self.rest.cast(self._stored(x), dtype), dtype)

    def reduce(self, x: Storage, monoid: TypedMonoid) -> Scalar:
        return self.rest.reduce(self._stored(x), monoid)

    def reduce_rows(self, a: ListMatrix, monoid: TypedMonoid) -> Storage:
        return self.rest.reduce_rows(self._stored(a), monoid)

    def extract(self, x: Storage, indices: Indices) -> Storage:
        t = self.rest.extract(self._stored(x), indices)
        if not isinstance(x, ListMatrix):
            return t
        counts = (n if axis is None else len(axis) for axis, n in zip(indices, x.shape, strict=True))
        return self._kept(t, tuple(counts), x.dtype)

    def place(self, x: Storage, indices: Indices, shape: Shape) -> Storage:
        t = self.rest.place(self._stored(x), indices, shape)
        return self._kept(t, shape, x.dtype) if isinstance(x, ListMatrix) else t

    def rowwise(self, columns: Storage, values: Storage, ncols: int) -> Storage:
        t = self.rest.rowwise(columns, values, ncols)
        return self._kept(t, self.rest.shape_of(t), self.rest.peek(values)[-1].dtype)

    def transpose(self, a: ListMatrix) -> Storage:
        return self._kept(self.rest.transpose(self._stored(a)), a.shape[::-1], a.dtype)

    def kron(self, a: ListMatrix, b: ListMatrix, op: TypedBinary) -> Storage:
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        return self._kept(self.rest.kron(self._stored(a), self._stored(b), op), shape, op.result)

    # The two forms

    def _stored(self, x: Storage) -> Storage:
        return x.stored(self.rest) if isinstance(x, ListMatrix) else x

    def _kept(self, stored: Storage, shape: Shape, dtype: DType) -> Storage:
        if len(shape) == 1:
            return stored
        return ListMatrix((shape[0], shape[1]), dtype, stored=stored)

    def _like(self, x: Storage, stored: Storage, dtype: DType | None = None) -> Storage:
        if not isinstance(x, ListMatrix):
            return stored
        return ListMatrix(x.shape, x.dtype if dtype is None else dtype, stored=stored)
