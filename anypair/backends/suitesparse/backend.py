"""The contract, filled in with calls of SuiteSparse:GraphBLAS."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, StructuralMask
from anypair.backends.options import Option, choice, whole
from anypair.backends.places import Places, count_of, listed
from anypair.backends.plan import DIRECTIONS
from anypair.backends.samples import sample_graph
from anypair.backends.suitesparse import elementwise, forking, operators, transfer
from anypair.backends.suitesparse.library import (
    NULL,
    call,
    ffi,
    index_buffer,
    lib,
    query_scalar,
    symbol,
)
from anypair.backends.suitesparse.library_calls import ThreadLimit, calls_library
from anypair.backends.suitesparse.operators import binary_to_cast, raise_failures
from anypair.backends.suitesparse.products import (
    TUNING,
    descriptor,
    matrix_times_matrix,
    vector_times_matrix,
)
from anypair.backends.suitesparse.storage import (
    MatrixStorage,
    Storage,
    VectorStorage,
    compute,
    new_vector,
)
from anypair.compiling.columns import at_once, over_columns
from anypair.dtypes import Array, DType, Scalar
from anypair.semiring import TypedBinary, TypedMonoid, TypedNary, TypedSemiring

SAMPLE = 64  # vertices of a graph that is searched before a timer starts


class SuiteSparseBackend(Backend):
    """SuiteSparse:GraphBLAS; `threads` limits how many it uses, 0 leaves that to the library."""

    name = "suitesparse"
    tells_places = True
    compiles_operators = True
    bytes_per_edge = (146, 158)
    declared: ClassVar[Mapping[str, Option]] = {
        "threads": whole(0, 0, "is not a number from 0 on", execution=True),
        "direction": choice("auto", DIRECTIONS, execution=True),
    }
    tuning = TUNING

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._threads: int = self.options["threads"]
        self.direction: str = self.options["direction"]
        self.thread_limit = ThreadLimit(self._threads) if self._threads else None

    @property
    def threads(self) -> int:
        if forking.is_child():
            return 1
        if self._threads:
            return self._threads
        number = ffi.new("int32_t*")
        call(lib.GxB_Global_Option_get_INT32, lib.GxB_GLOBAL_NTHREADS, number)
        return int(number[0])

    def prepare(self, a: MatrixStorage, run: Rehearsed) -> None:
        # Operators that are not native are compiled when they are first met.
        run(self, sample_graph(self, np.arange(SAMPLE), SAMPLE, 3, a.dtype, symmetric=False), SAMPLE)

    @calls_library
    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Storage:
        return transfer.build(indices, values, shape, duplicates)

    @calls_library
    def build_full(self, size: int, value: Array) -> VectorStorage:
        return transfer.full_vector(size, value)

    @calls_library
    def entries(self, x: Storage) -> tuple[Array, ...]:
        return transfer.entries(x)

    @calls_library
    def nvals(self, x: Storage) -> int:
        return x.nvals

    @calls_library
    def nbytes(self, x: Storage) -> int:
        return x.nbytes

    @calls_library
    def finish(self, x: Storage) -> None:
        transfer.finish(x)

    @calls_library
    def mxv(
        self, a: MatrixStorage, u: VectorStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> VectorStorage:
        return vector_times_matrix(u, a.transpose(), semiring, mask, self.direction, self.tuning)

    @calls_library
    def vxm(
        self, u: VectorStorage, a: MatrixStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> VectorStorage:
        return vector_times_matrix(u, a, semiring, mask, self.direction, self.tuning)

    @calls_library
    def mxm(
        self, a: MatrixStorage, b: MatrixStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> MatrixStorage:
        return matrix_times_matrix(a, b, semiring, mask)

    @calls_library
    def ewise_add(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return elementwise.union(x, y, op)

    @calls_library
    def ewise_mult(self, x: Storage, y: Storage, op: TypedBinary) -> Storage:
        return elementwise.intersection(x, y, op)

    def columnwise(self, op: TypedNary, columns: Sequence[Array]) -> Array:
        return over_columns(self.name, op, columns, at_once)

    @calls_library
    def apply(self, x: Storage, op: Applied) -> Storage:
        return elementwise.apply(x, op)

    @calls_library
    def select(self, x: Storage, op: Applied) -> Storage:
        return elementwise.select(x, op)

    @calls_library
    def restrict(self, x: Storage, mask: StructuralMask) -> Storage:
        return elementwise.restrict(x, mask)

    @calls_library
    def cast(self, x: Storage, dtype: DType) -> Storage:
        return x.cast(dtype)

    @calls_library
    def reduce(self, x: Storage, monoid: TypedMonoid) -> Scalar:
        if not x.nvals:
            return monoid.identity
        operator = operators.monoid(monoid)
        function = symbol(f"GrB_{x.kind}_reduce", monoid.domain)
        total = query_scalar(function, monoid.domain, NULL, operator.handle, x.handle, NULL)
        raise_failures(lambda: True, operator)
        return total

    @calls_library
    def reduce_rows(self, a: MatrixStorage, monoid: TypedMonoid) -> VectorStorage:
        operator = operators.monoid(monoid)
        t = new_vector(a.shape[0], monoid.domain)
        if not a.nvals:  # as in vector_times_matrix
            return t
        stored, how = (a.rows, NULL) if a.has_rows else (a.columns, lib.GrB_DESC_T0)
        call(lib.GrB_Matrix_reduce_Monoid, t.handle, NULL, NULL, operator.handle, stored.handle, how)
        raise_failures(lambda: t.nvals, operator)
        return t

    @calls_library
    def extract(self, x: Storage, indices: Indices) -> Storage:
        shape = tuple(map(count_of, indices, x.shape))
        return compute("extract", shape, x.dtype, NULL, x.handle, *_places(indices, shape), NULL)

    @calls_library
    def place(self, x: Storage, indices: Indices, shape: Shape) -> Storage:
        return compute("assign", shape, x.dtype, NULL, x.handle, *_places(indices, x.shape), NULL)

    @calls_library
    def rowwise(self, columns: VectorStorage, values: VectorStorage, ncols: int) -> Storage:
        return transfer.rowwise(columns, values, ncols)

    def transpose(self, a: MatrixStorage) -> MatrixStorage:
        return a.transpose()

    @calls_library
    def as_symmetric(self, a: MatrixStorage) -> MatrixStorage:
        return a.as_symmetric()

    @calls_library
    def kron(self, a: MatrixStorage, b: MatrixStorage, op: TypedBinary) -> Storage:
        operator = binary_to_cast(op)
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        operands = (operator.handle, a.handle, b.handle)
        t = compute("kronecker_BinaryOp", shape, op.result, NULL, *operands, NULL)
        raise_failures(lambda: t.nvals, operator)
        return t

    @calls_library
    def write(
        self,
        out: Storage,
        t: Storage,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Storage:
        if mask is not None and not mask.complemented and mask.storage.nvals == prod(out.shape):
            mask, replace = None, False  # it hides nothing, and with an accum the library crashes
        if accum is None and mask is None:
            return t.cast(dtype)
        operator = NULL
        if accum is not None:
            found = binary_to_cast(accum)
            if not found.native:  # it may raise, when out has already changed
                written: Storage = super().write(out, t, mask, accum, replace, dtype)
                return written
            operator = found.handle
        return out.assign(t, mask, operator, descriptor(mask, replace=replace))

    @calls_library
    def merge(self, out: Storage, t: Storage, dtype: DType) -> Storage:
        inside = StructuralMask(t, False)
        return out.assign(t, inside, NULL, descriptor(inside))


def _places(indices: Indices, lengths: Shape) -> tuple[Any, ...]:
    """Places as the library takes them, each axis with its length or what kind of a range it is."""
    return tuple(part for axis in map(_axis, indices, lengths) for part in axis)


def _axis(places: Places, length: int) -> tuple[Any, Any]:
    if places is None:
        return lib.GrB_ALL, length
    if not isinstance(places, range) or not places:
        return index_buffer(listed(places)), length
    kind = lib.GxB_BACKWARDS if places.step < 0 else lib.GxB_STRIDE
    return index_buffer(np.array([places[0], places[-1], abs(places.step)])), kind
