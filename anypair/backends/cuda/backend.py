"""The contract, filled in for one GPU."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, StructuralMask
from anypair.backends.cuda.arrays import Arrays, DeviceArray, ThreadFailedError, index_dtype, step_of
from anypair.backends.cuda.building import build, mirrored, values_to_device
from anypair.backends.cuda.device import Device, open_device, refuses_a_text, take_device
from anypair.backends.cuda.device_arrays import DeviceArrays
from anypair.backends.cuda.elementwise import (
    Entries,
    applied_values,
    cast_values,
    combined,
    intersection,
    intersection_of_all,
    keep_entries,
    kept_entries,
    restrict,
    sum_all,
    sum_rows,
    union,
    with_values,
)
from anypair.backends.cuda.extraction import extract_matrix, extract_vector
from anypair.backends.cuda.kernels import entry_kernels
from anypair.backends.cuda.matrix_products import matrix_times_matrix
from anypair.backends.cuda.options import OPTIONS
from anypair.backends.cuda.products import VectorProduct
from anypair.backends.cuda.pulling import pull
from anypair.backends.cuda.pushing import push
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.backends.cuda.workspace import Workspace
from anypair.backends.operator_names import names_of, quoted
from anypair.backends.options import Option
from anypair.backends.places import listed
from anypair.backends.samples import sample_graph
from anypair.backends.tuning import Tuning
from anypair.backends.write_rule import only_adds
from anypair.dtypes import INT64, Array, DType, Scalar
from anypair.errors import AnypairError, IndexOutOfRange, OperatorError
from anypair.semiring import (
    BoundOp,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
)
from anypair.semiring.numba_form import refusal
from anypair.trace import current as current_trace

Method = TypeVar("Method", bound=Callable[..., Any])
SAMPLE = 4096  # vertices of a graph that is searched before a timer starts: one row is long
OPERATORS = (TypedNary, TypedBinary, TypedMonoid, TypedSemiring, TypedUnary, BoundOp)


def on_device(method: Method) -> Method:
    """Run a method of the contract on the device's stream.

    What an operator raises, or Numba says of its text, names the operator; a failing machine, the GPU.
    """

    @wraps(method)
    def run(self: "CudaBackend", *arguments: Any, **keywords: Any) -> Any:
        with self.device.scope():
            try:
                return method(self, *arguments, **keywords)
            except (AnypairError, MemoryError):
                raise
            except Exception as error:
                if isinstance(error, ThreadFailedError):
                    raise _named(error, arguments) from error
                if refuses_a_text(error):
                    raise _named(error, arguments) from None  # dozens of Numba's frames
                if failure := self.device.failure(error):
                    raise failure from error
                raise

    return run  # type: ignore[return-value]


def _named(error: Exception, arguments: tuple[Any, ...]) -> Exception:
    op = next((x for x in arguments if isinstance(x, OPERATORS)), None)
    if op is None:
        return error
    if isinstance(error, ThreadFailedError):
        said = next((line for line in str(error).splitlines() if line.strip()), "")
        return OperatorError(f"operator {quoted(op)} raised {said}", operator=names_of(op))
    return OperatorError(refusal(quoted(op), "cuda", error), operator=names_of(op))


class CudaBackend(Backend):
    """CuPy arrays and numba-cuda kernels."""

    name = "cuda"
    compiles_operators = True
    declared: ClassVar[Mapping[str, Option]] = OPTIONS
    tuning = Tuning(bitmap_from=32)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        given = self.options
        self._set_up(open_device(given["device"], given["block"], given["memory_limit"]))

    @classmethod
    def on(cls, device: Device, **options: Any) -> "CudaBackend":
        """A backend on a device made elsewhere."""
        made = cls.__new__(cls)
        Backend.__init__(made, **options)
        made._set_up(device)
        return made

    def _set_up(self, device: Device) -> None:
        self.identity = (*self.identity, device)
        self.device = device
        self.arrays = Arrays(device)
        self.workspace = Workspace()
        self.direction: str = self.options["direction"]
        self.strategy: str = self.options["strategy"]
        self.buffer: int = self.options["buffer"]

    @classmethod
    def options_of_rank(cls, number: int, threads: int) -> dict[str, Any]:
        return {"device": take_device(number)}  # ranks of a machine take its GPUs in turn

    def device_arrays(self) -> DeviceArrays:
        with self.device.scope():
            return DeviceArrays(self, self.arrays)

    def prepare(self, a: CudaMatrix, run: Rehearsed) -> None:
        for direction in ("push", "pull"):
            options = {"direction": direction, "strategy": self.strategy, "buffer": self.buffer}
            backend = CudaBackend.on(self.device, **options)
            symmetric = a.transposed is a
            sample = sample_graph(backend, np.arange(SAMPLE), SAMPLE, 3, a.dtype, symmetric=symmetric)
            run(backend, sample, SAMPLE)

    # In and out

    @on_device
    def build(
        self, indices: tuple[Array, ...], values: Array, shape: Shape, duplicates: TypedBinary | None
    ) -> Entries:
        if len(shape) == 2:
            self.device.require(8 * sum(shape), f"a matrix of {shape[0]} rows and {shape[1]} columns")
        places = tuple(self.arrays.to_device(axis, INT64) for axis in indices)
        given = values_to_device(self.arrays, values)
        return build(self.arrays, places, given, shape, values.dtype, duplicates)

    @on_device
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
    ) -> Any:
        arrays = self.arrays
        i, j = (arrays.to_device(axis, INT64) for axis in (sources, targets))
        given = values_to_device(arrays, values)
        if not self_loops:
            proper = arrays.places_where(i != j)
            i, j = arrays.take(i, proper), arrays.take(j, proper)
            given = arrays.take_values(given, proper)
        if symmetric:
            i, j, given = mirrored(arrays, i, j, given)
        return build(arrays, (i, j), given, (n, n), values.dtype, duplicates)

    @on_device
    def entries(self, x: Entries) -> tuple[Array, ...]:
        if isinstance(x, CudaVector):
            axes: tuple[Any, ...] = (x.indices,)
        else:
            axes = (x.rows(), x.indices)
        host = self.arrays.to_host(x.values)
        if len(host) != x.nvals:
            host = np.repeat(host, x.nvals)
        return (*(self.arrays.to_host(axis).astype(np.int64) for axis in axes), host)

    def nvals(self, x: Entries) -> int:
        return x.nvals

    def nbytes(self, x: Entries) -> int:
        return x.nbytes

    @on_device
    def finish(self, x: Entries) -> None:
        self.device.synchronize()

    # Products

    @on_device
    def mxv(
        self, a: CudaMatrix, u: CudaVector, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> CudaVector:
        return self._multiply(u, a.transposed, a, semiring, mask)

    @on_device
    def vxm(
        self, u: CudaVector, a: CudaMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> CudaVector:
        return self._multiply(u, a, a.transposed, semiring, mask)

    def _multiply(
        self,
        u: CudaVector,
        out_rows: CudaMatrix | None,
        in_rows: CudaMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> CudaVector:
        product = VectorProduct(
            self.arrays, self.workspace, u, out_rows, in_rows, semiring, mask, self.buffer
        )
        direction = self.direction
        if self.strategy == "two_phase":
            direction = "push"  # the baseline knows no other
        elif direction == "auto":
            direction = product.plan.direction(product, self.tuning).direction
        if direction == "push":
            result = push(product, out_rows or product.a.transpose(), self.strategy)
        else:
            result = pull(product, in_rows or product.a.transpose())
        if (trace := current_trace()) is not None:
            formats = f"{u.format} to {result.format}"
            trace.note(direction=direction, formats=formats, edges=product.looked_at)
        return result

    @on_device
    def mxm(
        self, a: CudaMatrix, b: CudaMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> CudaMatrix:
        return matrix_times_matrix(a, b, semiring, mask, self.buffer)

    # Entry by entry

    @on_device
    def ewise_add(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        merged: Entries = union(x, y, op)
        return merged

    @on_device
    def ewise_mult(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        merged: Entries = intersection(x, y, op)
        return merged

    @on_device
    def ewise_all(self, x: Entries, op: TypedNary, shape: Shape, *others: Entries) -> Entries:
        found: Entries = intersection_of_all(x, op, others)
        return found

    @on_device
    def apply(self, x: Entries, op: Applied) -> Entries:
        applied: Entries = with_values(x, applied_values(x, op), op.result)
        return applied

    @on_device
    def select(self, x: Entries, op: Applied) -> Entries:
        flags = self.arrays.spread(applied_values(x, op), x.nvals)
        selected: Entries = keep_entries(x, flags)
        return selected

    @on_device
    def restrict(self, x: Entries, mask: StructuralMask) -> Entries:
        inside: Entries = restrict(x, mask)
        return inside

    @on_device
    def cast(self, x: Entries, dtype: DType) -> Entries:
        values = cast_values(self.arrays, kept_entries(x)[1], x.dtype, dtype)
        result: Entries = with_values(x, values, dtype)
        if isinstance(x, CudaMatrix) and x.dtype == dtype:
            assert isinstance(result, CudaMatrix)
            result.share_transposed(x)
        return result

    # Fewer, other or more entries

    @on_device
    def reduce(self, x: Entries, monoid: TypedMonoid) -> Scalar:
        values = x.values if isinstance(x, CudaMatrix) else x.sorted_list()[1]
        return sum_all(self.arrays, values, x.nvals, monoid)

    @on_device
    def reduce_rows(self, a: CudaMatrix, monoid: TypedMonoid) -> CudaVector:
        return sum_rows(a, monoid)

    @on_device
    def extract(self, x: Entries, indices: Indices) -> Entries:
        if isinstance(x, CudaVector):
            return extract_vector(x, indices[0])
        return extract_matrix(x, indices)

    @on_device
    def renumber(self, u: CudaVector, old: Array, size: int, *, values: bool) -> CudaVector:
        arrays = self.arrays
        table = arrays.to_device(old, INT64)
        indices, numbered = u.any_list()
        if values:
            places = arrays.spread(cast_values(arrays, numbered, u.dtype, INT64), u.nvals)
            self._check_numbers(places, indices, len(old))
            numbered = cast_values(arrays, arrays.take(table, places), INT64, u.dtype)
        places = arrays.as_type(arrays.take(table, indices), index_dtype(size))
        return CudaVector(arrays, size, u.dtype, (places, numbered), is_sorted=False)

    def _check_numbers(self, numbers: DeviceArray, places: DeviceArray, bound: int) -> None:
        wrong = self.arrays.places_where((numbers < 0) | (numbers >= bound))
        if wrong.shape[0]:
            at = self.arrays.number(wrong)
            number, place = self.arrays.number(numbers, at), self.arrays.number(places, at)
            raise IndexOutOfRange(value=number, place=place)

    @on_device
    def place(self, x: Entries, indices: Indices, shape: Shape) -> Entries:
        arrays = self.arrays
        own = x.sorted_list()[:1] if isinstance(x, CudaVector) else (x.rows(), x.indices)
        moved = (
            arrays.as_type(old, INT64)
            if target is None
            else arrays.take(arrays.to_device(listed(target)), old)
            for old, target in zip(own, indices, strict=True)
        )
        return build(arrays, tuple(moved), x.values, shape, x.dtype, None)

    @on_device
    def rowwise(self, columns: CudaVector, values: CudaVector, ncols: int) -> CudaMatrix:
        arrays = self.arrays
        targets = arrays.spread(cast_values(arrays, columns.values, columns.dtype, INT64), columns.nvals)
        self._check_numbers(targets, columns.indices, ncols)
        starts = arrays.starts_of(columns.indices, columns.size)
        places = arrays.as_type(targets, index_dtype(ncols))
        return CudaMatrix(arrays, (columns.size, ncols), values.dtype, starts, places, values.values)

    @on_device
    def transpose(self, a: CudaMatrix) -> CudaMatrix:
        return a.transpose()

    def as_symmetric(self, a: CudaMatrix) -> CudaMatrix:
        a.set_transposed(a)
        return a

    @on_device
    def kron(self, a: CudaMatrix, b: CudaMatrix, op: TypedBinary) -> Entries:
        arrays = self.arrays
        pairs = arrays.arange(a.nvals * b.nvals)
        left, right = pairs // max(b.nvals, 1), pairs % max(b.nvals, 1)
        axes = zip((a.rows(), a.indices), (b.rows(), b.indices), b.shape, strict=True)
        places = tuple(
            arrays.as_type(arrays.take(x, left), INT64) * n + arrays.take(y, right) for x, y, n in axes
        )
        values = combined(a.values, left, b.values, right, op, arrays)
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        return build(arrays, places, values, shape, op.result, None)

    # The write rule, in place where nothing has to be taken away

    @on_device
    def write(
        self,
        out: Entries,
        t: Entries,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Entries:
        if not isinstance(out, CudaVector) or not (
            only_adds(self, t, mask, accum, replace) and self._bitmap_pays(out, t)
        ):
            return super().write(out, t, mask, accum, replace, dtype)  # type: ignore[no-any-return]
        if accum is None:
            return self._store(out, t, dtype)
        # An operator may raise half-way: it works on copies.
        arrays = self.arrays
        indices, values = kept_entries(t)
        new = arrays.zeros(1, INT64)
        words, dense = (arrays.xp.asarray(part, copy=True) for part in out.bitmap())
        kernels = entry_kernels("entries", accum, arrays.block)
        given = (indices, values, step_of(values), words, dense, new)
        arrays.run_operators(kernels, "accumulate", t.nvals, *given)
        nvals = out.nvals + arrays.number(new)
        return CudaVector(arrays, out.size, dtype, None, words=words, dense=dense, nvals=nvals)

    @on_device
    def merge(self, out: Entries, t: Entries, dtype: DType) -> Entries:
        if not isinstance(out, CudaVector) or not self._bitmap_pays(out, t):
            return super().merge(out, t, dtype)  # type: ignore[no-any-return]
        return self._store(out, t, dtype)

    def _store(self, out: CudaVector, t: Any, dtype: DType) -> CudaVector:
        """Write the entries of t into the bitmap of out."""
        arrays = self.arrays
        indices, values = kept_entries(t)
        values = cast_values(arrays, values, t.dtype, dtype)
        new = arrays.zeros(1, INT64)
        words, dense = out.bitmap()
        arrays.run(arrays.structure.store, t.nvals, indices, values, step_of(values), words, dense, new)
        out.nvals += arrays.number(new)
        return out

    def _bitmap_pays(self, out: CudaVector, t: Any) -> bool:
        """Whether out is a bitmap already, or is worth one with the entries of t."""
        if out.has_words or out.is_full:
            return True
        return bool((out.nvals + t.nvals) * self.tuning.bitmap_from >= out.size)
