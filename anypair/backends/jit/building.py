"""Matrices from places in any order, and transposes, by counting sort on all threads."""

from collections.abc import Callable
from typing import Any

import numpy as np

from anypair.backends.jit.generation import entry_kernels, plain_kernels
from anypair.backends.jit.storage import JitMatrix, broadcast, index_dtype, is_broadcast
from anypair.backends.jit.threads import Team, even_bounds
from anypair.dtypes import Array
from anypair.errors import DuplicateEntries
from anypair.semiring import TypedBinary, any_of, first, land, lor, maximum, minimum, second

# With one value for all entries, these leave it as it is.
IDEMPOTENT = {op.function for op in (first, second, any_of, minimum, maximum, land, lor)}
KEEPS_FIRST = {first.function, any_of.function}


def build_matrix(
    team: Team,
    rows: Array,
    cols: Array,
    values: Array,
    shape: tuple[int, int],
    duplicates: TypedBinary | None,
) -> JitMatrix:
    """Rows of these entries; those at one place are folded in the order given."""
    values = broadcast(values, len(values)) if is_broadcast(values) else values
    sorts = plain_kernels("sorting", not is_broadcast(values))
    # Bucketed by column first: transposing that gives rows with sorted columns.
    columns = _bucket(
        team, len(cols), shape[1], shape[0], values, sorts.count_keys, sorts.move, (cols,), (cols, rows)
    )
    return _without_duplicates(team, transpose(team, columns, shape[::-1]), duplicates)


def build_symmetric(
    team: Team,
    sources: Array,
    targets: Array,
    values: Array,
    n: int,
    duplicates: TypedBinary | None,
    self_loops: bool,
) -> JitMatrix:
    """Rows of an undirected graph: every edge at both ends."""
    values = broadcast(values, len(values)) if is_broadcast(values) else values
    sorts = plain_kernels("sorting", not is_broadcast(values))

    def move(begin: int, end: int, i: Array, j: Array, values: Array, *out: Array) -> None:
        sorts.move_mirrored(begin, end, i, j, values, self_loops, *out)

    def count(begin: int, end: int, i: Array, j: Array, counts: Array) -> None:
        sorts.count_mirrored(begin, end, i, j, self_loops, counts)

    ends = (sources, targets)
    buckets = _bucket(team, len(sources), n, n, values, count, move, ends, ends)
    return _without_duplicates(team, transpose(team, buckets, (n, n)), duplicates)


def _bucket(
    team: Team,
    entries: int,
    nkeys: int,
    nothers: int,
    values: Array,
    count: Callable[..., Any],
    move: Callable[..., Any],
    counted: tuple[Array, ...],
    moved: tuple[Array, ...],
) -> JitMatrix:
    """Entries bucketed by key, in the order given within each bucket."""
    pieces = _pieces(team, entries, nkeys)
    bounds = even_bounds(entries, pieces)
    counts = np.zeros((len(bounds) - 1, nkeys), _start_dtype(2 * entries))
    ranges = list(zip(bounds[:-1], bounds[1:], counts, strict=True))
    team.run(count, [(begin, end, *counted, own) for begin, end, own in ranges])
    starts = np.empty(nkeys + 1, counts.dtype)
    plain_kernels("sorting").counts_to_starts(counts, starts)
    total = int(starts[-1])
    others = np.empty(total, index_dtype(nothers))
    moved_values = np.empty(0 if is_broadcast(values) else total, values.dtype)
    out = (others, moved_values)
    team.run(move, [(begin, end, *moved, values, own, *out) for begin, end, own in ranges])
    kept = broadcast(values, total) if is_broadcast(values) else moved_values
    return JitMatrix((nkeys, nothers), starts, others, kept)


def transpose(team: Team, a: JitMatrix, shape: tuple[int, int]) -> JitMatrix:
    """The rows of the transpose of a, which has this shape; its rows need not be sorted."""
    nrows, ncols = shape
    sorts = plain_kernels("sorting", not is_broadcast(a.values))
    bounds = a.pieces(_pieces(team, a.nvals, ncols), 1)
    counts = np.zeros((len(bounds) - 1, ncols), a.starts.dtype)
    ranges = list(zip(bounds[:-1], bounds[1:], counts, strict=True))
    rows = (a.starts, a.indices)
    team.run(sorts.count_in_rows, [(begin, end, *rows, own) for begin, end, own in ranges])
    starts = np.empty(ncols + 1, a.starts.dtype)
    sorts.counts_to_starts(counts, starts)
    out = (
        np.empty(a.nvals, index_dtype(nrows)),
        np.empty(0 if is_broadcast(a.values) else a.nvals, a.dtype),
    )
    calls = [(begin, end, *rows, a.values, own, *out) for begin, end, own in ranges]
    team.run(sorts.transpose_rows, calls)
    indices, values = out
    kept = broadcast(a.values, a.nvals) if is_broadcast(a.values) else values
    return JitMatrix((ncols, nrows), starts, indices, kept)


def _without_duplicates(team: Team, a: JitMatrix, duplicates: TypedBinary | None) -> JitMatrix:
    """One entry at each place of sorted rows."""
    sorts = plain_kernels("sorting", not is_broadcast(a.values))
    counts = np.empty(a.shape[0], a.starts.dtype)
    bounds = a.pieces(team.pieces_for(a.nvals), 1)
    team.over(bounds, sorts.count_distinct, a.starts, a.indices, counts)
    distinct = int(counts.sum(dtype=np.int64))
    if distinct == a.nvals:
        return a
    if duplicates is None:
        raise DuplicateEntries(str(sorts.first_duplicate(a.starts, a.indices)))
    starts = starts_of(counts)
    indices = np.empty(distinct, a.indices.dtype)
    if is_broadcast(a.values) and duplicates.op.function in IDEMPOTENT:
        nothing = np.empty(0, a.dtype)
        team.over(bounds, sorts.keep_first, a.starts, a.indices, nothing, starts, indices, nothing)
        return JitMatrix(a.shape, starts, indices, broadcast(a.values, distinct))
    values = np.empty(distinct, a.dtype)
    if duplicates.op.function in KEEPS_FIRST:
        kernel = plain_kernels("sorting").keep_first
    else:
        kernel = entry_kernels("duplicates", duplicates).fold_duplicates
    team.over(bounds, kernel, a.starts, a.indices, a.values, starts, indices, values)
    return JitMatrix(a.shape, starts, indices, values)


def starts_of(counts: Array) -> Array:
    """Where rows begin, from how many entries each has."""
    starts = np.zeros(len(counts) + 1, _start_dtype(int(counts.sum(dtype=np.int64))))
    np.cumsum(counts, out=starts[1:])
    return starts


def _start_dtype(entries: int) -> Any:
    return index_dtype(entries + 1)


def _pieces(team: Team, entries: int, nkeys: int) -> int:
    """One for each thread, as each counts all keys by itself; one where there are few entries."""
    return team.size if team.pieces_for(entries) > 1 and entries > 4 * nkeys else 1
