"""What users write for rows and columns, made into index lists that a backend takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidArgument
from anypair.handle import Handle
from anypair.inputs import as_index, as_indices
from anypair.vector import Vector


@dataclass(frozen=True)
class Axis:
    """The places taken along one axis; `indices` is None for all of them in order."""

    indices: Array | None
    length: int
    single: bool = False

    @staticmethod
    def range(length: int) -> "Axis":
        return Axis(np.arange(length), length)


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
    """A list of indices, a slice, None for all, or a single number."""
    if wanted is None:
        return Axis(None, length)
    if isinstance(wanted, slice):
        places = np.arange(length)[wanted]
        return Axis(places, len(places))
    if np.ndim(wanted) == 0 and not isinstance(wanted, range | set):
        return Axis(np.array([as_index(operation, argument, wanted, length)]), 1, single=True)
    places = as_indices(operation, argument, wanted, length)
    return Axis(places, len(places))
