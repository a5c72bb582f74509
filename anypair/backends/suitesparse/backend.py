"""The contract, filled in with calls of SuiteSparse:GraphBLAS."""

from collections.abc import Callable, Mapping
from functools import wraps
from math import prod
from threading import local
from typing import Any

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, StructuralMask
from anypair.backends.places import Places, count_of, listed
from anypair.backends.samples import sample_graph
from anypair.backends.suitesparse import elementwise, forking, operators, transfer
from anypair.backends.suitesparse.library import (
    NULL,
    as_scalar,
    ffi,
    index_buffer,
    lib,
    made,
    named,
    run,
)
from anypair.backends.suitesparse.operators import binary_to_cast, raise_failures
from anypair.backends.suitesparse.products import descriptor, matrix_times_matrix, vector_times_matrix
from anypair.backends.suitesparse.storage import (
    Held,
    MatrixStorage,
    VectorStorage,
    computed,
    new_vector,
)
from anypair.dtypes import Array, DType, Scalar
from anypair.errors import UnknownOption
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring, second

SAMPLE = 64  # vertices of a graph that is searched before a timer starts


class SuiteSparseBackend(Backend):
    """SuiteSparse:GraphBLAS; `threads` limits how many it uses, 0 leaves that to the library."""

    name = "suitesparse"
    options: Mapping[str, Any] = {"threads": 0}

    def __init__(self, threads: int = 0) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 0:
            raise UnknownOption(f"backend 'suitesparse': threads={threads!r} is not a number from 0 on")
        self._threads = threads
        if threads:
            limit = _Threads(threads)
            for name in (*Backend.__abstractmethods__, "write"):
                setattr(self, name, _limited(getattr(self, name), limit))

    @property
    def threads(self) -> int:
        if forking.is_child():
            return 1
        if self._threads:
            return self._threads
        number = ffi.new("int32_t*")
        run(lib.GxB_Global_Option_get_INT32, lib.GxB_GLOBAL_NTHREADS, number)
        return int(number[0])

    def prepare(self, a: MatrixStorage, run: Rehearsed) -> None:
        # Operators that are not native are compiled when they are first met.
        run(self, sample_graph(self, np.arange(SAMPLE), SAMPLE, 3, a.dtype, symmetric=False), SAMPLE)

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Held:
        return transfer.build(indices, values, shape, duplicates)

    def build_full(self, size: int, value: Array) -> VectorStorage:
        return transfer.full_vector(size, value)

    def entries(self, x: Held) -> tuple[Array, ...]:
        return transfer.entries(x)

    def nvals(self, x: Held) -> int:
        return x.nvals

    def nbytes(self, x: Held) -> int:
        return x.nbytes

    def finish(self, x: Held) -> None:
        transfer.finish(x)

    def mxv(
        self, a: MatrixStorage, u: VectorStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> VectorStorage:
        return vector_times_matrix(u, a.transposed(), semiring, mask)

    def vxm(
        self, u: VectorStorage, a: MatrixStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> VectorStorage:
        return vector_times_matrix(u, a, semiring, mask)

    def mxm(
        self, a: MatrixStorage, b: MatrixStorage, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> MatrixStorage:
        return matrix_times_matrix(a, b, semiring, mask)

    def ewise_add(self, x: Held, y: Held, op: TypedBinary) -> Held:
        return elementwise.union(x, y, op)

    def ewise_mult(self, x: Held, y: Held, op: TypedBinary) -> Held:
        return elementwise.intersection(x, y, op)

    def apply(self, x: Held, op: Applied) -> Held:
        return elementwise.applied(x, op)

    def select(self, x: Held, op: Applied) -> Held:
        return elementwise.selected(x, op)

    def restrict(self, x: Held, mask: StructuralMask) -> Held:
        return elementwise.restricted(x, mask)

    def cast(self, x: Held, dtype: DType) -> Held:
        return x.cast(dtype)

    def reduce(self, x: Held, monoid: TypedMonoid) -> Scalar:
        if not x.nvals:
            return monoid.identity
        operator = operators.monoid(monoid)
        function = named(f"GrB_{x.kind}_reduce", monoid.domain)
        total = as_scalar(function, monoid.domain, NULL, operator.handle, x.handle, NULL)
        raise_failures(lambda: True, operator)
        return total

    def reduce_rows(self, a: MatrixStorage, monoid: TypedMonoid) -> VectorStorage:
        operator = operators.monoid(monoid)
        t = new_vector(a.shape[0], monoid.domain)
        if not a.nvals:  # as in vector_times_matrix
            return t
        side, how = (a.rows, NULL) if a.has_rows else (a.columns, lib.GrB_DESC_T0)
        run(lib.GrB_Matrix_reduce_Monoid, t.handle, NULL, NULL, operator.handle, side.handle, how)
        raise_failures(lambda: t.nvals, operator)
        return t

    def extract(self, x: Held, indices: Indices) -> Held:
        shape = tuple(map(count_of, indices, x.shape))
        return computed("extract", shape, x.dtype, NULL, x.handle, *_places(indices, shape), NULL)

    def place(self, x: Held, indices: Indices, shape: Shape) -> Held:
        return computed("assign", shape, x.dtype, NULL, x.handle, *_places(indices, x.shape), NULL)

    def rowwise(self, columns: VectorStorage, values: VectorStorage, ncols: int) -> Held:
        return transfer.rowwise(columns, values, ncols)

    def transpose(self, a: MatrixStorage) -> MatrixStorage:
        return a.transposed()

    def as_symmetric(self, a: MatrixStorage) -> MatrixStorage:
        return a.mirrored()

    def kron(self, a: MatrixStorage, b: MatrixStorage, op: TypedBinary) -> Held:
        operator = binary_to_cast(op)
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        operands = (operator.handle, a.handle, b.handle)
        t = computed("kronecker_BinaryOp", shape, op.result, NULL, *operands, NULL)
        raise_failures(lambda: t.nvals, operator)
        return t

    def write(
        self,
        out: Held,
        t: Held,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Held:
        if mask is not None and not mask.complemented and mask.storage.nvals == prod(out.shape):
            mask, replace = None, False  # it hides nothing, and with an accum the library crashes
        if accum is None and mask is None:
            return t.cast(dtype)
        operator = NULL
        if accum is not None and accum.op.function is second.function and mask is None:
            mask, replace = StructuralMask(t, False), False
        elif accum is not None:
            found = binary_to_cast(accum)
            if not found.native:  # it may raise, when out has already changed
                written: Held = super().write(out, t, mask, accum, replace, dtype)
                return written
            operator = found.handle
        return out.assigned(t, mask, operator, descriptor(mask, replace=replace))


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


def _limited(method: Callable[..., Any], threads: "_Threads") -> Callable[..., Any]:
    @wraps(method)
    def limited(*arguments: Any, **keywords: Any) -> Any:
        with threads:
            return method(*arguments, **keywords)

    return limited


class _Threads:
    """Within it the library uses at most so many threads; one method may call another."""

    def __init__(self, number: int) -> None:
        self.context = made("GxB_Context", lib.GxB_Context_new)
        self.limit(number)
        self.entered = local()
        forking.limit_in_child(self)

    def limit(self, number: int) -> None:
        """Use at most so many from now on."""
        run(lib.GxB_Context_set_INT32, self.context[0], lib.GxB_CONTEXT_NTHREADS, number)

    def __enter__(self) -> None:
        depth = getattr(self.entered, "depth", 0)
        if not depth:
            run(lib.GxB_Context_engage, self.context[0])
        self.entered.depth = depth + 1

    def __exit__(self, *error: object) -> None:
        self.entered.depth -= 1
        if not self.entered.depth:
            run(lib.GxB_Context_disengage, self.context[0])
