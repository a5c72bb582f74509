"""Products of matrices: scaling by a diagonal, dot products inside a mask, or row by row."""

from itertools import pairwise
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.building import starts_of
from anypair.backends.jit.elementwise import keep_entries
from anypair.backends.jit.kernels import plain_kernels, product_kernels
from anypair.backends.jit.products import transposed
from anypair.backends.jit.storage import JitMatrix, JitVector
from anypair.backends.product_size import RowsOfProduct, longest_terms, require_product
from anypair.dtypes import Array, index_dtype
from anypair.memory import require
from anypair.semiring import TypedSemiring
from anypair.threads.team import Team, even_bounds

STEPS_FOR_A_PRODUCT = 2  # of a dot product, in the time that a product takes row by row
STEPS_TO_TRANSPOSE = 8  # of a dot product, in the time that it takes to transpose an entry
HASHED_IF_EMPTIER = 8  # places of a row for each product, beyond which a hash table is smaller


def matrix_times_matrix(
    team: Team, a: JitMatrix, b: JitMatrix, semiring: TypedSemiring, mask: StructuralMask | None
) -> JitMatrix:
    """By scaling if one of them is a diagonal, by dot products where a mask names few places, else row
    by row.
    """
    kernels: Any = product_kernels("product_of_matrices", semiring)
    shape = (a.shape[0], b.shape[1])
    if mask is None:
        if (diagonal := _diagonal_of(b)) is not None:
            return _scaled(team, kernels.scale_columns, a, diagonal, semiring)
        if (diagonal := _diagonal_of(a)) is not None:
            return _scaled(team, kernels.scale_rows, b, diagonal, semiring)
    require(16 * a.nvals, "the product, to count its terms,")
    lengths = np.diff(b.starts).astype(np.int64)
    work = np.zeros(a.nvals + 1, np.int64)
    np.cumsum(lengths[a.indices], out=work[1:])
    if mask is not None and not mask.complemented and _dots_are_cheaper(a, b, mask.storage, work[-1]):
        return _by_dots(team, kernels, a, transposed(team, b), semiring, mask.storage, shape)
    _require_rows(team, a, b, semiring, mask, lengths, work)
    return _by_rows(team, kernels, a, b, semiring, mask, shape, work[a.starts])


def _diagonal_of(a: JitMatrix) -> JitVector | None:
    """What is on the diagonal, if there is nothing elsewhere."""
    if a.shape[0] != a.shape[1] or a.max_degree > 1:
        return None
    rows = np.flatnonzero(a.starts[1:] != a.starts[:-1])
    return JitVector(a.shape[0], a.indices, a.values) if np.array_equal(rows, a.indices) else None


def _scaled(
    team: Team, kernel: Any, a: JitMatrix, diagonal: JitVector, semiring: TypedSemiring
) -> JitMatrix:
    """Each entry of a times one of the diagonal, where it has one: there is nothing to add."""
    require(a.nvals * (1 + semiring.result.itemsize), "the product")
    keep, values = np.empty(a.nvals, np.bool_), np.empty(a.nvals, semiring.result)
    bounds = a.pieces(team.pieces_for(a.nvals), 1)
    given = (a.starts, a.indices, a.values, diagonal.words, diagonal.by_place)
    team.over(bounds, kernel, *given, keep, values)
    product = JitMatrix(a.shape, a.starts, a.indices, values)
    kept: JitMatrix = product if keep.all() else keep_entries(team, product, keep)
    return kept


def _dots_are_cheaper(a: JitMatrix, b: JitMatrix, named: JitMatrix, flops: int) -> bool:
    """A dot product walks along a column of b for each place of the mask, after each row of a once.

    Where the columns are at hand their lengths are known; else they are to be made first.
    """
    if b.transposed is None:
        steps = named.nvals * (b.nvals / max(b.shape[1], 1)) + STEPS_TO_TRANSPOSE * b.nvals
    else:
        steps = _steps_of_dots(b.transposed, named)
    return steps + a.nvals < STEPS_FOR_A_PRODUCT * flops


def _steps_of_dots(columns: JitMatrix, named: JitMatrix) -> int:
    """How long the columns are that places of the mask lie in, each time one does."""
    return int(np.diff(columns.starts)[named.indices].sum(dtype=np.int64))


