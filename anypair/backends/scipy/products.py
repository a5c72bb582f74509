"""Products: expand the entries that meet, drop what the mask forbids, multiply, sum by place."""

from collections.abc import Iterator

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.places import expand
from anypair.backends.product_size import RowsOfProduct, longest_terms, require_product
from anypair.backends.scipy.evaluation import binary, sum_by_key
from anypair.backends.scipy.ordering import contains, order_of
from anypair.backends.scipy.storage import Coordinates
from anypair.dtypes import Array
from anypair.errors import OperatorError
from anypair.semiring import TypedBinary, TypedSemiring

PRODUCTS_AT_ONCE = 1 << 22


def vector_times_matrix(
    u: Coordinates, a: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
) -> Coordinates:
    """t(j) = sum over k of multiply(a(k, j), u(k)): the rows of a that u names, expanded."""
    starts = a.row_starts[u.keys]
    positions, origin = expand(starts, a.row_starts[u.keys + 1] - starts)
    targets = a.cols[positions]
    if mask is not None:
        kept = inside(mask, targets, a.shape[1])
        positions, origin, targets = positions[kept], origin[kept], targets[kept]
    op = semiring.multiply
    indices = (u.keys[origin], targets, np.zeros_like(targets)) if op.op.positional else ()
    products = _multiplied(op, a.values, positions, u.values, origin, indices)
    order = order_of(targets, a.shape[1])
    return Coordinates(*sum_by_key(targets, products, order, semiring.add), a.shape[1:])


def matrix_times_matrix(
    a: Coordinates, b: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
) -> Coordinates:
    """t(i, j) = sum over k of multiply(a(i, k), b(k, j)), some rows of a at a time."""
    shape = (a.shape[0], b.shape[1])
    _require_product(a, b, semiring, mask)
    op = semiring.multiply
    keys: list[Array] = [np.empty(0, np.int64)]
    values: list[Array] = [np.empty(0, semiring.result)]
    for some in _batches(a, b):
        positions, origin, places = _terms(a, b, mask, some)
        indices: tuple[Array, ...] = ()
        if op.op.positional:
            indices = (a.cols[some][origin], *np.divmod(places, b.shape[1]))
        products = _multiplied(op, a.values[some], origin, b.values, positions, indices)
        order = np.argsort(places, kind="stable")
        batch_keys, batch_values = sum_by_key(places, products, order, semiring.add)
        keys.append(batch_keys)
        values.append(batch_values)
    return Coordinates(np.concatenate(keys), np.concatenate(values), shape)


def _terms(
    a: Coordinates, b: Coordinates, mask: StructuralMask | None, some: slice
) -> tuple[Array, Array, Array]:
    """Of the products of some entries of a: the entry of b, the entry of a, counted from the first of
    them, and the place that each belongs to.
    """
    inner = a.cols[some]
    starts = b.row_starts[inner]
    positions, origin = expand(starts, b.row_starts[inner + 1] - starts)
    places = a.rows[some][origin] * b.shape[1] + b.cols[positions]
    if mask is None:
        return positions, origin, places
    kept = inside(mask, places, a.shape[0] * b.shape[1])
    return positions[kept], origin[kept], places[kept]


def _require_product(
    a: Coordinates, b: Coordinates, semiring: TypedSemiring, mask: StructuralMask | None
) -> None:
    """Refuse a product that cannot fit: the parts of it, and all of it in one piece."""
    lengths = (b.row_starts[1:] - b.row_starts[:-1])[a.cols]
    flops, size = int(lengths.sum()), semiring.result.itemsize

    def look() -> RowsOfProduct:
        before = np.concatenate([[0], np.cumsum(lengths)])
        return RowsOfProduct(
            np.diff(before[a.row_starts]),
            lambda: longest_terms(a.row_starts, lengths),
            b.shape[1],
            None if mask is None else np.diff(mask.storage.row_starts),
            mask is not None and mask.complemented,
        )

    def count(limit: int) -> int:
        found = 0
        for some in _batches(a, b):
            found += len(np.unique(_terms(a, b, mask, some)[2]))
            if found > limit:
                break
        return found

    in_hand = min(flops, PRODUCTS_AT_ONCE) * (48 + 3 * size)
    require_product(flops, 2 * (8 + size), in_hand, look, count)


def _batches(a: Coordinates, b: Coordinates) -> Iterator[slice]:
    """Slices of the entries of a, whole rows each, that expand to about PRODUCTS_AT_ONCE products."""
    lengths = b.row_starts[1:] - b.row_starts[:-1]
    work = np.concatenate([[0], np.cumsum(lengths[a.cols])])
    work_at_row = work[a.row_starts]
    row = 0
    while row < a.shape[0]:
        limit = work_at_row[row] + PRODUCTS_AT_ONCE
        following = max(row + 1, int(np.searchsorted(work_at_row, limit, "right")) - 1)
        yield slice(int(a.row_starts[row]), int(a.row_starts[following]))
        row = following


def inside(mask: StructuralMask, keys: Array, bound: int) -> Array:
    """Which of the keys lie inside the mask."""
    found = contains(mask.storage.keys, keys, bound)
    return ~found if mask.complemented else found


def _multiplied(
    op: TypedBinary,
    left: Array,
    left_at: Array,
    right: Array,
    right_at: Array,
    indices: tuple[Array, ...],
) -> Array:
    """op of the values at these positions, and of the indices that a positional op sees."""
    x, y = fetch(left, left_at, op.op.reads_left), fetch(right, right_at, op.op.reads_right)
    try:
        return binary(op, x, y, *indices)
    except OperatorError:
        return binary(op, left[left_at], right[right_at], *indices)  # which tells what it was given


def fetch(values: Array, positions: Array, read: bool) -> Array:
    """values[positions]; where the operator reads none, a stand-in that takes no memory."""
    if read:
        return values[positions]
    return np.broadcast_to(np.zeros((), values.dtype), positions.shape)
