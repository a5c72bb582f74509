"""The contract, filled in with compiled kernels."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numba.core.errors import NumbaError

from anypair.backends.base import Applied, Backend, Indices, Rehearsed, Shape, StructuralMask
from anypair.backends.jit.building import build_matrix
from anypair.backends.jit.closed_wedges import count_products
from anypair.backends.jit.closures import Closure
from anypair.backends.jit.dense_buffer import ALL, NONE
from anypair.backends.jit.elementwise import (
    MOST_OPERANDS,
    Engine,
    Entries,
    VectorWork,
    applied_at,
    combined,
    depends_on_places,
    evaluate,
    sum_rows,
)
from anypair.backends.jit.extraction import extract_matrix, extract_vector, taken
from anypair.backends.jit.failing_calls import (
    failing_call,
    failing_pair,
    failing_sum,
    failing_term,
    terms_of_matrices,
    terms_with_vector,
)
from anypair.backends.jit.failures import named
from anypair.backends.jit.filtered import JitFiltered
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.jit.matrix_products import matrix_times_matrix
from anypair.backends.jit.placed_products import placed_product
from anypair.backends.jit.products import VectorProduct, transposed
from anypair.backends.jit.row_vectors import (
    BatchProduct,
    JitRows,
    compressed,
    is_batch,
    row_by_row,
    rows_of,
)
from anypair.backends.jit.scaling import scaled, scattered
from anypair.backends.jit.storage import (
    JitMatrix,
    JitVector,
    all_indices,
    broadcast,
    is_broadcast,
    nwords,
)
from anypair.backends.jit.target_bits import TargetBits
from anypair.backends.jit.workspace import Workspace
from anypair.backends.options import Option, choice, whole
from anypair.backends.places import kron_places, place_of_each, require_below
from anypair.backends.plan import DIRECTIONS, FRONTIERS
from anypair.backends.product_range import ProductRange
from anypair.backends.tree import Step
from anypair.backends.write_rule import only_adds
from anypair.compiling.columns import over_columns
from anypair.dtypes import Array, DType, Scalar, cast, index_dtype
from anypair.errors import DuplicateEntries, IndexOutOfRange, OperatorError
from anypair.memory import require
from anypair.semiring import (
    BoundOp,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
)
from anypair.threads.pool import ALONE
from anypair.threads.team import Team, even_bounds, team_of
from anypair.trace import current as current_trace


class JitBackend(Backend):
    """Numba kernels, specialised for each semiring and dtype, on all cores."""

    name = "jit"
    tells_places = True
    compiles_operators = True
    keeps_rows = True
    fuses = True
    declared: ClassVar[Mapping[str, Option]] = {
        "threads": whole(0, 0, "is not a number of threads", execution=True),
        "direction": choice("auto", DIRECTIONS, execution=True),
        "frontier": choice("auto", FRONTIERS, execution=True),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.team = team_of(self.options["threads"], self)
        self.alone = Team(1, self)
        self.direction: str = self.options["direction"]
        self.frontier: str = self.options["frontier"]
        self.workspace = Workspace(self)
        self.target_bits = TargetBits()

    @property
    def threads(self) -> int:
        return self.team.size

    def prepare(self, a: JitMatrix, run: Rehearsed) -> None:
        from anypair.backends.jit.rehearsal import sample_of

        sample = sample_of(a)
        run(self.rehearsing(), sample, sample.shape[0])

    def rehearsing(self) -> Backend:
        from anypair.backends.jit.rehearsal import RehearsingBackend  # which is a backend of this kind

        return RehearsingBackend(**self.options)

    # In and out

    def build(
        self, indices: tuple[Array, ...], values: Array, shape: Shape, duplicates: TypedBinary | None
    ) -> Entries:
        if len(shape) == 2:
            rows, cols = indices
            require(8 * sum(shape), f"a matrix of {shape[0]} rows and {shape[1]} columns")
            return self._build_matrix(rows, cols, values, (shape[0], shape[1]), duplicates)
        (places,) = indices
        (size,) = shape
        if plain_kernels("structure").rises(places):
            count = len(places)
            kept = broadcast(values, count) if is_broadcast(values) else values.copy()
            own = all_indices(size) if count == size else places.astype(index_dtype(size))
            return JitVector(size, own, kept)
        try:
            row = self._build_matrix(np.zeros_like(places), places, values, (1, size), duplicates)
        except DuplicateEntries as error:
            raise DuplicateEntries(place=error.place[1]) from None
        return JitVector(size, row.indices, row.values)

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
    ) -> JitMatrix:
        require(16 * n, f"a graph of {n} vertices")
        kinds = {"mirrored": symmetric, "self_loops": self_loops}
        return self._build_matrix(sources, targets, values, (n, n), duplicates, **kinds)

    def _build_matrix(
        self,
        rows: Array,
        cols: Array,
        values: Array,
        shape: tuple[int, int],
        duplicates: TypedBinary | None,
        **kinds: bool,
    ) -> JitMatrix:
        try:
            return build_matrix(self.team, rows, cols, values, shape, duplicates, **kinds)
        except Exception as error:
            raise named(
                error, duplicates, lambda: failing_sum(duplicates, (rows, cols), values, **kinds)
            ) from None

    def entries(self, x: Entries) -> tuple[Array, ...]:
        values = np.array(x.values)
        if isinstance(x, JitVector):
            return x.indices.astype(np.int64), values
        rows = np.empty(x.nvals, np.int64)
        plain_kernels("structure").row_of_each(x.starts, rows)
        return rows, x.indices.astype(np.int64), values

    def first_entries(self, x: Entries, shape: Shape, count: int) -> tuple[Array, ...]:
        count = min(count, x.nvals)
        if isinstance(x, JitMatrix):
            rows = np.searchsorted(x.starts, np.arange(count), side="right") - 1
            return rows, x.indices[:count].astype(np.int64), np.array(x.values[:count])
        if x.is_full:
            return np.arange(count), np.array(x.by_place[:count])
        if x.has_list:
            return x.indices[:count].astype(np.int64), np.array(x.values[:count])
        some = np.flatnonzero(x.words)[:count]  # each of these words has a bit at least
        bits = np.unpackbits(x.words[some].view(np.uint8), bitorder="little").reshape(-1, 64)
        word, bit = (axis[:count] for axis in np.nonzero(bits))
        places = some[word] * 64 + bit
        return places, x.by_place[places]

    def peek(self, x: Entries) -> tuple[Array, ...]:
        return x.sorted_list() if isinstance(x, JitVector) else self.entries(x)

    def words(self, x: JitVector, size: int) -> Array:
        return x.words

    def build_full(self, size: int, value: Array) -> JitVector:
        require(size * index_dtype(size).itemsize, f"a vector with {size} entries")
        return JitVector(size, all_indices(size), broadcast(value, size))

    def build_from_words(self, words: Array, values: Array, size: int) -> JitVector:
        structure: Any = plain_kernels("structure")
        count = structure.count_bits(words, NONE, words)
        if len(values) == count and not is_broadcast(values):
            indices = np.empty(count, index_dtype(size))
            structure.positions(words, indices)
            return JitVector(size, indices, values, words)
        return JitVector(size, None, None, words, broadcast(values, size), count)

    def build_by_place(self, words: Array, values: Array, size: int) -> JitVector:
        structure: Any = plain_kernels("structure")
        return JitVector(size, None, None, words, values, structure.count_bits(words, NONE, words))

    def by_place(self, u: JitVector, size: int) -> Array:
        return u.by_place

    def build_from_rows(self, starts: Array, columns: Array, values: Array, shape: Shape) -> JitMatrix:
        starts = starts.astype(index_dtype(len(columns) + 1), copy=False)
        indices = columns.astype(index_dtype(shape[1]), copy=False)
        return JitMatrix((shape[0], shape[1]), starts, indices, values)

    def to_rows(self, a: JitMatrix) -> tuple[Array, Array, Array]:
        return a.starts, a.indices, a.values

    def nvals(self, x: Entries) -> int:
        return x.nvals

    def nbytes(self, x: Entries) -> int:
        return x.nbytes

    # Products

    def mxv(
        self, a: JitMatrix, u: JitVector, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitVector:
        if semiring.multiply.op.sees_place:
            return self._multiply_placed(a, u, semiring, mask)
        return self._multiply(u, a.transposed, a, semiring, mask)

    def vxm(
        self, u: JitVector, a: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitVector:
        if semiring.multiply.op.sees_place:
            return self._multiply_placed(transposed(self.team, a), u, semiring, mask)
        return self._multiply(u, a, a.transposed, semiring, mask)

    def _multiply_placed(
        self, rows: JitMatrix, u: JitVector, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitVector:
        """t(i) = sum over k of multiply(rows(i, k), u(k), k, i, 0)."""
        try:
            return placed_product(self.team, self.workspace, rows, u, semiring, mask)
        except Exception as error:
            raise named(
                error, semiring, lambda: self._failing_term(u, None, rows, semiring, mask)
            ) from None

    def _multiply(
        self,
        u: JitVector,
        out_rows: JitMatrix | None,
        in_rows: JitMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> JitVector:
        try:
            product = self._product(u, out_rows, in_rows, semiring, mask)
            direction, result = product.run(self.direction)
        except Exception as error:
            raise named(
                error, semiring, lambda: self._failing_term(u, out_rows, in_rows, semiring, mask)
            ) from None
        if (trace := current_trace()) is not None:
            formats = f"{u.format} to {result.format}"
            if direction == "push":
                trace.note(method=product.frontier, reason=str(product.reason))
            trace.note(direction=direction, formats=formats, edges=product.edges_looked_at())
        return result

    def _product(
        self,
        u: JitVector,
        out_rows: JitMatrix | None,
        in_rows: JitMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> VectorProduct:
        return VectorProduct(
            self.team, self.workspace, self.tuning, u, out_rows, in_rows, semiring, mask, self.frontier
        )

    def mxm(
        self, a: JitMatrix, b: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitMatrix:
        try:
            in_batch = is_batch((a.shape[0], b.shape[1]), semiring.result, self.tuning)
            if in_batch and not semiring.multiply.op.sees_place:
                return self._batch_times_matrix(a, b, semiring, mask)
            return matrix_times_matrix(self.team, self.workspace, a, b, semiring, mask)
        except Exception as error:
            raise named(
                error, semiring, lambda: self._failing_term_of_matrices(a, b, semiring, mask)
            ) from None

    def _batch_times_matrix(
        self, a: JitMatrix, b: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> JitMatrix:
        product = BatchProduct(
            self.team, self.alone, self.workspace, self.tuning, a, b, semiring, mask, self.frontier
        )
        result = product.run(self.direction)
        if (trace := current_trace()) is not None:
            edges, method = product.edges_looked_at(), product.method
            trace.note(direction=product.direction, method=method, formats="rows to rows", edges=edges)
        return result

    def reduce_product(
        self,
        a: JitMatrix,
        b: JitMatrix,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        monoid: TypedMonoid,
    ) -> Scalar:
        term, result = semiring.counted_term, semiring.result
        # Sums of sums wrap around as one sum does where they have as many bits.
        counted = term is not None and monoid.op.is_addition and monoid.domain == result
        if not counted or mask is None or mask.complemented:
            return super().reduce_product(a, b, semiring, mask, monoid)
        count, looked_at = count_products(self.team, a, b, mask.storage)
        if (trace := current_trace()) is not None:
            trace.note(edges=looked_at)
        total = np.array([count * int(term or 0) % 2**64], np.uint64).astype(result)
        return total[0].item()  # type: ignore[no-any-return]

    def closure(
        self,
        u: JitVector,
        a: JitMatrix,
        semiring: TypedSemiring,
        n: int,
        *,
        symmetric: bool,
        grows: bool,
        products: ProductRange | None,
    ) -> JitVector:
        multiply = semiring.multiply
        # What may raise would leave other threads waiting; bits of bool are found by searches.
        in_buckets = grows and products is None and multiply.op.never_raises
        over_components = symmetric and multiply.gives == "value"
        if semiring.result.kind == "b" or not a.nvals or not (in_buckets or over_components):
            found: JitVector = super().closure(
                u, a, semiring, n, symmetric=symmetric, grows=grows, products=products
            )
            return found
        try:
            closure = Closure(self.team, self.workspace, self.tuning, u, a, semiring)
            return closure.over_components() if over_components else closure.by_buckets()
        except NumbaError as error:
            raise named(error, semiring) from None

    def _failing_term(
        self,
        u: JitVector,
        out_rows: JitMatrix | None,
        in_rows: JitMatrix | None,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> OperatorError | None:
        inside = None if mask is None else (self.entries(mask.storage)[0], mask.complemented)
        a = out_rows if in_rows is None else in_rows
        assert a is not None
        by_rows = in_rows is not None
        return failing_term(
            semiring, terms_with_vector(self.entries(a), self.entries(u), by_rows, inside)
        )

    def _failing_term_of_matrices(
        self, a: JitMatrix, b: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> OperatorError | None:
        inside = None if mask is None else (self.entries(mask.storage), mask.complemented)
        return failing_term(semiring, terms_of_matrices(self.entries(a), self.entries(b), inside))

    def _named(self, error: Exception, op: Any, *operands: Entries) -> Exception:
        """What an operator raised on entries of these, with the ones that it was called with."""
        return named(error, op, lambda: failing_call(op, *map(self.entries, operands)))

    # Entry by entry

    @property
    def _engine(self) -> Engine:
        return Engine(self.team, self.tuning, self.workspace)

    def evaluate(self, tree: Step, spare: Sequence[Entries] = ()) -> Any:
        if type(tree.operands[0]) is Step and any(isinstance(x, JitRows) for x in tree.storages()):
            return super().evaluate(tree)  # step by step, and row by row
        try:
            if (keep := self._flags(tree)) is not None:
                return JitFiltered(self.team, tree.operands[0], keep)
            return evaluate(self._engine, tree, spare)
        except MemoryError:
            raise
        except Exception as error:
            if tree.depth > 1:
                return super().evaluate(tree)  # step by step: the one that raises is named
            raise self._named(error, tree.given, *tree.operands) from None

    def _flags(self, tree: Step) -> Array | None:
        """Of a step that only drops entries of a matrix, which to keep, if that is cheap to say."""
        x = tree.operands[0]
        if not isinstance(x, JitMatrix) or isinstance(x, JitRows) or not x.nvals:
            return None
        if tree.operation == "select" and not is_broadcast(x.values) and not depends_on_places(tree):
            keep: Array = evaluate(self._engine, tree._replace(operation="apply")).values
            return keep
        if tree.operation == "restrict" and isinstance(named := tree.given.storage, JitFiltered):
            flags = named.flags_for(x)
            return ~flags if flags is not None and tree.given.complemented else flags
        return None

    def finish(self, x: Entries) -> None:
        if isinstance(x, JitFiltered):
            x.put_together()

    def ewise_add(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        if isinstance(x, JitRows) or isinstance(y, JitRows):
            return row_by_row(self.ewise_add, op.result, x, y, op)
        return self.evaluate(Step("ewise_add", (x, y), op))  # type: ignore[no-any-return]

    def ewise_mult(self, x: Entries, y: Entries, op: TypedBinary) -> Entries:
        if isinstance(x, JitRows) or isinstance(y, JitRows):
            return row_by_row(self.ewise_mult, op.result, x, y, op)
        return self.evaluate(Step("ewise_mult", (x, y), op))  # type: ignore[no-any-return]

    def apply(self, x: Entries, op: Applied) -> Entries:
        if isinstance(x, JitRows) and not _sees_places(op):
            return row_by_row(self.apply, op.result, x, op)
        if isinstance(op, BoundOp) and not op.reads_entries:
            value = np.array([op(0)] if x.nvals else [], op.result)  # it may raise, where it is called
            return x.with_values(broadcast(value, x.nvals))
        if isinstance(op, TypedUnary) and op.gives_index and isinstance(x, JitVector) and x.has_list:
            indices = x.indices
            result = JitVector(x.size, indices, indices.astype(op.result))
            result.copy_words(x)  # what is made of it next is a product, mostly
            return result
        return self.evaluate(Step("apply", (x,), op))  # type: ignore[no-any-return]

    def apply_at(self, x: Entries, op: TypedUnary, places: tuple[Array, ...], shape: Shape) -> Array:
        try:
            return applied_at(self._engine, op, places, np.ascontiguousarray(x.values))
        except Exception as error:
            raise named(error, op, lambda: failing_call(op, (*places, x.values))) from None

    def select(self, x: Entries, op: Applied) -> Entries:
        if isinstance(x, JitRows) and not _sees_places(op):
            return row_by_row(self.select, x.dtype, x, op)
        return self.evaluate(Step("select", (x,), op))  # type: ignore[no-any-return]

    def restrict(self, x: Entries, mask: StructuralMask) -> Entries:
        if isinstance(x, JitRows):
            return row_by_row(self.restrict, x.dtype, x, mask)
        return self.evaluate(Step("restrict", (x,), mask))  # type: ignore[no-any-return]

    def cast(self, x: Entries, dtype: DType) -> Entries:
        if isinstance(x, JitRows):
            return row_by_row(self.cast, dtype, x, dtype)
        if isinstance(x, JitVector) and _is_cast_by_place(x):
            dense = cast(x.by_place[: x.size], dtype)
            return JitVector(x.size, None, None, x.words.copy(), dense, x.nvals)
        values = x.sorted_list()[1] if isinstance(x, JitVector) else x.values
        if is_broadcast(values):
            values = broadcast(cast(values[:1], dtype), x.nvals)
        else:
            values = cast(values, dtype)
        result: Entries = x.with_values(values)
        if isinstance(x, JitMatrix) and x.dtype == dtype:
            assert isinstance(result, JitMatrix)
            result.share_transposed(x)
        return result

    # Fewer, other or more entries

    def reduce(self, x: Entries, monoid: TypedMonoid) -> Scalar:
        return self.evaluate(Step("reduce", (x,), monoid))  # type: ignore[no-any-return]

    def reduce_rows(self, a: JitMatrix, monoid: TypedMonoid) -> JitVector:
        try:
            return sum_rows(self._engine, a, monoid)
        except Exception as error:
            raise self._named(error, monoid, a) from None

    def reduce_columns(self, a: JitMatrix, monoid: TypedMonoid) -> JitVector | None:
        if not isinstance(a, JitRows):
            return None
        rows: Iterator[Any] = (self.cast(row, monoid.domain) for row in a.rows)
        sums: JitVector = functools.reduce(lambda t, row: self.ewise_add(t, row, monoid.op), rows)
        return sums

    def extract(self, x: Entries, indices: Indices) -> Entries:
        if isinstance(x, JitVector):
            (wanted,) = indices
            return self.cast(x, x.dtype) if wanted is None else extract_vector(x, wanted)
        return extract_matrix(self.team, x, indices)

    def renumber(self, u: JitVector, old: Array, size: int, *, values: bool) -> JitVector:
        structure: Any = plain_kernels("structure")
        kernel = structure.renumber_all if values else structure.renumber_places
        dense = self.workspace.get(size, u.dtype)
        bounds = even_bounds(nwords(u.size), self.team.parts_for(u.size))
        wrong = self.team.share(bounds, kernel, u.words, u.by_place, old, dense)
        if first := [k for k in wrong if k >= 0]:
            raise IndexOutOfRange(value=int(u.by_place[min(first)]), place=int(min(first)))
        # Of many entries, those that are missing are fewer.
        many = 2 * u.nvals > u.size
        words = self.target_bits.of(old, size).copy() if many else np.zeros(nwords(size), np.uint64)
        structure.flip_renumbered(u.words, ALL if many else NONE, old, words)
        return JitVector(size, None, None, words, dense, u.nvals)

    def place(self, x: Entries, indices: Indices, shape: Shape) -> Entries:
        *own, values = self.entries(x)
        return self.build(tuple(map(place_of_each, indices, own)), values, shape, None)

    def rowwise(self, columns: JitVector, values: JitVector, ncols: int) -> JitMatrix:
        targets = columns.values
        require_below(ncols, targets, columns.indices)
        starts = np.zeros(columns.size + 1, index_dtype(columns.nvals + 1))
        starts[1:][columns.indices] = 1
        np.cumsum(starts, out=starts)
        shape = (columns.size, ncols)
        return JitMatrix(shape, starts, targets.astype(index_dtype(ncols)), values.values)

    def transpose(self, a: JitMatrix) -> JitMatrix:
        return transposed(self.team, a)

    def as_symmetric(self, a: JitMatrix) -> JitMatrix:
        a.set_transposed(a)
        return a

    def kron(self, a: JitMatrix, b: JitMatrix, op: TypedBinary) -> Entries:
        count = a.nvals * b.nvals
        operands = a.dtype.itemsize + b.dtype.itemsize
        require(count * (40 + operands + 3 * op.result.itemsize), f"a product of {count} entries")
        (a_rows, a_cols, x), (b_rows, b_cols, y) = self.entries(a), self.entries(b)
        places = kron_places((a_rows, a_cols), (b_rows, b_cols), b.shape)
        values = self.pairwise(np.repeat(x, len(y)), np.tile(y, len(x)), op)
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        return self.build(places, values, shape, None)

    def revalued(self, x: Entries, values: Array, shape: Shape) -> Entries:
        if isinstance(x, JitVector):
            return JitVector(x.size, x.sorted_list()[0], values)
        return x.with_values(values)

    def ewise_all(self, x: Entries, op: TypedNary, shape: Shape, *others: Entries) -> Entries:
        operands = (x, *others)
        in_rows = any(isinstance(y, JitRows) for y in operands)
        if in_rows or len({id(y) for y in operands}) > MOST_OPERANDS:
            return super().ewise_all(x, op, shape, *others)  # type: ignore[no-any-return]
        return self.evaluate(Step("ewise_all", operands, op))  # type: ignore[no-any-return]

    def columnwise(self, op: TypedNary, columns: Sequence[Array]) -> Array:
        def over(count: int, kernel: Any, *arguments: Any) -> None:
            self.team.over(even_bounds(count, self.team.pieces_for(count)), kernel, *arguments)

        return over_columns(self.name, op, columns, over)

    def pairwise(self, x: Array, y: Array, op: TypedBinary) -> Array:
        try:
            return combined(self._engine, op, x, y)
        except Exception as error:
            raise named(error, op, lambda: failing_pair(op, x, y)) from None

    def scale(
        self,
        a: JitMatrix,
        u: JitVector,
        op: TypedBinary,
        dtypes: tuple[DType, DType],
        *,
        by_rows: bool,
    ) -> JitMatrix:
        if isinstance(a, JitRows):
            a = compressed(a)
        has_all = u.is_full or (by_rows and not (a.nonempty[0] & ~u.words).any())
        if not has_all:
            return super().scale(a, u, op, dtypes, by_rows=by_rows)  # type: ignore[no-any-return]
        try:
            return scaled(self.team, a, u, op, by_rows=by_rows)
        except Exception as error:
            raise named(error, op, lambda: _failing_scale(a, u, op, by_rows=by_rows)) from None

    def ranks(self, x: Entries, shape: Shape, *, by_value: bool, descending: bool = False) -> Entries:
        if by_value or not isinstance(x, JitMatrix) or isinstance(x, JitRows):
            ranks: Entries = super().ranks(x, shape, by_value=by_value, descending=descending)
            return ranks
        firsts = np.repeat(x.starts[:-1].astype(np.int64), np.diff(x.starts))
        return x.with_values(np.subtract(np.arange(x.nvals), firsts, out=firsts))

    def gather(
        self, u: JitVector, indices: JitVector, size: int, dtypes: tuple[DType, DType]
    ) -> JitVector:
        places, wanted = indices.sorted_list()
        require_below(size, wanted, places)
        if u.is_full:
            return JitVector(indices.size, places, u.by_place[wanted])
        found, values = taken(u, wanted)
        return JitVector(indices.size, places[found], values)

    def scatter(
        self,
        values: JitVector,
        indices: JitVector,
        size: int,
        monoid: TypedMonoid,
        dtypes: tuple[DType, DType],
    ) -> JitVector:
        try:
            return scattered(values, indices, size, monoid)
        except IndexOutOfRange:
            raise
        except Exception as error:
            raise named(error, monoid, lambda: _failing_scatter(values, indices, monoid)) from None

    # The write rule, in place where nothing has to be taken away

    def write(
        self,
        out: Entries,
        t: Entries,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> Entries:
        if isinstance(out, JitMatrix):
            return self._write_rows(out, t, mask, accum, replace, dtype)
        if not (only_adds(self, t, mask, accum, replace) and self._bitmap_pays(out, t)):
            return super().write(out, t, mask, accum, replace, dtype)  # type: ignore[no-any-return]
        return self.merge(out, t, dtype) if accum is None else self._accumulate(out, t, accum)

    def _write_rows(
        self,
        out: JitMatrix,
        t: Any,
        mask: StructuralMask | None,
        accum: TypedBinary | None,
        replace: bool,
        dtype: DType,
    ) -> JitMatrix:
        # What may raise half-way would leave some rows as they are and others not.
        in_place = accum is not None and accum.op.never_raises and (mask is None or not replace)
        if not in_place or not self._are_rows(out, t):
            return super().write(out, t, mask, accum, replace, dtype)  # type: ignore[no-any-return]
        return self._each_row(out, t, lambda row, new: self.write(row, new, None, accum, False, dtype))

    def _are_rows(self, out: JitMatrix, t: Any) -> bool:
        """Whether out has vectors for rows, or is worth some."""
        return isinstance(out, JitRows) or (
            isinstance(t, JitRows) and is_batch(out.shape, out.dtype, self.tuning)
        )

    def _each_row(self, out: JitMatrix, t: Any, write: Callable[[JitVector, JitVector], Any]) -> JitRows:
        """Write to each row, in place where that has a vector of its own."""
        rows = rows_of(out)
        result = out if isinstance(out, JitRows) else JitRows(out.shape, rows, out.dtype)
        try:
            for number, new in enumerate(rows_of(t)):
                rows[number] = write(rows[number], new)
        finally:
            result.replace_rows(rows)
        return result

    def merge(self, out: Entries, t: Entries, dtype: DType) -> Entries:
        if isinstance(out, JitVector):
            if self._bitmap_pays(out, t):
                return self._store(out, t, dtype)
        elif self._are_rows(out, t):
            return self._each_row(out, t, lambda row, new: self.merge(row, new, dtype))
        return super().merge(out, t, dtype)  # type: ignore[no-any-return]

    def _bitmap_pays(self, out: JitVector, t: Any) -> bool:
        """Whether out is a bitmap already, or is worth one with the entries of t."""
        if out.has_words or out.is_full:
            return True
        return bool((out.nvals + t.nvals) * self.tuning.bitmap_from >= out.size)

    def _store(self, out: JitVector, t: Any, dtype: DType) -> JitVector:
        """Write the entries of t into the buffer of out."""
        try:
            if t.lender is not None and t.lender is out.buffer:
                out.join(t)
                return out
            words, dense = out.bitmap(self.workspace.get, t)
            if not t.has_list and t.dtype == dtype:
                store: Any = plain_kernels("structure").store_words
                given = (words, dense, t.words, t.by_place)
                parts = self.team.parts_for(t.nvals)
                if parts == 1:
                    out.nvals += store(ALONE, 0, len(words), *given)
                else:
                    out.nvals += sum(self.team.share(even_bounds(len(words), parts), store, *given))
                return out
            indices, values = t.sorted_list()
            if t.dtype != dtype:
                values = cast(values, dtype)
            out.nvals += plain_kernels("structure").store(words, dense, indices, values)
            return out
        except BaseException:  # Ctrl-C comes when a kernel is done, but what it counted is not yet noted
            out.recount()
            raise

    def _accumulate(self, out: JitVector, t: Any, accum: TypedBinary) -> JitVector:
        try:
            words, dense = out.bitmap(self.workspace.get)
            if not accum.op.never_raises:  # what may raise half-way works on copies
                words, dense = words.copy(), dense.copy()
            shape = ("ewise_add", (0, 1), accum)
            work = VectorWork(self._engine, shape, [out, t], [], [True, True])
            new = work.patch_in_place(words, dense)
        except BaseException as error:  # as in `_store`
            out.recount()
            if isinstance(error, Exception):
                raise self._named(error, accum, out, t) from None
            raise
        if accum.op.never_raises:
            out.nvals += new
            return out
        return JitVector(out.size, None, None, words, dense, out.nvals + new)


def _is_cast_by_place(x: JitVector) -> bool:
    """Whether a vector has most places filled, each with a value of its own, and no list of them."""
    return not x.has_list and 2 * x.nvals > x.size and not is_broadcast(x.by_place)


def _sees_places(op: Applied) -> bool:
    """Whether an operator looks at rows and columns, which rows by themselves do not have."""
    return isinstance(op, TypedUnary) and op.op.indexed


def _failing_scale(
    a: JitMatrix, u: JitVector, op: TypedBinary, *, by_rows: bool
) -> OperatorError | None:
    """What the operator raises for the first entries for which it does."""
    spread = np.repeat(u.by_place, np.diff(a.starts)) if by_rows else u.by_place[a.indices]
    return failing_pair(op, a.values, spread)


def _failing_scatter(values: JitVector, indices: JitVector, monoid: TypedMonoid) -> OperatorError | None:
    """What the monoid raises for the first values for which it does."""
    sources, targets = indices.sorted_list()
    places, found = values.sorted_list()
    sent = np.isin(places, sources)
    at = np.searchsorted(sources, places[sent])
    return failing_sum(monoid.op, (targets[at],), cast(found[sent], monoid.domain))
