"""Handles as collections of entries: read and written by place, counted, gone through."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from anypair.dtypes import Scalar
from anypair.errors import IndexOutOfRange, InvalidArgument, NoEntry

NUMBERS = (int, np.integer)


class Container:
    """What Python does with collections, where the entries of a handle are the elements."""

    __slots__ = ()

    def __getitem__(self: Any, places: Any) -> Any:
        """The entry at a place, a part, or what stands where another vector says.

        `x[3]` and `A[1, 2]` are values, and an error where there is no entry (`x.get(3, 0)` gives
        another value). With slices or lists it is `extract`: `x[2:5]`, `A[[0, 3], :]`, or `A[1]`, a row
        as a vector. `x[p]`, where p is a vector of indices, has x(p(i)) at each place i.

        >>> from anypair import Vector
        >>> x = Vector.from_entries([0, 2], [5, 7], size=4)
        >>> p = Vector.from_entries([0, 1], [2, 0], size=3)
        >>> x[2], x[1:].to_dict(), x[p].to_dict()
        (7, {1: 7}, {0: 7, 1: 5})
        """
        from anypair.operations import extract  # these need handles
        from anypair.operations.gathering import gather

        axes = _axes(self, places)
        if len(axes) == len(self.shape) == 1 and isinstance(axes[0], type(self)):
            return gather(self, axes[0])
        if len(axes) < len(self.shape) or not all(isinstance(axis, NUMBERS) for axis in axes):
            return extract(self, *axes)
        if (found := self.get(*axes)) is None:
            place = axes[0] if len(axes) == 1 else axes
            asked = ", ".join(map(str, axes))
            raise NoEntry(f"there is no entry at {place}; x.get({asked}, 0) gives 0 then", place=place)
        return found

    def __setitem__(self: Any, places: Any, value: Any) -> None:
        """Write a number, a vector or a matrix there, as `assign` does.

        >>> from anypair import Vector
        >>> x = Vector.empty(3, int)
        >>> x[1] = 5
        >>> x.to_dict()
        {1: 5}
        """
        from anypair.operations import assign  # which needs handles

        assign(self, value, *_axes(self, places))

    def __delitem__(self: Any, places: Any) -> None:
        """Take away the entries there, if there are any.

        >>> from anypair import Vector
        >>> x = Vector.full(3, 5)
        >>> del x[[0, 2]]
        >>> x.to_dict()
        {1: 5}
        """
        from anypair.operations import assign  # these need handles
        from anypair.operations.indexing import as_axis

        axes = (*_axes(self, places), None)[: len(self.shape)]
        parts = [as_axis("del x[...]", "places", *each) for each in zip(axes, self.shape, strict=True)]
        shape = tuple(part.length for part in parts)
        no_places = tuple(np.empty(0, np.int64) for _ in shape)
        nothing = self.backend.build(no_places, np.empty(0, self.dtype), shape, None)
        places = [slice(axis, axis + 1) if isinstance(axis, NUMBERS) else axis for axis in axes]
        assign(self, type(self)(shape, self.dtype, nothing, self.backend), *places)

    def __len__(self: Any) -> int:
        """How many entries there are: what iterating gives."""
        count: int = self.nvals
        return count

    def __iter__(self: Any) -> Iterator[tuple[Scalar, ...]]:
        """The entries in the order of their places: (index, value), or (row, column, value).

        >>> from anypair import Vector
        >>> [value * index for index, value in Vector.from_entries([1, 3], [5, 7], size=4)]
        [5, 21]
        """
        return zip(*(column.tolist() for column in self.to_entries()), strict=True)

    def __contains__(self: Any, place: Any) -> bool:
        """Whether there is an entry at this place: `3 in x`, `(1, 2) in A`."""
        axes = place if isinstance(place, tuple) else (place,)
        if len(axes) != len(self.shape):
            raise InvalidArgument(
                f"{place!r} in x: a {self.kind} has places such as {'(3, 5)' if self.shape[1:] else 3}"
            )
        try:
            return self.get(*axes) is not None
        except IndexOutOfRange:
            return False


def _axes(x: Any, places: Any) -> tuple[Any, ...]:
    """What is given for rows and columns, or for places of a vector; None for all of them."""
    axes = (places if isinstance(places, tuple) else (places,)) or (slice(None),)
    if len(axes) > len(x.shape):
        raise InvalidArgument(
            f"x[{places!r}]: {x.kind} has {len(x.shape)} dimension{'s' * (len(x.shape) > 1)}; "
            "several indices of one are a list, as in x[[3, 5]]"
        )
    return tuple(None if isinstance(a, slice) and a == slice(None) else a for a in axes)
