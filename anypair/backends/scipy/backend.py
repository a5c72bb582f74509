"""The contract, filled in with vectorised NumPy."""

import numpy as np

from anypair.backends.base import Applied, Backend, Indices, Shape, StructuralMask
from anypair.backends.places import (
    Places,
    expand,
    found_in,
    found_in_sorted,
    kron_places,
    new_numbers,
    place_of_each,
    require_below,
)
from anypair.backends.scipy.evaluation import applied, as_type, binary, fold_runs, sum_all, sum_runs
from anypair.backends.scipy.ordering import (
    find,
    is_increasing,
    lexicographic_order,
    order_of,
    run_starts,
)
from anypair.backends.scipy.products import matrix_times_matrix, vector_times_matrix
from anypair.backends.scipy.storage import Coordinates, keys_of
from anypair.dtypes import Array, DType, Scalar, cast
from anypair.errors import DuplicateEntries
from anypair.memory import require
from anypair.semiring import TypedBinary, TypedMonoid, TypedSemiring


class ScipyBackend(Backend):
    """Vectorised NumPy on sorted keys; see the contract for what each method computes."""

    name = "scipy"
    tells_places = True
    bytes_per_edge = (184, 320)

    def build(
        self,
        indices: tuple[Array, ...],
        values: Array,
        shape: Shape,
        duplicates: TypedBinary | None,
    ) -> Coordinates:
        keys = keys_of(indices, shape)
        if is_increasing(keys):
            return Coordinates(keys.copy(), values.copy(), shape)
        order = order_of(keys, shape[0]) if len(shape) == 1 else lexicographic_order(indices, shape)
        keys, values = keys[order], values[order]
        starts = run_starts(keys)
        if len(starts) < len(keys):
            if duplicates is None:
                place = np.unravel_index(keys[1:][keys[1:] == keys[:-1]][0], shape)
                raise DuplicateEntries(place=tuple(int(x) for x in place))
            keys, values = keys[starts], fold_runs(values, starts, duplicates)
        return Coordinates(keys, values, shape)

    def entries(self, x: Coordinates) -> tuple[Array, ...]:
        return (*(axis.copy() for axis in x.indices), x.values.copy())

    def first_entries(self, x: Coordinates, shape: Shape, count: int) -> tuple[Array, ...]:
        return self.entries(Coordinates(x.keys[:count], x.values[:count], x.shape))

    def nvals(self, x: Coordinates) -> int:
        return len(x.keys)

    def nbytes(self, x: Coordinates) -> int:
        return x.nbytes

    def mxv(
        self, a: Coordinates, u: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Coordinates:
        return vector_times_matrix(u, a.transpose(), semiring, mask)

    def vxm(
        self, u: Coordinates, a: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Coordinates:
        return vector_times_matrix(u, a, semiring, mask)

    def mxm(
        self, a: Coordinates, b: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
    ) -> Coordinates:
        return matrix_times_matrix(a, b, semiring, mask)

    def ewise_add(self, x: Coordinates, y: Coordinates, op: TypedBinary) -> Coordinates:
        most = len(x.keys) + len(y.keys)
        require(most * (24 + op.result.itemsize), f"a result of up to {most} entries")
        keys = np.union1d(x.keys, y.keys)
        values = np.empty(len(keys), op.result)
        values[np.searchsorted(keys, x.keys)] = as_type(x.values, op.result)
        values[np.searchsorted(keys, y.keys)] = as_type(y.values, op.result)
        both = self.ewise_mult(x, y, op)
        values[np.searchsorted(keys, both.keys)] = both.values
        return Coordinates(keys, values, x.shape)

    def ewise_mult(self, x: Coordinates, y: Coordinates, op: TypedBinary) -> Coordinates:
        common, at = find(y.keys, x.keys)
        values = binary(op, x.values[common], y.values[at[common]])
        return Coordinates(x.keys[common], values, x.shape)

    def apply(self, x: Coordinates, op: Applied) -> Coordinates:
        return x.with_values(applied(op, x.values, *_places(x)))

    def select(self, x: Coordinates, op: Applied) -> Coordinates:
        return x.take(applied(op, x.values, *_places(x)))

    def restrict(self, x: Coordinates, mask: StructuralMask) -> Coordinates:
        found, _ = find(mask.storage.keys, x.keys)
        return x.take(~found if mask.complemented else found)

    def cast(self, x: Coordinates, dtype: DType) -> Coordinates:
        return x.copied() if dtype == x.values.dtype else x.with_values(cast(x.values, dtype))

    def reduce(self, x: Coordinates, monoid: TypedMonoid) -> Scalar:
        return sum_all(x.values, monoid)

    def reduce_rows(self, a: Coordinates, monoid: TypedMonoid) -> Coordinates:
        starts = run_starts(a.rows)
        return Coordinates(a.rows[starts], sum_runs(a.values, starts, monoid), a.shape[:1])

    def extract(self, x: Coordinates, indices: Indices) -> Coordinates:
        if len(x.shape) == 1:
            (wanted,) = indices
            if wanted is None:
                return x
            if isinstance(wanted, range):
                positions, new = found_in_sorted(wanted, x.keys)
                return Coordinates(new, x.values[positions].copy(), (len(wanted),))
            found, at = find(x.keys, wanted)
            return Coordinates(np.flatnonzero(found), x.values[at[found]], wanted.shape)
        positions, rows, nrows = _taken_rows(x, indices[0])
        cols, origin, ncols = _taken_cols(x.cols[positions], indices[1], x.shape[1])
        keys = rows[origin] * ncols + cols
        order = np.argsort(keys, kind="stable")
        values = x.values[positions][origin]
        return Coordinates(keys[order], values[order], (nrows, ncols))

    def place(self, x: Coordinates, indices: Indices, shape: Shape) -> Coordinates:
        moved = map(place_of_each, indices, x.indices)
        return self.build(tuple(moved), x.values, shape, None)

    def rowwise(self, columns: Coordinates, values: Coordinates, ncols: int) -> Coordinates:
        cols = columns.values.astype(np.int64)
        require_below(ncols, columns.values, columns.keys)
        shape = (columns.shape[0], ncols)
        return Coordinates(keys_of((columns.keys, cols), shape), values.values, shape)

    def transpose(self, a: Coordinates) -> Coordinates:
        return a.transpose()

    def as_symmetric(self, a: Coordinates) -> Coordinates:
        a.set_transposed(a)
        return a

    def kron(self, a: Coordinates, b: Coordinates, op: TypedBinary) -> Coordinates:
        shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
        count = len(a.keys) * len(b.keys)
        operands = a.values.itemsize + b.values.itemsize
        require(count * (64 + operands + 3 * op.result.itemsize), f"a product of {count} entries")
        places = kron_places((a.rows, a.cols), (b.rows, b.cols), b.shape)
        values = binary(op, np.repeat(a.values, len(b.keys)), np.tile(b.values, len(a.keys)))
        return self.build(places, values, shape, None)

    def revalued(self, x: Coordinates, values: Array, shape: Shape) -> Coordinates:
        return x.with_values(values)

    def pairwise(self, x: Array, y: Array, op: TypedBinary) -> Array:
        return binary(op, x, y)

    def scale(
        self,
        a: Coordinates,
        u: Coordinates,
        op: TypedBinary,
        dtypes: tuple[DType, DType],
        *,
        by_rows: bool,
    ) -> Coordinates:
        lines = a.rows if by_rows else a.cols
        if len(u.keys) == u.shape[0]:
            return a.with_values(binary(op, a.values, u.values[lines]))
        found, at = find(u.keys, lines)
        t = a.take(found)
        return t.with_values(binary(op, t.values, u.values[at[found]]))

    def gather(
        self, u: Coordinates, indices: Coordinates, size: int, dtypes: tuple[DType, DType]
    ) -> Coordinates:
        require_below(size, indices.values, indices.keys)
        found, at = find(u.keys, indices.values)
        return Coordinates(indices.keys[found], u.values[at[found]], indices.shape)


def _places(x: Coordinates) -> tuple[Array, Array]:
    """Row and column of each entry; a vector's column is 0."""
    if len(x.shape) == 1:
        return x.keys, np.broadcast_to(np.int64(0), x.keys.shape)
    return x.rows, x.cols


def _taken_rows(x: Coordinates, wanted: Places) -> tuple[Array, Array, int]:
    """Positions of the entries in the wanted rows, their new row numbers, and how many rows."""
    if wanted is None:
        return np.arange(len(x.keys)), x.rows, x.shape[0]
    if isinstance(wanted, range):
        return *found_in(wanted, x.rows), len(wanted)
    starts = x.row_starts[wanted]
    positions, rows = expand(starts, x.row_starts[wanted + 1] - starts)
    return positions, rows, len(wanted)


def _taken_cols(cols: Array, wanted: Places, ncols: int) -> tuple[Array, Array, int]:
    """New columns of those entries that are wanted, the entry each came from, and how many columns."""
    if wanted is None:
        return cols, np.arange(len(cols)), ncols
    return *new_numbers(cols, wanted), len(wanted)
