"""Union, intersection, apply, select and sums; a vector is treated as a matrix of one row."""

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from anypair.backends.base import Applied
from anypair.backends.jit.building import starts_of
from anypair.backends.jit.kernels import (
    applied_kernels,
    bound_kernels,
    entry_kernels,
    plain_kernels,
    sum_kernels,
)
from anypair.backends.jit.storage import JitMatrix, JitVector, broadcast, is_broadcast
from anypair.dtypes import Array, Scalar, caster, index_dtype
from anypair.memory import require
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid, TypedUnary
from anypair.threads.team import Team, even_bounds

Entries = JitVector | JitMatrix


def starts_and_bounds(team: Team, x: Entries) -> tuple[Array, list[int]]:
    """The row starts of x, and bounds of row ranges to share out."""
    if isinstance(x, JitMatrix):
        return x.starts, x.pieces(team.pieces_for(x.nvals), 1)
    return np.array([0, x.nvals], index_dtype(x.nvals + 1)), [0, 1]


def like(x: Entries, starts: Array, indices: Array, values: Array) -> Any:
    """A vector or a matrix as x is."""
    if isinstance(x, JitVector):
        return JitVector(x.size, indices, values)
    return JitMatrix(x.shape, starts, indices, values)


def union(team: Team, x: Entries, y: Entries, op: TypedBinary) -> Any:
    """op where both have an entry, else the one that is there."""
    return _merged(team, x, y, op, "union")


def intersection(team: Team, x: Entries, y: Entries, op: TypedBinary, probed_if_fewer: int) -> Any:
    """op where both have an entry; of vectors, entries fewer by that factor are looked up one by one."""
    if isinstance(x, JitVector):
        assert isinstance(y, JitVector)
        if (found := _probed(team, x, y, op, probed_if_fewer)) is not None:
            return found
    return _merged(team, x, y, op, "intersection")


def _probed(
    team: Team, x: JitVector, y: JitVector, op: TypedBinary, probed_if_fewer: int
) -> JitVector | None:
    """op where both have an entry, by looking up the fewer entries among the others.

    None where both are lists, or nearly as long: then they are merged.
    """
    few_is_left = x.nvals < y.nvals
    few, many = (x, y) if few_is_left else (y, x)
    if few.nvals * probed_if_fewer > many.nvals or not many.has_values_by_place:
        return None
    places, values = few.any_list()
    if not many.is_full:
        keep = np.empty(len(places), np.bool_)
        plain_kernels("structure").test_bits(places, many.words, False, keep)
        few = keep_entries(team, few, keep)
        places, values = few.any_list()
    out = np.empty(len(places), op.result)
    kernels: Any = entry_kernels("entries", op)
    kernel = kernels.combine_left_at if few_is_left else kernels.combine_right_at
    bounds = even_bounds(len(places), team.pieces_for(len(places)))
    team.over(bounds, kernel, places, values, many.by_place, out)
    return JitVector(x.size, places, out, is_sorted=few.is_sorted)


def _merged(team: Team, x: Entries, y: Entries, op: TypedBinary, which: str) -> Any:
    kernels: Any = entry_kernels("entries", op)
    xs, bounds = starts_and_bounds(team, x)
    x_indices, x_values = _sorted_entries(x)
    y_indices, y_values = _sorted_entries(y)
    if x_indices is y_indices and (isinstance(x, JitVector) or x.starts is y.starts):  # type: ignore[union-attr]
        values = np.empty(x.nvals, op.result)
        pieces = even_bounds(x.nvals, team.pieces_for(x.nvals))
        team.over(pieces, kernels.combine_values, x_values, y_values, values)
        return like(x, xs, x_indices, values)
    ys, _ = starts_and_bounds(team, y)
    structure: Any = plain_kernels("structure")
    counts = np.empty(len(xs) - 1, np.int64)
    counter = structure.count_union if which == "union" else structure.count_intersection
    team.over(bounds, counter, xs, x_indices, ys, y_indices, counts)
    starts = starts_of(counts)
    total = int(starts[-1])
    require(total * (x_indices.itemsize + op.result.itemsize), f"a result of {total} entries")
    indices, values = np.empty(total, x_indices.dtype), np.empty(total, op.result)
    given = (xs, x_indices, x_values, ys, y_indices, y_values)
    team.over(bounds, getattr(kernels, which), *given, starts, indices, values)
    return like(x, starts, indices, values)


def _sorted_entries(x: Entries) -> tuple[Array, Array]:
    """Indices and values, in order."""
    return x.sorted_list() if isinstance(x, JitVector) else (x.indices, x.values)


