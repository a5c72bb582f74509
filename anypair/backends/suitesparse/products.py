"""Products, and which way round they go: from the entries of the vector, or towards the results.

Push expands the rows that the vector names; it needs the matrix by rows. Pull looks, for each result
inside the mask, along its column for entries that the vector has; it needs the matrix by columns.
"""

from math import prod
from typing import Any

import numpy as np

from anypair.backends.base import StructuralMask
from anypair.backends.plan import Direction
from anypair.backends.suitesparse.library import NULL, call, lib
from anypair.backends.suitesparse.operators import raise_failures, semiring
from anypair.backends.suitesparse.storage import (
    BITMAP,
    SPARSE,
    Degrees,
    MatrixStorage,
    RowMajorMatrix,
    VectorStorage,
    new_matrix,
    new_vector,
)
from anypair.backends.suitesparse.transfer import entries, indices
from anypair.backends.tuning import Tuning
from anypair.dtypes import BOOL, INT64, DType
from anypair.semiring import TypedSemiring
from anypair.trace import current as current_trace

# An edge that is pushed costs as much as several that a pull may have to look at; a list beats a bitmap
# below one entry in 64 places.
TUNING = Tuning(
    push_ending_early=8,
    push_masked=4,
    push_start=0,
    pull_per_place=1,
    back_to_push=512,
    counted_share=8,
    turn_cost=2,
    listed_below=64,
)


def vector_times_matrix(
    u: VectorStorage,
    a: MatrixStorage,
    of: TypedSemiring,
    mask: StructuralMask | None,
    forced: str,
    tuning: Tuning,
) -> VectorStorage:
    """t(j) = add over k of multiply(a(k, j), u(k)), in the direction that is asked for, if one is."""
    product = semiring(of)
    if mask is not None and mask.storage is u:
        mask = StructuralMask(u.cast(u.dtype), mask.complemented)  # each has to have a format of its own
    mask = _safe(mask)
    wanted = product.multiply.right
    u = u if wanted is None or wanted == u.dtype else u.cast(wanted)
    push = forced == "push"
    if forced == "auto":
        direction, detour = product.plan.direction(VectorWork(u, a, mask), tuning)
        a.orientations.detour += detour
        push = direction == "push"
    if not push:
        u.prefer(BITMAP)
    elif u.nvals * tuning.listed_below < u.size:
        u.prefer(SPARSE)
    matrix = _cast_for_speed(a.rows if push else a.columns, product.multiply.left)
    t = new_vector(a.shape[1], of.result)
    if not a.nvals:  # of no columns and one value, SuiteSparse:GraphBLAS 10 takes each row for full
        return t
    call(
        lib.GrB_mxv,
        t.handle,
        NULL if mask is None else mask.storage.handle,
        NULL,
        product.handle,
        matrix.handle,
        u.handle,
        descriptor(mask, transposed=push),
    )
    raise_failures(lambda: t.nvals, product.multiply, product.add)
    t.pulled = not push
    if (trace := current_trace()) is not None:
        trace.note(direction="push" if push else "pull")
    return t


def matrix_times_matrix(
    a: MatrixStorage, b: MatrixStorage, of: TypedSemiring, mask: StructuralMask | None
) -> MatrixStorage:
    """t(i, j) = add over k of multiply(a(i, k), b(k, j))."""
    product = semiring(of)
    mask = _safe(mask)
    left = _cast_for_speed(a.rows, product.multiply.left)
    right = _cast_for_speed(b.rows, product.multiply.right)
    matrix = new_matrix((a.shape[0], b.shape[1]), of.result)
    op = of.multiply
    by_columns = op.op.positional and not product.multiply.native and op.left != op.right
    if by_columns:
        # By rows, the library casts what such an operator takes to each other's dtypes.
        left, right = left.copy(), right.copy()
        for each in (left, right, matrix):
            each.orient(lib.GrB_COLMAJOR)
    call(
        lib.GrB_mxm,
        matrix.handle,
        NULL if mask is None else mask.storage.handle,
        NULL,
        product.handle,
        left.handle,
        right.handle,
        descriptor(mask),
    )
    if by_columns:
        matrix.orient(lib.GrB_ROWMAJOR)
    t = MatrixStorage.of(matrix)
    raise_failures(lambda: t.nvals, product.multiply, product.add)
    return t


