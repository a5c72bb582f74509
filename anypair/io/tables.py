"""Edges of columns, wherever they come from: Parquet, pandas, polars."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array, DType
from anypair.errors import IndexOutOfRange, InvalidValue, UnsupportedDType, option
from anypair.inputs import as_indices, as_values
from anypair.io.columns import Columns
from anypair.io.edges import Edges
from anypair.io.options import ReadOptions
from anypair.io.packing import are_sparse, largest, pack


def edges_of_columns(
    place: str,
    arrays: Sequence[Array],
    columns: Columns,
    options: ReadOptions,
    shape: tuple[int, int] | None,
    processes: Processes,
    first: int = 0,
) -> Edges:
    """Vertices by number or by name, as the options and the dtypes say.

    Each process gives its part of the arrays; this one's begins with the row `first`. Errors name the
    columns that were taken.
    """
    try:
        return _edges(place, arrays, columns, options, shape, processes, first)
    except (IndexOutOfRange, InvalidValue, UnsupportedDType) as error:
        raise type(error)(f"{error.marked} ({columns.described()})") from None


def _edges(
    place: str,
    arrays: Sequence[Array],
    columns: Columns,
    options: ReadOptions,
    shape: tuple[int, int] | None,
    processes: Processes,
    first: int,
) -> Edges:
    sources, targets = (_without_objects(array) for array in arrays[:2])
    weights = _weights(place, arrays[2], options, processes) if len(arrays) == 3 else None
    dtypes = _dtypes(sources, targets, processes)
    for dtype in dtypes:
        if dtype.kind not in "iuUO" and options.vertices == "auto":
            raise InvalidValue(
                f"{place}: vertices of dtype {dtype} are neither whole numbers nor text; "
                f"cast them, or give {option('vertices', repr('names'))}"
            )
    are_whole = all(dtype.kind in "iu" for dtype in dtypes)
    if options.vertices in ("numbers", "ids") and not are_whole:
        raise InvalidValue(
            f"{place}: {option('vertices', repr(options.vertices))}, but the columns hold "
            f"{dtypes[0]} and {dtypes[1]}; {option('vertices', repr('names'))} takes anything"
        )
    base = int(options.one_based)
    if options.vertices == "names" or not are_whole:
        sources, targets, names = _pack_names(sources, targets, processes)
    elif options.vertices == "ids" or _should_pack(options, sources, targets, shape, processes):
        sources, targets, names = pack(sources, targets, processes)
    else:
        sides = (None, None) if shape is None else shape
        bounds = (options.n, options.n) if options.n is not None else sides
        shape = shape if options.n is None else (options.n, options.n)
        sources = processes.together(
            lambda: as_indices(place, "sources", sources - base, bounds[0], first)
        )
        targets = processes.together(
            lambda: as_indices(place, "targets", targets - base, bounds[1], first)
        )
        return Edges(sources, targets, weights, shape, columns=columns.taken)
    if options.n is not None:
        raise InvalidValue(f"{place}: {option('n')} is for vertices that are numbers; these have names")
    return Edges(sources, targets, weights, (len(names), len(names)), names, columns=columns.taken)


def _weights(place: str, column: Array, options: ReadOptions, processes: Processes) -> Array:
    """Weights of a dtype that the processes with rows have."""
    has_rows = any(processes.gather(len(column) > 0))

    def check() -> Array | None:
        if has_rows and not len(column):
            return None
        return as_values(place, "weights", column, options.dtype, len(column))

    weights = processes.together(check)
    dtypes = processes.gather(None if weights is None else weights.dtype)
    return np.empty(0, next(filter(None, dtypes))) if weights is None else weights


def _dtypes(sources: Array, targets: Array, processes: Processes) -> list[DType]:
    """The dtypes of the two columns, by those processes that have rows; whole if nobody has any."""
    own = [column.dtype for column in (sources, targets)] if len(sources) else None
    given = [each for each in processes.gather(own) if each is not None]
    if not given:
        return [np.dtype(np.int64)] * 2
    return [
        column[0] if len(set(column)) == 1 else np.dtype(object) for column in zip(*given, strict=True)
    ]


def _without_objects(column: Array) -> Array:
    """Whole numbers in an array of objects as an array of whole numbers."""
    if column.dtype != object or not len(column):
        return column if len(column) else np.empty(0, np.int64)
    whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in column)
    return column.astype(np.int64) if whole else column


def _pack_names(sources: Array, targets: Array, processes: Processes) -> tuple[Array, Array, Array]:
    ends = (sources.tolist(), targets.tolist())
    own = processes.together(lambda: [_different(column) for column in ends])
    given = processes.gather(own)
    given[processes.rank] = own  # not copies, which need not be equal to what they are copies of
    listed = sorted_names(dict.fromkeys(chain.from_iterable(chain(*zip(*given, strict=True)))))
    place = {name: number for number, name in enumerate(listed)}
    names = np.empty(len(listed), object)
    names[:] = listed
    packed = [np.fromiter((place[name] for name in column), np.int64, len(column)) for column in ends]
    return packed[0], packed[1], names


def _different(names: list[Any]) -> list[Any]:
    """Each name once, in the order in which they come."""
    try:
        return list(dict.fromkeys(names))
    except TypeError as error:
        raise InvalidValue(f"vertices cannot be named by what these columns hold: {error}") from None


def sorted_names(names: Any) -> list[Any]:
    """In their own order, or as they come if they have none (such as text and numbers mixed)."""
    listed = list(names)
    try:
        return sorted(listed)
    except TypeError:
        return listed


def _should_pack(
    options: ReadOptions,
    sources: Array,
    targets: Array,
    shape: tuple[int, int] | None,
    processes: Processes,
) -> bool:
    if options.vertices != "auto" or options.n is not None or shape is not None:
        return False
    low = min(int(sources.min()), int(targets.min())) if len(sources) else 0
    found = processes.gather((low, largest(sources, targets), len(sources)))
    lows, highs, counts = zip(*found, strict=True)
    return min(lows) >= 0 and are_sparse(max(highs), sum(counts))
