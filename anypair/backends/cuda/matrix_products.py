"""Products of matrices: dot products where a mask names few places, else by sorting the products."""

from typing import Any

from anypair.backends.base import StructuralMask
from anypair.backends.cuda.arrays import Arrays, DeviceArray, index_dtype, step_of
from anypair.backends.cuda.kernels import product_kernels
from anypair.backends.cuda.pairs import summed_products
from anypair.backends.cuda.storage import CudaMatrix
from anypair.dtypes import BOOL, INT64
from anypair.semiring import TypedSemiring


def matrix_times_matrix(
    a: CudaMatrix, b: CudaMatrix, semiring: TypedSemiring, mask: StructuralMask | None, buffer: int
) -> CudaMatrix:
    """t(i, j) = sum over k of multiply(a(i, k), b(k, j)), for (i, j) inside the mask."""
    arrays = a.arrays
    counts = arrays.take(b.degrees, a.indices)
    if mask is not None and not mask.complemented and _dots_are_cheaper(a, b, mask.storage, counts):
        return _by_dots(a, b.transpose(), semiring, mask.storage)
    rows = a.rows()

    def places_of(positions: DeviceArray, origin: DeviceArray) -> Any:
        places = arrays.take(rows, origin), arrays.take(b.indices, positions)
        return places, None if mask is None else _inside(arrays, places, mask)

    places, sums, _ = summed_products(
        arrays, semiring, buffer, arrays.take(b.starts, a.indices), counts,
        (b.values, a.values, a.indices), places_of, edge_is_left=False,
    )  # fmt: skip
    shape = (a.shape[0], b.shape[1])
    starts = arrays.starts_of(places[0], shape[0])
    columns = arrays.as_type(places[1], index_dtype(shape[1]))
    return CudaMatrix(arrays, shape, semiring.result, starts, columns, sums)


def _inside(
    arrays: Arrays, places: tuple[DeviceArray, DeviceArray], mask: StructuralMask
) -> DeviceArray:
    """Which of these places the mask lets through."""
    rows, columns = places
    at, found = arrays.empty(rows.shape[0], INT64), arrays.empty(rows.shape[0], BOOL)
    given = (rows, columns, mask.storage.starts, mask.storage.indices, at, found)
    arrays.run(arrays.structure.find_in_rows, rows.shape[0], *given)
    return found != mask.complemented


def _dots_are_cheaper(a: CudaMatrix, b: CudaMatrix, named: CudaMatrix, counts: DeviceArray) -> bool:
    """A dot product walks along a row of a and a column of b; sorting handles each product often."""
    steps = named.nvals * (a.nvals / max(a.shape[0], 1) + b.nvals / max(b.shape[1], 1))
    return steps < 4 * a.arrays.total(counts)


def _by_dots(
    a: CudaMatrix, columns: CudaMatrix, semiring: TypedSemiring, named: CudaMatrix
) -> CudaMatrix:
    arrays = a.arrays
    out, found = arrays.zeros(named.nvals, semiring.result), arrays.zeros(named.nvals, BOOL)
    arrays.run_operators(
        product_kernels("dots", semiring, arrays.block), "dots", named.nvals,
        named.rows(), named.indices, a.starts, a.indices, a.values, step_of(a.values),
        columns.starts, columns.indices, columns.values, step_of(columns.values), out, found,
    )  # fmt: skip
    hits = arrays.places_where(found)
    starts = arrays.take(arrays.counted_before(found), named.starts)
    shape = (a.shape[0], columns.shape[0])
    indices, values = arrays.take(named.indices, hits), arrays.take(out, hits)
    return CudaMatrix(arrays, shape, semiring.result, starts, indices, values)