def _safe(mask: StructuralMask | None) -> StructuralMask | None:
    """The mask in a form on which products come to an end: on a plain bitmap the library may hang."""
    if mask is None or mask.complemented:
        return mask
    if mask.storage.nvals == prod(mask.storage.shape):
        return None
    mask.storage.prefer(SPARSE)
    return mask


def descriptor(mask: StructuralMask | None, *, transposed: bool = False, replace: bool = False) -> Any:
    """How the library is to read the mask and the first operand, and whether it clears the output."""
    return _DESCRIPTORS[mask is not None, mask is not None and mask.complemented, transposed, replace]


def _descriptor(masked: bool, complemented: bool, transposed: bool, replace: bool) -> Any:
    letters = "R" * replace + "S" * masked + "C" * complemented + "T0" * transposed
    return getattr(lib, f"GrB_DESC_{letters}") if letters else NULL


_DESCRIPTORS = {
    (masked, complemented, transposed, replace): _descriptor(masked, complemented, transposed, replace)
    for masked in (False, True)
    for complemented in (False, True)
    for transposed in (False, True)
    for replace in (False, True)
}


class VectorWork:
    """What a plan asks of the `Work` of a product."""

    def __init__(self, u: VectorStorage, a: MatrixStorage, mask: StructuralMask | None) -> None:
        self.u = u
        self.a = a
        self.mask = mask
        self.masked = mask is not None
        self.entries = u.nvals
        self.places = u.size
        self.nvals = a.nvals
        self.after_pull = u.pulled
        self.detour = a.orientations.detour

    @property
    def missing(self) -> Direction | None:
        if self.a.has_rows:
            return None if self.a.has_columns else "pull"
        return "push"

    def open_rows(self) -> tuple[int, int]:
        results = self.a.shape[1]
        if self.mask is None:
            return results, results
        inside = self.mask.storage.nvals
        return results, results - inside if self.mask.complemented else inside

    def covers(self) -> bool:
        return self.entries == self.places

    def longest(self) -> int | None:
        # Counts of more rows than entries would take more room than the matrix.
        countable = self.a.has_rows and self.places <= self.nvals
        return _degrees(self.a.rows).most if countable else None

    def edges(self) -> float | None:
        degrees = self.a.rows.degrees if self.a.has_rows else None
        return None if degrees is None else int(degrees.each[indices(self.u)].sum())

    def probes(self) -> float | None:
        return None  # the library has no samples


def _degrees(matrix: RowMajorMatrix) -> Degrees:
    """How many entries the rows have, counted once."""
    if matrix.degrees is None:
        nrows, ncols = matrix.shape
        ones, counts = new_vector(ncols, BOOL), new_vector(nrows, INT64)
        call(lib.GrB_Vector_assign_BOOL, ones.handle, NULL, NULL, True, lib.GrB_ALL, ncols, NULL)
        operands = (lib.GxB_PLUS_PAIR_INT64, matrix.handle, ones.handle)
        call(lib.GrB_mxv, counts.handle, NULL, NULL, *operands, NULL)
        rows, filled = entries(counts)
        each = np.zeros(nrows, np.int64)
        each[rows] = filled
        matrix.degrees = Degrees(each, int(each.max(initial=0)))
    return matrix.degrees


def _cast_for_speed(matrix: RowMajorMatrix, dtype: DType | None) -> RowMajorMatrix:
    return matrix if dtype is None else matrix.cast(dtype)
