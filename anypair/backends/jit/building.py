"""Matrices from unsorted entries, by radix sort, and transposes, by counting sort, on all threads."""

import ctypes
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from anypair.backends.jit.kernels import entry_kernels, plain_kernels
from anypair.backends.jit.storage import JitMatrix, broadcast, is_broadcast
from anypair.dtypes import Array, DType, index_dtype
from anypair.errors import DuplicateEntries
from anypair.memory import ALWAYS_FITS, available
from anypair.semiring import TypedBinary
from anypair.threads.team import Team, even_bounds

MOST_BLOCKS = 1 << 9  # which are written to at once
FEWEST_BLOCKS = 8  # from which it pays to deal entries out before they are put where they belong
MOST_BITS_IN_A_DIGIT = 11  # whose counts are in the nearest cache


@dataclass(frozen=True)
class Layout:
    """How entries are dealt out: in blocks of 2**shift rows, columns in `width` bits of their keys."""

    blocks: int
    shift: int
    width: int
    key_dtype: DType  # not narrower than the indices that take the place of keys

    @classmethod
    def of(cls, entries: int, shape: tuple[int, int], in_a_block: int) -> "Layout":
        """Blocks of so many entries, if that does not make too many of them."""
        nrows, ncols = shape
        wanted = min(max(entries // in_a_block, 1), MOST_BLOCKS)
        width = _bits(ncols)
        shift = min(max(_bits(nrows) - wanted.bit_length() + 1, 0), 64 - width)
        narrow = shift + width <= 32 and index_dtype(ncols).itemsize == 4
        key_dtype = np.dtype(np.uint32 if narrow else np.uint64)
        return cls((nrows + (1 << shift) - 1) >> shift, shift, width, key_dtype)

    @property
    def digits(self) -> tuple[int, int]:
        """How many bits the digits of a key have, and how many digits there are."""
        bits = self.shift + self.width
        count = max(-(-bits // MOST_BITS_IN_A_DIGIT), 1)
        return -(-bits // count), count


@dataclass(frozen=True)
class Sorted:
    """Entries in the order of their places."""

    layout: Layout
    begins: Array  # where each block begins, and the end
    keys: Array
    values: Array  # one for each key, or one for all
    counts: Array  # how many different columns each row has
    bounds: list[int]  # of ranges of blocks for the threads


def build_matrix(
    team: Team,
    rows: Array,
    cols: Array,
    values: Array,
    shape: tuple[int, int],
    duplicates: TypedBinary | None,
    *,
    mirrored: bool = False,
    self_loops: bool = True,
) -> JitMatrix:
    """Rows of these entries, each followed by its mirror image if `mirrored`, without those from a
    vertex to itself unless `self_loops`; those at one place are folded in the order given.
    """
    entries = _sort(team, rows, cols, values, shape, mirrored, self_loops)
    return _without_duplicates(team, entries, shape, duplicates)


def _sort(
    team: Team,
    rows: Array,
    cols: Array,
    values: Array,
    shape: tuple[int, int],
    mirrored: bool,
    self_loops: bool,
) -> Sorted:
    one_for_all = is_broadcast(values)
    sorts: Any = plain_kernels("sorting", not one_for_all)
    layout = Layout.of((1 + mirrored) * len(rows), shape, team.granularity.sorted_at_once)
    split = (layout.shift, layout.width)
    kinds = (mirrored, self_loops)
    bounds = even_bounds(len(rows), team.size if team.pieces_for(len(rows)) > 1 else 1)
    places = np.zeros((len(bounds) - 1, layout.blocks), np.uint64)
    ranges = list(zip(bounds[:-1], bounds[1:], places, strict=True))
    calls = [(b, e, rows, cols, *kinds, layout.shift, own) for b, e, own in ranges]
    team.run(sorts.count_in_blocks, calls)
    begins = _counts_to_places(places).astype(np.int64)

    total = int(begins[-1])
    given = np.empty(0, values.dtype) if one_for_all else values
    out = (np.empty(total, layout.key_dtype), np.empty(0 if one_for_all else total, values.dtype))
    team.run(sorts.deal, [(b, e, rows, cols, given, *kinds, *split, own, *out) for b, e, own in ranges])

    counts = np.zeros(shape[0], index_dtype(total + 1))
    bounds = even_bounds(layout.blocks, min(team.pieces_for(total), max(layout.blocks, 1)))
    calls = [
        (b, e, begins, *out, *_spare_room(begins[b : e + 1], layout, *out), *split, counts)
        for b, e in pairwise(bounds)
    ]
    team.run(sorts.sort_blocks, calls)
    keys, dealt = out
    kept = broadcast(values, total) if one_for_all else dealt
    return Sorted(layout, begins, keys, kept, counts, bounds)


def _spare_room(begins: Array, layout: Layout, keys: Array, values: Array) -> tuple[Any, ...]:
    """Where a thread puts the keys and values of these blocks while it sorts them, and counts digits;
    and how many digits there are.
    """
    bits, digits = layout.digits
    most = int(np.diff(begins).max(initial=0))
    spare = np.empty(most, keys.dtype), np.empty(min(most, len(values)), values.dtype)
    return *spare, np.empty(1 << bits, np.uint64), digits


def _without_duplicates(
    team: Team, entries: Sorted, shape: tuple[int, int], duplicates: TypedBinary | None
) -> JitMatrix:
    """One entry at each place, in the memory of all: fresh memory takes longer to get than to fill."""
    layout, begins, keys, values = entries.layout, entries.begins, entries.keys, entries.values
    starts = starts_of(entries.counts)
    distinct = int(starts[-1])
    fold = _fold_of(entries, distinct, duplicates)
    one_for_all = fold is None and is_broadcast(values)
    if fold is None:
        kernel = plain_kernels("sorting", not one_for_all).keep_first
    else:
        kernel = entry_kernels("duplicates", fold).fold_duplicates
    read = np.empty(0, values.dtype) if one_for_all else values
    kept = np.empty(len(keys), values.dtype) if is_broadcast(read) else read
    indices = keys.view(index_dtype(shape[1]))
    bounds = even_bounds(layout.blocks, min(team.size, len(entries.bounds) - 1))
    counts = team.over(bounds, kernel, begins, keys, read, layout.width, indices, kept)

    for block, count in zip(bounds[1:-1], counts[1:], strict=True):
        to = int(starts[block << layout.shift])
        _move(indices, int(begins[block]) * keys.itemsize // indices.itemsize, count, to)
        if not one_for_all:
            _move(kept, int(begins[block]), count, to)
    del indices  # a view, which does not follow when memory is given back
    keys.resize(-(-distinct * index_dtype(shape[1]).itemsize // keys.itemsize), refcheck=False)
    if one_for_all:
        kept = broadcast(values, distinct)
    else:
        kept.resize(distinct, refcheck=False)
    return JitMatrix(shape, starts, keys.view(index_dtype(shape[1]))[:distinct], kept)


def _move(array: Array, begin: int, count: int, to: int) -> None:
    """Move so many elements to another place, which may overlap: NumPy would copy them first."""
    size = array.itemsize
    ctypes.memmove(array.ctypes.data + to * size, array.ctypes.data + begin * size, count * size)


def _fold_of(entries: Sorted, distinct: int, duplicates: TypedBinary | None) -> TypedBinary | None:
    """The operator for values at one place; None if the first of them will do."""
    if distinct == len(entries.keys):
        return None
    if duplicates is None:
        split = (entries.layout.shift, entries.layout.width)
        at = plain_kernels("sorting").first_duplicate(entries.begins, entries.keys, *split)
        raise DuplicateEntries(place=at)
    settled = duplicates.is_idempotent if is_broadcast(entries.values) else duplicates.gives == "edge"
    return None if settled else duplicates


def transpose(
    team: Team, a: JitMatrix, shape: tuple[int, int], *, in_blocks: bool | None = None
) -> JitMatrix:
    """The rows of the transpose of a, which has this shape; its rows need not be sorted.

    Large ones are put together block by block, unless it is said whether to.
    """
    nrows, ncols = shape
    sorts = plain_kernels("sorting", not is_broadcast(a.values))
    bounds = a.pieces(_pieces(team, a.nvals, ncols), 1)
    counts = np.zeros((len(bounds) - 1, ncols), a.starts.dtype)
    ranges = list(zip(bounds[:-1], bounds[1:], counts, strict=True))
    rows = (a.starts, a.indices)
    team.run(sorts.count_in_rows, [(begin, end, *rows, own) for begin, end, own in ranges])
    blocks = min(a.nvals // team.granularity.sorted_at_once, MOST_BLOCKS)
    if in_blocks is None:
        in_blocks = blocks >= FEWEST_BLOCKS and _fits(a.nvals * (8 + a.dtype.itemsize))
    if in_blocks:
        shift = max(_bits(ncols) - blocks.bit_length() + 1, 0)
        starts, out = _transposed_in_blocks(team, a, shape, ranges, counts, shift)
    else:
        starts = _counts_to_places(counts)
        out = _room_for(a, nrows)
        calls = [(begin, end, *rows, a.values, own, *out) for begin, end, own in ranges]
        team.run(sorts.transpose_rows, calls)
    indices, values = out
    kept = broadcast(a.values, a.nvals) if is_broadcast(a.values) else values
    return JitMatrix((ncols, nrows), starts, indices, kept)


def _room_for(a: JitMatrix, bound: int) -> tuple[Array, Array]:
    """Where to put indices below `bound`, and values if each entry of a has its own."""
    return (
        np.empty(a.nvals, index_dtype(bound)),
        np.empty(0 if is_broadcast(a.values) else a.nvals, a.dtype),
    )


def _transposed_in_blocks(
    team: Team,
    a: JitMatrix,
    shape: tuple[int, int],
    ranges: list[tuple[int, int, Array]],
    counts: Array,
    shift: int,
) -> tuple[Array, tuple[Array, Array]]:
    """Entries dealt out to blocks of 2**shift columns first: what is put into the rows of a block is
    then in the nearest cache, and not anywhere in memory. `counts` says how many each range has of each
    column.
    """
    nrows, ncols = shape
    sorts: Any = plain_kernels("sorting", not is_broadcast(a.values))
    starts = np.zeros(ncols + 1, counts.dtype)
    np.cumsum(counts.sum(axis=0), out=starts[1:])
    places = np.add.reduceat(counts, np.arange(0, ncols, 1 << shift), axis=1, dtype=np.uint64)
    begins = _counts_to_places(places)
    columns, (rows, values), out = np.empty_like(a.indices), _room_for(a, nrows), _room_for(a, nrows)
    dealt = (columns, rows, values)
    given = (a.starts, a.indices, a.values, shift)
    calls = [(b, e, *given, own, *dealt) for (b, e, _), own in zip(ranges, places, strict=True)]
    team.run(sorts.deal_by_column, calls)
    bounds = even_bounds(len(begins) - 1, team.pieces_for(a.nvals))
    team.over(bounds, sorts.put_into_rows, begins, *dealt, starts[:-1].copy(), *out)
    return starts, out


def _fits(nbytes: int) -> bool:
    """Whether so much memory for a moment is no matter."""
    return nbytes <= ALWAYS_FITS or 4 * nbytes <= available()


def _counts_to_places(counts: Array) -> Array:
    """Make counts[thread, key] the place where that thread puts its first entry of the key; returns
    where the entries of each key begin, and the end.
    """
    threads, keys = counts.shape
    by_key = counts.T.ravel()
    ends = np.cumsum(by_key, dtype=counts.dtype)
    counts[:] = (ends - by_key).reshape(keys, threads).T
    starts = np.zeros(keys + 1, counts.dtype)
    starts[1:] = ends[threads - 1 :: threads]
    return starts


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


def _bits(bound: int) -> int:
    """How many bits there are in numbers below `bound`."""
    return max(bound - 1, 0).bit_length()
