"""Parts of vectors and matrices by number."""

from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from anypair.backends.base import Indices
from anypair.backends.jit.building import build_matrix, starts_of
from anypair.backends.jit.kernels import plain_kernels
from anypair.backends.jit.storage import JitMatrix, JitVector, broadcast, is_broadcast, take
from anypair.backends.places import Places, count_of, found_in_sorted, listed, new_numbers
from anypair.dtypes import Array, index_dtype
from anypair.memory import require
from anypair.threads.team import Team, even_bounds

SEARCHED_IF_FEWER = 16  # places of a vector for each that is wanted, beyond which its list is searched


def extract_vector(x: JitVector, wanted: Array | range) -> JitVector:
    """t(k) = x(wanted(k)); a number may come more than once."""
    size = len(wanted)
    if isinstance(wanted, range) and x.has_list:
        indices, values = x.sorted_list()
        chosen, new = found_in_sorted(wanted, indices)
        kept = broadcast(values, len(new)) if is_broadcast(values) else np.array(values[chosen])
        return JitVector(size, new.astype(index_dtype(size)), kept)
    found, values = taken(x, listed(wanted))
    return JitVector(size, np.flatnonzero(found).astype(index_dtype(size)), values)


def taken(x: JitVector, wanted: Array) -> tuple[Array, Array]:
    """Whether there is an entry at each of these places, and the values of those that are there."""
    if not x.has_values_by_place and len(wanted) * SEARCHED_IF_FEWER < x.size:
        found, at = x.search(wanted)
        return found, take(x.values, at[found], int(np.count_nonzero(found)))
    found = np.empty(len(wanted), np.bool_)
    plain_kernels("structure").test_bits(wanted, x.words, False, found)
    return found, x.by_place[wanted if found.all() else wanted[found]]


def extract_matrix(team: Team, a: JitMatrix, indices: Indices) -> JitMatrix:
    """t(r, c) = a(rows(r), columns(c)); a number may come more than once."""
    wanted_rows, columns = indices
    shape = (count_of(wanted_rows, a.shape[0]), count_of(columns, a.shape[1]))
    if _rises(columns):
        return _in_order(team, a, wanted_rows, columns, shape)
    new = [_new_numbers(wanted, bound) for wanted, bound in zip(indices, a.shape, strict=True)]
    if new[0] is not None and new[1] is not None:
        rows, cols, values = _renumbered(team, a, new[0], new[1], shape)
    else:
        rows, cols, values = _repeated(a, indices)
    return build_matrix(team, rows, cols, values, shape, None)


def _rises(columns: Places) -> bool:
    """Whether each column comes after the one before it, so that rows stay sorted."""
    if columns is None or isinstance(columns, range):
        return columns is None or columns.step > 0
    return bool((columns[1:] > columns[:-1]).all())


def _in_order(
    team: Team, a: JitMatrix, wanted_rows: Places, columns: Places, shape: tuple[int, int]
) -> JitMatrix:
    """Rows in any order, with columns that rise: copies of rows or of parts of them."""
    one_for_all = is_broadcast(a.values)
    kernels: Any = plain_kernels("extraction", not one_for_all)
    rows = np.arange(a.shape[0]) if wanted_rows is None else listed(wanted_rows)
    counts = np.empty(len(rows), np.int64)
    bounds = even_bounds(len(rows), team.pieces_for(len(rows)))
    is_range = columns is None or (isinstance(columns, range) and columns.step == 1)
    if columns is None or (isinstance(columns, range) and is_range):
        low, high = (0, a.shape[1]) if columns is None else (columns.start, columns.stop)
        firsts, search = np.empty(len(rows), np.int64), columns is not None
        given = (rows, a.starts, a.indices, low, high, search, firsts, counts)
        team.over(bounds, kernels.count_in_range, *given)
    else:
        numbers = np.zeros(a.shape[1], index_dtype(shape[1] + 1))
        numbers[listed(columns)] = np.arange(1, shape[1] + 1)
        team.over(bounds, kernels.count_listed, rows, a.starts, a.indices, numbers, counts)
    starts = starts_of(counts)
    total = int(starts[-1])
    require(total * (index_dtype(shape[1]).itemsize + a.dtype.itemsize), f"a part of {total} entries")
    out = np.empty(total, index_dtype(shape[1])), np.empty(0 if one_for_all else total, a.dtype)
    part = JitMatrix(shape, starts, out[0], broadcast(a.values, total) if one_for_all else out[1])
    bounds = part.pieces(team.pieces_for(total), 1)
    if is_range:
        team.over(bounds, kernels.copy_range, firsts, starts, a.indices, a.values, low, *out)
    else:
        of_rows = (rows, a.starts, starts)
        team.over(bounds, kernels.copy_listed, *of_rows, a.indices, a.values, numbers, *out)
    return part


def _new_numbers(places: Places, bound: int) -> Array | None:
    """Where each number comes among the wanted ones, or -1; None if one comes more than once."""
    if places is None:
        return np.arange(bound)
    wanted = listed(places)
    new = np.full(bound, -1, np.int64)
    numbers = np.arange(len(wanted))
    new[wanted] = numbers
    return new if (new[wanted] == numbers).all() else None


def _renumbered(
    team: Team, a: JitMatrix, new_rows: Array, new_cols: Array, shape: tuple[int, ...]
) -> tuple[Array, Array, Array]:
    """The entries that have new numbers, listed by them."""
    one_for_all = is_broadcast(a.values)
    sorts: Any = plain_kernels("sorting", not one_for_all)
    bounds = a.pieces(team.pieces_for(a.nvals), 1)
    counts = team.over(bounds, sorts.count_renumbered, a.starts, a.indices, new_rows, new_cols)
    *places, total = accumulate(counts, initial=0)
    given = np.empty(0, a.dtype) if one_for_all else a.values
    out = (
        *(np.empty(total, index_dtype(bound)) for bound in shape),
        np.empty(0 if one_for_all else total, a.dtype),
    )
    entries = (a.starts, a.indices, given, new_rows, new_cols)
    calls = [(b, e, *entries, at, *out) for (b, e), at in zip(pairwise(bounds), places, strict=True)]
    team.run(sorts.renumber, calls)
    rows, cols, values = out
    return rows, cols, broadcast(a.values, total) if one_for_all else values


def _repeated(a: JitMatrix, indices: Indices) -> tuple[Array, Array, Array]:
    """The same where numbers may come more than once, and entries with them."""
    rows = np.empty(a.nvals, np.int64)
    plain_kernels("structure").row_of_each(a.starts, rows)
    numbers, values = [rows, a.indices], a.values
    for axis, places in enumerate(indices):
        if places is not None:
            numbers[axis], origin = new_numbers(numbers[axis], places)
            numbers[1 - axis] = numbers[1 - axis][origin]
            values = take(values, origin, len(origin))
    return numbers[0], numbers[1], values
