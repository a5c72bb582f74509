"""Places along an axis, as `extract` and `place` are given them: all, a range, or a list.

A range stays one down to the storage, so that ten places of a vector of 2**40 cost ten.
"""

from typing import TypeAlias

import numpy as np

from anypair.dtypes import Array
from anypair.errors import IndexOutOfRange
from anypair.memory import require

Places: TypeAlias = Array | range | None  # an int64 array, a range, or None for all in order


def count_of(places: Places, length: int) -> int:
    """How many places there are, of an axis of this length."""
    return length if places is None else len(places)


def listed(places: Array | range) -> Array:
    """The places as an array."""
    # By its ends and step, np.arange counts in floats, which miss some beyond 2**53.
    return place_of_each(places, np.arange(len(places))) if isinstance(places, range) else places


def place_of_each(places: Places, numbers: Array) -> Array:
    """Where the places with these numbers are; the numbers may be of any integer dtype.

    >>> place_of_each(range(10, 0, -3), np.array([0, 2]))
    array([10,  4])
    """
    if places is None:
        return numbers
    if isinstance(places, range):
        return numbers.astype(np.int64) * places.step + places.start
    found: Array = places[numbers]
    return found


def found_in(places: range, numbers: Array) -> tuple[Array, Array]:
    """Which of the numbers, by position, lie in a range, and which of its places each is.

    >>> found_in(range(10, 0, -3), np.array([4, 5, 10]))
    (array([0, 2]), array([2, 0]))
    """
    wide = numbers.astype(np.int64, copy=False)
    low, high = _ends(places)
    inside = (wide >= low) & (wide <= high)
    if abs(places.step) > 1:
        inside &= (wide - low) % abs(places.step) == 0
    positions = np.flatnonzero(inside)
    return positions, (wide[positions] - places.start) // places.step


def found_in_sorted(places: range, numbers: Array) -> tuple[Array | slice, Array]:
    """As `found_in`, of sorted numbers, by what lies between the ends of the range; places rise.

    >>> found_in_sorted(range(10, 0, -3), np.array([4, 5, 10, 11]))
    (array([2, 0]), array([0, 2]))
    """
    low, high = _ends(places)
    if low > high:
        return slice(0, 0), np.empty(0, np.int64)
    dtype = numbers.dtype.type  # of another one, NumPy would convert all numbers first
    begin, end = np.searchsorted(numbers, dtype(low)), np.searchsorted(numbers, dtype(high), "right")
    if places.step == 1:
        return slice(int(begin), int(end)), numbers[begin:end].astype(np.int64) - low
    positions, found = found_in(places, numbers[begin:end])
    if places.step < 0:
        positions, found = positions[::-1], found[::-1]
    return positions + begin, found


def expand(starts: Array, counts: Array) -> tuple[Array, Array]:
    """All positions of the ranges [starts, starts + counts), and the range that each came from.

    >>> expand(np.array([5, 0]), np.array([2, 1]))
    (array([5, 6, 0]), array([0, 0, 1]))
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    require(4 * 8 * total, f"looking at {total} entries")
    origin = np.repeat(np.arange(len(starts)), counts)
    return np.arange(total) + np.repeat(starts - (ends - counts), counts), origin


def require_below(bound: int, numbers: Array, places: Array) -> None:
    """Raise unless all numbers, which stand at these places, are indices of an axis of this length."""
    wrong = np.flatnonzero((numbers < 0) | (numbers >= bound))
    if len(wrong):
        raise IndexOutOfRange(value=int(numbers[wrong[0]]), place=int(places[wrong[0]]))


def _ends(places: range) -> tuple[int, int]:
    """The least and the greatest place; of an empty range the greatest is below the least."""
    return (min(places[0], places[-1]), max(places[0], places[-1])) if places else (0, -1)