def _by_dots(
    team: Team,
    kernels: Any,
    a: JitMatrix,
    columns: JitMatrix,
    semiring: TypedSemiring,
    named: JitMatrix,
    shape: tuple[int, int],
) -> JitMatrix:
    each = 1 + named.indices.itemsize + 2 * semiring.result.itemsize
    require(named.nvals * each, "the product inside its mask")
    keep = np.empty(named.nvals, np.bool_)
    values = np.zeros(named.nvals, semiring.result)
    steps = _steps_of_dots(columns, named)
    pieces = max(team.pieces_for(named.nvals), steps // team.granularity.at_once)
    given = (a.starts, a.indices, a.values, columns.starts, columns.indices, columns.values)
    inside = (named.starts, named.indices)

    def some_rows(begin: int, end: int) -> None:
        flags = np.zeros(a.shape[1], np.uint8)  # pages that nobody touches cost nothing
        scattered = np.empty(0 if kernels.COUNTED else a.shape[1], a.dtype)
        kernels.dots(begin, end, *given, *inside, flags, scattered, keep, values)

    team.run(some_rows, list(pairwise(named.pieces(min(pieces, shape[0] or 1), 1))))
    kept: JitMatrix = keep_entries(team, JitMatrix(shape, named.starts, named.indices, values), keep)
    return kept


def _require_rows(
    team: Team,
    a: JitMatrix,
    b: JitMatrix,
    semiring: TypedSemiring,
    mask: StructuralMask | None,
    lengths: Array,
    work: Array,
) -> None:
    """Refuse a product row by row that cannot fit: what the threads find, and all of it in one piece."""
    nrows, ncols, flops = a.shape[0], b.shape[1], int(work[-1])
    entry = index_dtype(ncols).itemsize + semiring.result.itemsize
    width = min(ncols, HASHED_IF_EMPTIER * flops)
    at_once = min(flops, team.granularity.flops_at_once)
    in_hand = width * (8 + semiring.result.itemsize) + at_once * entry
    mode, m_starts, m_indices = _mask_of(a, mask)

    def look() -> RowsOfProduct:
        masked = None if mask is None else np.diff(m_starts.astype(np.int64))
        return RowsOfProduct(
            np.diff(work[a.starts]),
            lambda: longest_terms(a.starts, lengths[a.indices]),
            ncols,
            masked,
            mode == 2,
        )

    def count(limit: int) -> int:
        kernel: Any = plain_kernels("symbolic").count_product
        given = (a.starts, a.indices, b.starts, b.indices, mode, m_starts, m_indices)
        calls = [
            (begin, end, *given, np.full(ncols, -1, np.int64), limit)
            for begin, end in pairwise(even_bounds(nrows, team.size))
        ]
        return sum(team.run(kernel, calls))

    require_product(flops, 2 * entry, team.size * in_hand, look, count)


def _mask_of(a: JitMatrix, mask: StructuralMask | None) -> tuple[int, Array, Array]:
    """For kernels: 0 for no mask, 1 for places inside it, 2 for those outside, and its rows."""
    if mask is None:
        return 0, a.starts, a.indices
    return 2 if mask.complemented else 1, mask.storage.starts, mask.storage.indices


def _by_rows(
    team: Team,
    kernels: Any,
    a: JitMatrix,
    b: JitMatrix,
    semiring: TypedSemiring,
    mask: StructuralMask | None,
    shape: tuple[int, int],
    work: Array,
) -> JitMatrix:
    """Pieces of about equal work, each with an accumulator as wide as a row."""
    mode, m_starts, m_indices = _mask_of(a, mask)
    counts = np.zeros(shape[0], np.int64)
    flops = int(work[-1])
    pieces = max(flops // team.granularity.flops_at_once, team.pieces_for(flops))
    pieces = min(pieces, shape[0] or 1)
    marks = np.arange(1, pieces) * (flops / pieces)
    bounds = sorted({0, shape[0], *np.searchsorted(work, marks).tolist()})

    given = (
        a.starts, a.indices, a.values, b.starts, b.indices, b.values, mode, m_starts, m_indices,
    )  # fmt: skip

    def some_rows(begin: int, end: int) -> tuple[Array, Array]:
        room = int(min(work[end] - work[begin], (end - begin) * shape[1]))
        out = np.empty(room, index_dtype(shape[1])), np.empty(room, semiring.result)
        if (work[end] - work[begin]) * HASHED_IF_EMPTIER < shape[1]:
            most = int(np.diff(work[begin : end + 1]).max(initial=0))
            keys = np.empty(4 * most + 4, np.int64)
            sums = np.empty(len(keys), semiring.result)
            used = kernels.rows_by_hash(begin, end, *given, work, keys, sums, *out, counts)
        else:
            stamps, sums = np.full(shape[1], -1, np.int64), np.empty(shape[1], semiring.result)
            used = kernels.rows_times_matrix(begin, end, *given, stamps, sums, *out, counts)
        return out[0][:used].copy(), out[1][:used].copy()

    found = team.run(some_rows, list(pairwise(bounds)))
    indices = [np.empty(0, index_dtype(shape[1])), *(i for i, _ in found)]
    values = [np.empty(0, semiring.result), *(v for _, v in found)]
    return JitMatrix(shape, starts_of(counts), np.concatenate(indices), np.concatenate(values))
