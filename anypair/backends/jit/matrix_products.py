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
from anypair.backends.jit.workspace import Workspace
from anypair.backends.product_size import RowsOfProduct, longest_terms, require_product
from anypair.dtypes import Array, index_dtype
from anypair.memory import UNLIMITED, require
from anypair.semiring import TypedSemiring
from anypair.threads.team import Team, even_bounds
from anypair.trace import current as current_trace

STEPS_FOR_A_PRODUCT = 2  # of a dot product, in the time that a product takes row by row
STEPS_TO_TRANSPOSE = 8  # of a dot product, in the time that it takes to transpose an entry
HASHED_IF_EMPTIER = 8  # places of a row for each product, beyond which a hash table is smaller


def matrix_times_matrix(
    team: Team,
    workspace: Workspace,
    a: JitMatrix,
    b: JitMatrix,
    semiring: TypedSemiring,
    mask: StructuralMask | None,
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
    terms = _terms(team, a, b)
    flops, trace = int(terms[-1]), current_trace()
    if mask is not None and not mask.complemented:
        steps = _steps_of_dots(b, mask.storage)
        if steps + a.nvals < STEPS_FOR_A_PRODUCT * flops:
            if trace is not None:
                trace.note(direction="pull", edges=int(steps))
            return _by_dots(team, kernels, a, transposed(team, b), semiring, mask.storage, shape)
    if trace is not None:
        trace.note(direction="push", edges=flops)
    return RowProduct(team, workspace, kernels, a, b, semiring, mask, terms).run()


def _terms(team: Team, a: JitMatrix, b: JitMatrix) -> Array:
    """How many products the rows in front of each row are summed from, and all of them."""
    require(8 * a.shape[0], "the product, to count its terms,")
    terms = np.zeros(a.shape[0] + 1, np.int64)
    kernel: Any = plain_kernels("symbolic").count_terms
    bounds = a.pieces(team.pieces_for(a.nvals), 1)
    team.over(bounds, kernel, a.starts, a.indices, b.starts, terms)
    return np.cumsum(terms, out=terms)


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


def _steps_of_dots(b: JitMatrix, named: JitMatrix) -> float:
    """What dot products cost: each walks along a column of b, for each place of the mask.

    Where the columns are at hand their lengths are known; else they are to be made first.
    """
    if (columns := b.transposed) is None:
        return named.nvals * (b.nvals / max(b.shape[1], 1)) + STEPS_TO_TRANSPOSE * b.nvals
    return int(plain_kernels("structure").sum_of_degrees(named.indices, 1, columns.starts))


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
    steps = int(plain_kernels("structure").sum_of_degrees(named.indices, 1, columns.starts))
    pieces = max(team.pieces_for(named.nvals), steps // team.granularity.at_once)
    given = (a.starts, a.indices, a.values, columns.starts, columns.indices, columns.values)
    inside = (named.starts, named.indices)

    def some_rows(begin: int, end: int) -> None:
        flags = np.zeros(a.shape[1], np.uint8)  # pages that nobody touches cost nothing
        scattered = np.empty(0 if kernels.COUNTED else a.shape[1], a.dtype)
        hits = np.empty(columns.max_degree, np.uint64)
        kernels.dots(begin, end, *given, *inside, flags, scattered, hits, keep, values)

    team.run(some_rows, list(pairwise(named.pieces(min(pieces, shape[0] or 1), 1))))
    kept: JitMatrix = keep_entries(team, JitMatrix(shape, named.starts, named.indices, values), keep)
    return kept


class RowProduct:
    """A product row by row, in pieces of about equal work, for one call."""

    def __init__(
        self,
        team: Team,
        workspace: Workspace,
        kernels: Any,
        a: JitMatrix,
        b: JitMatrix,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
        terms: Array,
    ) -> None:
        self.team = team
        self.workspace = workspace
        self.kernels = kernels
        self.a = a
        self.b = b
        self.mask = mask
        self.terms = terms
        self.flops = int(terms[-1])
        self.shape = (a.shape[0], b.shape[1])
        self.result = semiring.result
        # For kernels: 0 for no mask, 1 for places inside it, 2 for those outside, and its rows.
        mode = 0 if mask is None else 2 if mask.complemented else 1
        named = a if mask is None else mask.storage
        self.masked = (mode, named.starts, named.indices)
        self.by_hash = self.flops * HASHED_IF_EMPTIER < self.shape[1]

    def run(self) -> JitMatrix:
        """All rows, whose entries are counted first, unless they are few."""
        self._require()
        nrows, ncols = self.shape
        if not self.flops:
            none = np.empty(0, index_dtype(ncols)), np.empty(0, self.result)
            return JitMatrix(self.shape, np.zeros(nrows + 1, index_dtype(1)), *none)
        if self.by_hash:
            return self._by_hash()
        if self.flops < self.team.granularity.small_work:
            room = min(self.flops, nrows * ncols)
            starts = np.zeros(nrows + 1, index_dtype(room + 1))
            out = np.empty(room, index_dtype(ncols)), np.empty(room, self.result)
            used = self._multiply(0, nrows, starts, *out, 0)
            return JitMatrix(self.shape, starts, *(kept[:used].copy() for kept in out))
        counts, bounds = np.empty(nrows, np.int64), self._bounds()
        self.team.run(self._count, [(b, e, counts, UNLIMITED) for b, e in pairwise(bounds)])
        starts = starts_of(counts)
        indices = np.empty(int(starts[-1]), index_dtype(ncols))
        values = np.empty(len(indices), self.result)
        calls = [(b, e, starts, indices, values, int(starts[b])) for b, e in pairwise(bounds)]
        self.team.run(self._multiply, calls)
        return JitMatrix(self.shape, starts, indices, values)

    def _multiply(
        self, begin: int, end: int, starts: Array, indices: Array, values: Array, at: int
    ) -> int:
        """Compute some rows, from place `at` on; returns where they end."""
        a, b, scratch = self.a, self.b, self.workspace.row_scratch(self.shape[1])
        given = (a.starts, a.indices, a.values, b.starts, b.indices, b.values, *self.masked)
        kept = (*scratch.bits, scratch.sums(self.result), starts, indices, values)
        try:
            used: int = self.kernels.rows_times_matrix(begin, end, *given, *kept, at)
            return used
        except BaseException:  # Ctrl-C too: the scratch is as it was then
            self.workspace.forget()
            raise

    def _count(self, begin: int, end: int, counts: Array, limit: int) -> int:
        """Count the entries of some rows, up to the first that goes beyond the limit."""
        a, b, bits = self.a, self.b, self.workspace.row_scratch(self.shape[1]).bits
        kernel: Any = plain_kernels("symbolic").count_product
        given = (a.starts, a.indices, b.starts, b.indices, *self.masked)
        count: int = kernel(begin, end, *given, *bits, counts, limit)
        return count

    def _bounds(self) -> list[int]:
        """Of pieces with about equally many products."""
        nrows, grain = self.shape[0], self.team.granularity
        pieces = max(self.flops // grain.flops_at_once, self.team.pieces_for(self.flops))
        pieces = min(pieces, nrows or 1)
        marks = np.arange(1, pieces) * (self.flops / pieces)
        return sorted({0, nrows, *np.searchsorted(self.terms, marks).tolist()})

    def _by_hash(self) -> JitMatrix:
        """Where rows are wide and nearly empty, with tables as large as they need."""
        nrows, ncols = self.shape
        a, b, terms = self.a, self.b, self.terms
        counts = np.zeros(nrows, np.int64)
        given = (a.starts, a.indices, a.values, b.starts, b.indices, b.values, *self.masked, terms)

        def some_rows(begin: int, end: int) -> tuple[Array, Array]:
            room = int(terms[end] - terms[begin])
            out = np.empty(room, index_dtype(ncols)), np.empty(room, self.result)
            most = int(np.diff(terms[begin : end + 1]).max(initial=0))
            keys = np.empty(4 * most + 4, np.int64)
            sums = np.empty(len(keys), self.result)
            used = self.kernels.rows_by_hash(begin, end, *given, keys, sums, *out, counts)
            return out[0][:used].copy(), out[1][:used].copy()

        found = self.team.run(some_rows, list(pairwise(self._bounds())))
        indices, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return JitMatrix(self.shape, starts_of(counts), indices, values)

    def _require(self) -> None:
        """Refuse a product that cannot fit, beside what the threads need for it."""
        ncols, size = self.shape[1], self.result.itemsize
        entry = index_dtype(ncols).itemsize + size
        in_hand = 5 * self.flops * (8 + size) if self.by_hash else ncols * (size + 1)
        bytes_each = 2 * entry if self.by_hash else entry
        besides = self.team.size * in_hand + 8 * self.shape[0]
        require_product(self.flops, bytes_each, besides, self._look, self._count_all)

    def _look(self) -> RowsOfProduct:
        a, (mode, m_starts, _) = self.a, self.masked
        lengths = np.diff(self.b.starts).astype(np.int64)
        masked = None if mode == 0 else np.diff(m_starts.astype(np.int64))
        return RowsOfProduct(
            np.diff(self.terms),
            lambda: longest_terms(a.starts, lengths[a.indices]),
            self.shape[1],
            masked,
            mode == 2,
        )

    def _count_all(self, limit: int) -> int:
        counts = np.empty(self.shape[0], np.int64)
        bounds = even_bounds(self.shape[0], self.team.size)
        return sum(self.team.run(self._count, [(b, e, counts, limit) for b, e in pairwise(bounds)]))
