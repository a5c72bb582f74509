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


def new_numbers(old: Array, wanted: Array | range) -> tuple[Array, Array]:
    """All places that old numbers have among the wanted ones, and which of the old each is of.

    A wanted number may come more than once, and an old one then has several places.

    >>> new_numbers(np.array([7, 8, 9]), np.array([9, 7, 9]))
    (array([1, 0, 2]), array([0, 2, 2]))
    """
    if isinstance(wanted, range):
        origin, new = found_in(wanted, old)
        return new, origin
    order = np.argsort(wanted, kind="stable")
    starts = np.searchsorted(wanted, old, "left", sorter=order)
    counts = np.searchsorted(wanted, old, "right", sorter=order) - starts
    total = int(counts.sum())
    require(6 * 8 * total, f"a part of {total} entries")
    positions, origin = expand(starts, counts)
    return order[positions], origin


def kron_places(
    a: tuple[Array, Array], b: tuple[Array, Array], b_shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Rows and columns of each entry of a with each of b in their Kronecker product.

    >>> kron_places((np.array([1]), np.array([0])), (np.array([0, 1]), np.array([1, 2])), (2, 3))
    (array([2, 3]), array([1, 2]))
    """
    rows, columns = (np.add.outer(x * n, y).ravel() for x, y, n in zip(a, b, b_shape, strict=True))
    return rows, columns


def places_of_edges(
    sources: Array, targets: Array, *, symmetric: bool, self_loops: bool
) -> tuple[tuple[Array, Array], Array]:
    """The places of edges, each followed by its reverse if `symmetric`, and which of these are kept.

    An edge from a vertex to itself has no reverse, and is left out without `self_loops`.

    >>> places_of_edges(np.array([0, 2]), np.array([1, 2]), symmetric=True, self_loops=True)[0]
    (array([0, 1, 2]), array([1, 0, 2]))
    """
    proper = sources != targets
    if not symmetric:
        kept = np.ones(len(sources), np.bool_) if self_loops else proper
        return (sources[kept], targets[kept]), kept
    kept = np.stack([proper | self_loops, proper], axis=1).ravel()
    both = np.stack([sources, targets], axis=1).ravel()[kept]
    reverse = np.stack([targets, sources], axis=1).ravel()[kept]
    return (both, reverse), kept


def require_below(bound: int, numbers: Array, places: Array) -> None:
    """Raise unless all numbers, which stand at these places, are indices of an axis of this length."""
    wrong = np.flatnonzero((numbers < 0) | (numbers >= bound))
    if len(wrong):
        raise IndexOutOfRange(value=int(numbers[wrong[0]]), place=int(places[wrong[0]]))


def _ends(places: range) -> tuple[int, int]:
    """The least and the greatest place; of an empty range the greatest is below the least."""
    return (min(places[0], places[-1]), max(places[0], places[-1])) if places else (0, -1)
