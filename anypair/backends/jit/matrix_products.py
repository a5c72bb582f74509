"""Products of matrices: scaling by a diagonal, dot products inside a mask, or row by row."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.jit.building import starts_of
from anypair.backends.jit.elementwise import keep_entries
from anypair.backends.jit.kernels import matrix_product_kernels, plain_kernels
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
    kernels: Any = matrix_product_kernels(semiring)
    shape = (a.shape[0], b.shape[1])
    if mask is None:
        if (diagonal := _diagonal_of(b)) is not None:
            return _scaled(team, kernels.scale_columns, a, diagonal, semiring)
        if (diagonal := _diagonal_of(a)) is not None:
            return _scaled(team, kernels.scale_rows, b, diagonal, semiring)
    product = MatrixProduct(team, workspace, kernels, a, b, semiring, mask)
    most, trace = a.nvals * b.max_degree, current_trace()
    if most < team.granularity.small_work and most * HASHED_IF_EMPTIER >= shape[1]:
        if trace is not None:
            trace.note(direction="push", edges=int(_terms(team, a, b)[-1]))
        return product.of_few_terms(most)
    terms = _terms(team, a, b)
    flops = int(terms[-1])
    if mask is not None and not mask.complemented:
        steps = _steps_of_dots(b, mask.storage)
        if steps + a.nvals < STEPS_FOR_A_PRODUCT * flops:
            if trace is not None:
                trace.note(direction="pull", edges=int(steps))
            return product.by_dots(transposed(team, b), mask.storage)
    if trace is not None:
        trace.note(direction="push", edges=flops)
    return product.run(terms)


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


class MatrixProduct:
    """A product row by row, or inside a mask by dot products, in pieces of about equal work."""

    def __init__(
        self,
        team: Team,
        workspace: Workspace,
        kernels: Any,
        a: JitMatrix,
        b: JitMatrix,
        semiring: TypedSemiring,
        mask: StructuralMask | None,
    ) -> None:
        self.team = team
        self.workspace = workspace
        self.kernels = kernels
        self.a = a
        self.b = b
        self.mask = mask
        self.shape = (a.shape[0], b.shape[1])
        self.result = semiring.result
        # For kernels: 0 for no mask, 1 for places inside it, 2 for those outside, and its rows.
        mode = 0 if mask is None else 2 if mask.complemented else 1
        named = a if mask is None else mask.storage
        self.masked = (mode, named.starts, named.indices)

    def of_few_terms(self, most: int) -> JitMatrix:
        """All rows, with no more entries than this, which nobody needs to count before."""
        nrows, ncols = self.shape
        room = min(most, nrows * ncols)
        starts = np.zeros(nrows + 1, index_dtype(room + 1))
        indices, values = np.empty(room, index_dtype(ncols)), np.empty(room, self.result)
        used = self._multiply(0, nrows, starts, indices, values, 0)
        return JitMatrix(self.shape, starts, indices[:used].copy(), values[:used].copy())

    def run(self, terms: Array) -> JitMatrix:
        """All rows, whose entries are counted first, unless a mask names their places."""
        self.terms = terms
        self.flops = int(terms[-1])
        self.by_hash = self.flops * HASHED_IF_EMPTIER < self.shape[1]
        nrows, ncols = self.shape
        if not self.flops:
            none = np.empty(0, index_dtype(ncols)), np.empty(0, self.result)
            return JitMatrix(self.shape, np.zeros(nrows + 1, index_dtype(1)), *none)
        if self.mask is not None and not self.mask.complemented and not self.by_hash:
            return self._by_rows_inside(self.mask.storage)
        self._require()
        if self.by_hash:
            return self._by_hash()
        counts, bounds = np.empty(nrows, np.int64), self._bounds()
        self.team.run(self._count, [(b, e, counts, UNLIMITED) for b, e in pairwise(bounds)])
        starts = starts_of(counts)
        indices = np.empty(int(starts[-1]), index_dtype(ncols))
        values = np.empty(len(indices), self.result)
        calls = [(b, e, starts, indices, values, int(starts[b])) for b, e in pairwise(bounds)]
        self.team.run(self._multiply, calls)
        return JitMatrix(self.shape, starts, indices, values)

    def by_dots(self, columns: JitMatrix, named: JitMatrix) -> JitMatrix:
        """A sum along a column of b for each place that the mask names."""
        a, kernels, team = self.a, self.kernels, self.team
        steps = int(plain_kernels("structure").sum_of_degrees(named.indices, 1, columns.starts))
        pieces = max(team.pieces_for(named.nvals), steps // team.granularity.at_once)
        given = (a.starts, a.indices, a.values, columns.starts, columns.indices, columns.values)

        def some_rows(begin: int, end: int, keep: Array, values: Array) -> None:
            flags = self.workspace.row_scratch(a.shape[1]).flags
            scattered = np.empty(0 if kernels.COUNTED else a.shape[1], a.dtype)
            hits = np.empty(columns.max_degree, np.uint64)
            inside = (named.starts, named.indices, flags, scattered, hits)
            with self.workspace.kept_clear():
                kernels.dots(begin, end, *given, *inside, keep, values)

        return self._inside(named, named.pieces(min(pieces, self.shape[0] or 1), 1), some_rows)

    def _by_rows_inside(self, named: JitMatrix) -> JitMatrix:
        """Row by row, where nothing is summed but at places that the mask names."""
        a, b = self.a, self.b
        given = (a.starts, a.indices, a.values, b.starts, b.indices, b.values)

        def some_rows(begin: int, end: int, keep: Array, values: Array) -> None:
            scratch = self.workspace.row_scratch(self.shape[1])
            inside = (named.starts, named.indices, scratch.flags, scratch.sums(self.result))
            with self.workspace.kept_clear():
                self.kernels.rows_inside(begin, end, *given, *inside, keep, values)

        return self._inside(named, self._bounds(), some_rows)

    def _inside(
        self, named: JitMatrix, bounds: list[int], some_rows: Callable[[int, int, Array, Array], None]
    ) -> JitMatrix:
        """What is found at places that a mask names; `some_rows(begin, end, keep, values)` says of each
        place in some rows whether there is something, and what.
        """
        each = 1 + named.indices.itemsize + 2 * self.result.itemsize
        require(named.nvals * each, "the product inside its mask")
        keep, values = np.empty(named.nvals, np.bool_), np.empty(named.nvals, self.result)
        self.team.run(some_rows, [(begin, end, keep, values) for begin, end in pairwise(bounds)])
        found = JitMatrix(self.shape, named.starts, named.indices, values)
        kept: JitMatrix = keep_entries(self.team, found, keep)
        return kept

    def _multiply(
        self, begin: int, end: int, starts: Array, indices: Array, values: Array, at: int
    ) -> int:
        """Compute some rows, from place `at` on; returns where they end."""
        a, b, scratch = self.a, self.b, self.workspace.row_scratch(self.shape[1])
        given = (a.starts, a.indices, a.values, b.starts, b.indices, b.values, *self.masked)
        kept = (*scratch.bits, scratch.sums(self.result), starts, indices, values)
        with self.workspace.kept_clear():
            used: int = self.kernels.rows_times_matrix(begin, end, *given, *kept, at)
        return used

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
