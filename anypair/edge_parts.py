"""Edges that users hand in part by part, checked as each part comes."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidArgument, SizeMismatch, shown
from anypair.inputs import as_indices, as_values

Part = tuple[Array, Array, Array]  # sources, targets, values


class EdgeParts:
    """The parts, of which the first says whether there are weights; to be gone through once.

    What is wrong with a part is said, with its number, when that part comes.
    """

    def __init__(self, operation: str, parts: Iterable[Any], n: int | None, dtype: Any) -> None:
        self._operation = operation
        self._n = n
        self._largest = -1
        self._dtype = dtype
        try:
            given = iter(parts)
        except TypeError:
            raise InvalidArgument(f"{operation}: parts={shown(parts)} cannot be gone through") from None
        head = []  # parts up to the first that has edges, which says what they are like
        for part in given:
            head.append(part)
            if len(self._sides(len(head) - 1, part)[0]):
                break
        self._given = chain(head, given)
        self.weighted = bool(head) and self._sides(len(head) - 1, head[-1])[2] is not None
        #: Two values like those of the edges, of stride 0 if one stands for all.
        self.like = self._values("weights", None, 2)
        if self.weighted:
            self.like = np.zeros(2, self._checked(len(head) - 1, head[-1])[2].dtype)

    def count(self) -> int:
        """How many vertices there are, once the last part has come."""
        return self._largest + 1 if self._n is None else self._n

    def __iter__(self) -> Iterator[Part]:
        for number, part in enumerate(self._given):
            checked = self._checked(number, part)
            if len(checked[2]) and checked[2].dtype != self.like.dtype:
                raise InvalidArgument(
                    f"{self._operation}: weights of part {number} have dtype {checked[2].dtype}, "
                    f"those before {self.like.dtype}; say what they are to become, with dtype="
                )
            for side in checked[:2]:
                self._largest = max(self._largest, int(side.max(initial=-1)))
            yield checked

    def _sides(self, number: int, part: Any) -> tuple[Any, Any, Any]:
        """Sources, targets and weights, or None, of a part as it was given."""
        sides = tuple(part) if isinstance(part, tuple | list) else ()
        if len(sides) not in (2, 3):
            raise InvalidArgument(
                f"{self._operation}: part {number} has to be (sources, targets) or "
                f"(sources, targets, weights), not {type(part).__name__}"
            )
        weights = None if len(sides) == 2 else sides[2]
        return sides[0], sides[1], weights

    def _checked(self, number: int, part: Any) -> Part:
        sources, targets, weights = self._sides(number, part)
        named = [f"{side} of part {number}" for side in ("sources", "targets", "weights")]
        tails = as_indices(self._operation, named[0], sources, self._n)
        heads = as_indices(self._operation, named[1], targets, self._n)
        if len(tails) != len(heads):
            raise SizeMismatch(
                f"{self._operation}: part {number} has {len(tails)} sources and {len(heads)} targets"
            )
        if (weights is not None) != self.weighted:
            has = "weights" if weights is not None else "no weights"
            raise InvalidArgument(
                f"{self._operation}: part {number} has {has}, other than the rest; give all or none"
            )
        return tails, heads, self._values(named[2], weights, len(tails))

    def _values(self, named: str, weights: Any, count: int) -> Array:
        given = True if weights is None else weights
        return as_values(self._operation, named, given, self._dtype, count)