def applied_values(team: Team, x: Entries, op: Applied) -> Array:
    """op of every entry, in the order in which they are kept."""
    if isinstance(op, BoundOp) and not op.reads_entries:
        return broadcast(np.array([op(0)], op.result), x.nvals)
    out = np.empty(x.nvals, op.result)
    bounds = even_bounds(x.nvals, team.pieces_for(x.nvals))
    if isinstance(op, BoundOp):
        kernels: Any = bound_kernels(op.binary, op.scalar_is_left)
        dtype = op.binary.left if op.scalar_is_left else op.binary.right
        scalar = np.array([caster(dtype)(op.scalar)], dtype)
        team.over(bounds, kernels.apply_bound, scalar, kept_values(x), out)
        return out
    kernels = applied_kernels(op)
    if isinstance(x, JitVector):
        team.over(bounds, kernels.apply_to_vector, *x.any_list(), out)
    else:
        rows = x.pieces(team.pieces_for(x.nvals), 1)
        team.over(rows, kernels.apply_to_rows, x.starts, x.indices, x.values, out)
    return out


def applied_by_place(team: Team, x: JitVector, op: TypedUnary, out: Array) -> JitVector:
    """op of every entry of a bitmap, as another one with values in `out`."""
    words = x.words.copy()
    bounds = even_bounds(len(words), team.pieces_for(x.nvals))
    team.over(bounds, applied_kernels(op).apply_to_words, words, x.by_place, out)
    return JitVector(x.size, None, None, words, out, x.nvals)


def kept_values(x: Entries) -> Array:
    """The values in the order in which they are kept, sorted or not."""
    return x.any_list()[1] if isinstance(x, JitVector) else x.values


def with_values(x: Entries, values: Array) -> Any:
    """The entries of x with other values, which come in the order in which they are kept."""
    if isinstance(x, JitMatrix):
        return x.with_values(values)
    if is_broadcast(values) and not x.has_list:
        return JitVector(x.size, None, None, x.words.copy(), broadcast(values, x.size), x.nvals)
    return JitVector(x.size, x.any_list()[0], values, is_sorted=x.is_sorted)


def keep_entries(team: Team, x: Entries, keep: Array) -> Any:
    """The entries that are to be kept, of all in the order in which they are kept."""
    if isinstance(x, JitVector):
        if len(keep) < team.granularity.numpy_below:
            places, values = x.any_list()
            return JitVector(x.size, places[keep], values[keep], is_sorted=x.is_sorted)
        bounds = even_bounds(len(keep), team.pieces_for(len(keep)))
        firsts = _kept_before(keep, bounds)
        indices, values = (_compressed(team, keep, bounds, firsts, each) for each in x.any_list())
        return JitVector(x.size, indices, values, is_sorted=x.is_sorted)
    rows = x.pieces(team.pieces_for(x.nvals), 1)
    bounds = x.starts[rows].tolist()
    firsts = _kept_before(keep, bounds)
    indices, values = (_compressed(team, keep, bounds, firsts, each) for each in (x.indices, x.values))
    starts = np.empty_like(x.starts)
    starts[-1] = len(indices)
    kernel: Any = plain_kernels("structure").kept_starts
    calls = [
        (begin, end, x.starts, keep, first, starts)
        for (begin, end), first in zip(pairwise(rows), firsts, strict=False)
    ]
    team.run(kernel, calls)
    return JitMatrix(x.shape, starts, indices, values)


def _kept_before(keep: Array, bounds: list[int]) -> list[int]:
    """How many entries are kept in front of each bound."""
    counts = [int(np.count_nonzero(keep[begin:end])) for begin, end in pairwise(bounds)]
    return [0, *accumulate(counts)]


def _compressed(team: Team, keep: Array, bounds: list[int], firsts: list[int], values: Array) -> Array:
    """The values that are to be kept; what is broadcast stays so."""
    if is_broadcast(values):
        return broadcast(values, firsts[-1])
    out = np.empty(firsts[-1], values.dtype)
    pieces = zip(pairwise(bounds), pairwise(firsts), strict=True)
    calls = [(begin, end, keep, values, first, last, out) for (begin, end), (first, last) in pieces]
    team.run(plain_kernels("structure").compress, calls)
    return out


def sum_all(team: Team, values: Array, monoid: TypedMonoid) -> Scalar:
    """The sum of all values; the identity when there are none."""
    if not len(values):
        return monoid.identity
    if is_broadcast(values):
        values = np.ascontiguousarray(values)
    kernels: Any = sum_kernels(monoid)
    each = team.granularity.folded_at_once
    pieces = -(-len(values) // each)
    sums = np.empty(pieces, monoid.domain)
    edges = [min(piece * each, len(values)) for piece in range(pieces + 1)]
    calls = [(begin, end, values, sums, at) for at, (begin, end) in enumerate(pairwise(edges))]
    team.run(kernels.fold, calls)
    total = np.empty(1, monoid.domain)
    kernels.fold(0, pieces, sums, total, 0)
    result: Scalar = total[0].item()
    return result


def sum_rows(team: Team, a: JitMatrix, monoid: TypedMonoid) -> JitVector:
    """The sum of each row that has entries."""
    rows = np.flatnonzero(a.starts[1:] != a.starts[:-1])
    starts = np.append(a.starts[rows], a.starts[-1:])
    sums = np.empty(len(rows), monoid.domain)
    bounds = even_bounds(len(rows), team.pieces_for(a.nvals))
    team.over(bounds, sum_kernels(monoid).fold_runs, starts, a.values, sums)
    return JitVector(a.shape[0], rows.astype(index_dtype(a.shape[0])), sums)
