"""Edges of columns, wherever they come from: Parquet, pandas, polars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidArgument, InvalidValue
from anypair.inputs import as_indices, as_values
from anypair.io.edges import Edges
from anypair.io.options import ReadOptions
from anypair.io.packing import are_sparse, largest, pack

TITLES = ("source", "target", "weight")


def choose_columns(titles: Sequence[str], options: ReadOptions) -> list[str]:
    """The columns of source, target and weight: those asked for, those of these names, or the first."""
    wanted: Sequence[int | str]
    if options.columns is not None:
        wanted = options.columns
    else:
        if set(TITLES[:2]) <= set(titles):
            wanted = [title for title in TITLES if title in titles]
        else:
            wanted = list(range(min(len(titles), 3)))
        if len(wanted) < 2:
            raise InvalidArgument(f"has {len(titles)} columns; edges need a source and a target")
        if len(wanted) == 3 and options.weights is False:
            wanted = wanted[:2]
        if len(wanted) == 2 and options.weights:
            raise InvalidArgument("has no column of weights, though weights=True")
    found = []
    for column in wanted:
        name = titles[column] if isinstance(column, int) and column < len(titles) else column
        if name not in titles:
            raise InvalidArgument(f"has no column {column!r}; it has {', '.join(map(str, titles))}")
        found.append(str(name))
    return found


def edges_of_columns(
    place: str, columns: Sequence[Array], options: ReadOptions, shape: tuple[int, int] | None
) -> Edges:
    """Vertices by number or by name, as the options and the dtypes say."""
    sources, targets = (_without_objects(column) for column in columns[:2])
    weights = columns[2] if len(columns) == 3 else None
    if weights is not None:
        weights = as_values(place, "weights", weights, options.dtype, len(sources))
    for column in (sources, targets):
        if column.dtype.kind not in "iuUO" and options.vertices == "auto":
            raise InvalidValue(
                f"{place}: vertices of dtype {column.dtype} are neither whole numbers nor text; "
                "cast them, or give vertices='names'"
            )
    are_whole = all(column.dtype.kind in "iu" for column in (sources, targets))
    if options.vertices in ("numbers", "ids") and not are_whole and len(sources):
        raise InvalidValue(
            f"{place}: vertices={options.vertices!r}, but the columns hold {sources.dtype} and "
            f"{targets.dtype}; vertices='names' takes anything"
        )
    base = int(options.one_based)
    if options.vertices == "names" or not are_whole:
        sources, targets, names = _pack_names(sources, targets)
    elif options.vertices == "ids" or _should_pack(options, sources, targets, shape):
        sources, targets, names = pack(sources, targets)
    else:
        sides = (None, None) if shape is None else shape
        bounds = (options.n, options.n) if options.n is not None else sides
        shape = shape if options.n is None else (options.n, options.n)
        sources = as_indices(place, "sources", sources - base, bounds[0])
        targets = as_indices(place, "targets", targets - base, bounds[1])
        return Edges(sources, targets, weights, shape)
    if options.n is not None:
        raise InvalidValue(f"{place}: n= is for vertices that are numbers; these have names")
    return Edges(sources, targets, weights, (len(names), len(names)), names)


def _without_objects(column: Array) -> Array:
    """Whole numbers in an array of objects as an array of whole numbers."""
    if column.dtype != object or not len(column):
        return column if len(column) else np.empty(0, np.int64)
    whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in column)
    return column.astype(np.int64) if whole else column


def _pack_names(sources: Array, targets: Array) -> tuple[Array, Array, Array]:
    found: dict[Any, int] = {}
    try:
        ends = [
            np.fromiter((found.setdefault(name, len(found)) for name in column), np.int64, len(column))
            for column in (sources.tolist(), targets.tolist())
        ]
    except TypeError as error:
        raise InvalidValue(f"vertices cannot be named by what these columns hold: {error}") from None
    listed = sorted_names(found)
    place = {name: number for number, name in enumerate(listed)}
    order = np.fromiter((place[name] for name in found), np.int64, len(found))
    names = np.empty(len(listed), object)
    names[:] = listed
    return order[ends[0]], order[ends[1]], names


def sorted_names(names: Any) -> list[Any]:
    """In their own order, or as they come if they have none (such as text and numbers mixed)."""
    listed = list(names)
    try:
        return sorted(listed)
    except TypeError:
        return listed


def _should_pack(
    options: ReadOptions, sources: Array, targets: Array, shape: tuple[int, int] | None
) -> bool:
    if options.vertices != "auto" or options.n is not None or shape is not None or not len(sources):
        return False
    low = min(int(sources.min()), int(targets.min()))
    return low >= 0 and are_sparse(largest(sources, targets), len(sources))
