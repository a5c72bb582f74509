"""Push: send the values of a vector along their edges, by one of several strategies."""

from typing import Any

from anypair.backends.cuda.arrays import INT8, WORD, DeviceArray, index_dtype, nwords, step_of
from anypair.backends.cuda.kernels import accumulator, combines_in_place, product_kernels
from anypair.backends.cuda.ordered_floats import is_ordered, key_dtype, losing_key
from anypair.backends.cuda.pairs import summed_products
from anypair.backends.cuda.products import VectorProduct
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.dtypes import BOOL, INT64, DType

STRATEGIES = ("balanced", "two_phase")


def push(product: VectorProduct, out_rows: CudaMatrix, strategy: str) -> CudaVector:
    """Send the values along their edges."""
    if not combines_in_place(product.semiring.add):
        return _push_in_order(product, out_rows)
    return (
        _push_two_phase(product, out_rows)
        if strategy == "two_phase"
        else _push_balanced(product, out_rows)
    )


def _push_in_order(product: VectorProduct, out_rows: CudaMatrix) -> CudaVector:
    frontier, values = product.u.sorted_list()
    starts, counts = _rows_of(product, out_rows, frontier)
    (targets,), sums, product.looked_at = summed_products(
        product.arrays, product.semiring, product.buffer, starts, counts,
        (out_rows.values, values, frontier), _targets_inside(product, out_rows),
    )  # fmt: skip
    places = product.arrays.as_type(targets, index_dtype(product.size))
    return CudaVector(product.arrays, product.size, product.semiring.result, (places, sums))


def _targets_inside(product: VectorProduct, out_rows: CudaMatrix) -> Any:
    """The places that entries of the matrix lead to, and which of them the mask lets through."""
    arrays = product.arrays

    def targets_of(positions: DeviceArray, origin: DeviceArray) -> Any:
        targets = arrays.take(out_rows.indices, positions)
        if product.mask is None:
            return (targets,), None
        flags = arrays.empty(targets.shape[0], BOOL)
        given = (targets, product.mask.storage.words, product.mask.complemented, flags)
        arrays.run(arrays.structure.test_bits, targets.shape[0], *given)
        return (targets,), flags

    return targets_of


def _rows_of(
    product: VectorProduct, rows: CudaMatrix, frontier: DeviceArray
) -> tuple[DeviceArray, DeviceArray]:
    return product.arrays.take(rows.starts, frontier), product.arrays.take(rows.degrees, frontier)


def _push_balanced(product: VectorProduct, out_rows: CudaMatrix) -> CudaVector:
    """Tiles of edges; a list that is full is emptied, and what is left is launched again."""
    arrays = product.arrays
    frontier, values = product.u.any_list()
    _, counts = _rows_of(product, out_rows, frontier)
    before = arrays.counted_before(counts)
    product.looked_at = arrays.number(before, frontier.shape[0])
    ntiles = -(-product.looked_at // arrays.block)
    dtype, identity = _accumulated(product)
    marks = product.workspace.take(arrays, product.size, dtype, identity)
    room = min(max(product.buffer // arrays.block, 1), ntiles) * arrays.block
    done = arrays.zeros(ntiles, INT8)
    tiles = arrays.arange(ntiles)
    parts = []
    kernels = product_kernels("push", product.semiring, arrays.block)
    while tiles.shape[0]:
        reached = arrays.empty(room, index_dtype(product.size))
        taken, count = arrays.zeros(1, INT64), arrays.zeros(1, INT64)
        arrays.run_operators(
            kernels, "push", tiles.shape[0], tiles, done, frontier, before, out_rows.starts,
            out_rows.indices, out_rows.values, step_of(out_rows.values), values, step_of(values),
            *product.blocked(), marks.touched, marks.sums, reached, taken, count, blocks=True,
        )  # fmt: skip
        parts.append(reached[: arrays.number(count)])
        tiles = arrays.places_where(done == 0)
    places = arrays.concatenate(parts or [arrays.empty(0, index_dtype(product.size))])
    sums = _as_result(product, arrays.take(marks.sums, places))
    given = (places, marks.touched, marks.sums, marks.identity)
    arrays.run(arrays.structure.clear, places.shape[0], *given)
    product.workspace.give_back(marks, product.size, dtype, identity)
    result = product.semiring.result
    return CudaVector(arrays, product.size, result, (places, sums), is_sorted=False)


def _push_two_phase(product: VectorProduct, out_rows: CudaMatrix) -> CudaVector:
    """The baseline: every vertex of the graph has a thread, in the wavefront or not."""
    arrays = product.arrays
    frontier, _ = product.u.any_list()
    ones = arrays.full(1, 1, INT8)
    current = arrays.scatter(frontier, ones, arrays.zeros(product.u.size, INT8))
    following = arrays.zeros(product.size, INT8)
    dtype, identity = _accumulated(product)
    sums = arrays.repeated(product.size, identity, dtype)
    values = product.u.by_place
    arrays.run_operators(
        product_kernels("two_phase", product.semiring, arrays.block), "expand_vertices", product.u.size,
        current, out_rows.starts, out_rows.indices, out_rows.values, step_of(out_rows.values),
        values, step_of(values), *product.blocked(), sums, following,
    )  # fmt: skip
    words, count = arrays.zeros(nwords(product.size), WORD), arrays.zeros(1, INT64)
    arrays.run(arrays.structure.mark_vertices, product.size, following, words, count)
    dense, nvals = _as_result(product, sums), arrays.number(count)
    result = product.semiring.result
    return CudaVector(arrays, product.size, result, None, words=words, dense=dense, nvals=nvals)


def _accumulated(product: VectorProduct) -> tuple[DType, Any]:
    """The dtype that sums are kept in on the way, and what they begin with."""
    add = product.semiring.add
    if add.takes_any:
        return add.domain, add.identity
    if is_ordered(add):
        return key_dtype(add.domain), losing_key(add)
    return accumulator(add.domain), add.identity


def _as_result(product: VectorProduct, sums: DeviceArray) -> DeviceArray:
    if not is_ordered(product.semiring.add):
        return product.arrays.as_type(sums, product.semiring.result)
    out = product.arrays.empty(sums.shape[0], product.semiring.result)
    kernels: Any = product_kernels("ordered", product.semiring, product.arrays.block)
    product.arrays.run(kernels.floats_of, sums.shape[0], sums, out)
    return out
