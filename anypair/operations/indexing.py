"""What users write for rows and columns, made into places that a backend takes."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from anypair.backends.places import Places
from anypair.errors import InvalidArgument, InvalidValue, shown
from anypair.handle import Handle
from anypair.inputs import as_index, as_indices
from anypair.vector import Vector


@dataclass(frozen=True)
class Axis:
    """The places taken along one axis."""

    places: Places
    length: int
    single: bool = False


def as_axes(operation: str, x: Handle, rows: Any, columns: Any) -> tuple[Axis, ...]:
    """One axis for a vector, two for a matrix."""
    if isinstance(x, Vector):
        if columns is not None:
            raise InvalidArgument(f"{operation}: columns={columns!r} given for a Vector")
        axis = as_axis(operation, "rows", rows, x.size)
        if axis.single:
            raise InvalidArgument(f"{operation}: for a single entry use v.get(index)")
        return (axis,)
    return (
        as_axis(operation, "rows", rows, x.shape[0]),
        as_axis(operation, "columns", columns, x.shape[1]),
    )


def as_axis(operation: str, argument: str, wanted: Any, length: int) -> Axis:
    """A list of indices, a slice or a range, None for all, or a single number."""
    if wanted is None:
        return Axis(None, length)
    if isinstance(wanted, slice | range):
        named = _as_range(operation, argument, wanted, length)
        return Axis(None if named == range(length) else named, len(named))
    if isinstance(wanted, Handle) and wanted.nvals < prod(wanted.shape):
        raise InvalidArgument(
            f"{operation}: {argument}={shown(wanted)} has places without an entry; "
            "x[p], of two vectors, takes one for p; for others give a list, as in p.to_entries()[-1]"
        )
    if np.ndim(wanted) == 0 and not isinstance(wanted, set):
        return Axis(np.array([as_index(operation, argument, wanted, length)]), 1, single=True)
    places = as_indices(operation, argument, wanted, length)
    return Axis(places, len(places))


def _as_range(operation: str, argument: str, wanted: slice | range, length: int) -> range:
    """The places of a slice, which ends where the axis does, or of a range, which has to lie within."""
    if isinstance(wanted, slice):
        try:
            return _tight(range(*wanted.indices(length)))
        except (TypeError, ValueError) as error:
            raise InvalidValue(f"{operation}: {argument}={wanted!r}: {error}") from None
    if wanted and not 0 <= min(wanted[0], wanted[-1]) <= max(wanted[0], wanted[-1]) < length:
        inside = 0 <= wanted[0] < length
        end = length if wanted.step > 0 else -1
        at = -((wanted[0] - end) // wanted.step) if inside else 0  # the first place that is outside
        as_indices(operation, argument, [wanted[at]], length, first=at)
    return _tight(wanted)


def _tight(places: range) -> range:
    """The same places with a start, a stop and a step that int64 holds: they may be any numbers."""
    if len(places) < 2:
        return range(places[0], places[0] + 1) if places else range(0)
    return range(places[0], places[-1] + (1 if places.step > 0 else -1), places.step)
