"""Entries in an order: ranks, running sums and random numbers, by whole arrays of the host.

What a backend gets that has nothing better. Entries come in the order of `Backend.entries`; each row
of a matrix is by itself.
"""

import numpy as np

from anypair.dtypes import INT64, Array, DType

INCREMENT = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64 (Steele, Lea and Flood, 2014)
FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def first_of_runs(lines: Array) -> Array:
    """For each element of a sorted array the position of the first one that is equal."""
    positions = np.arange(len(lines))
    begins = np.ones(len(lines), np.bool_)
    begins[1:] = lines[1:] != lines[:-1]
    firsts: Array = np.maximum.accumulate(np.where(begins, positions, 0))
    return firsts


def ranks_in_lines(lines: Array, values: Array | None, *, descending: bool) -> Array:
    """How many of the same line come before each, by value, NaN last, or else in the order given.

    >>> ranks_in_lines(np.array([0, 0, 0, 1]), np.array([5, 9, 5, 2]), descending=True)
    array([1, 0, 2, 0])
    """
    firsts = first_of_runs(lines)
    if values is None:
        return np.arange(len(lines)) - firsts
    keys = _as_keys(values, descending=descending)
    is_one_line = not len(lines) or lines[0] == lines[-1]
    order = np.argsort(keys, kind="stable") if is_one_line else np.lexsort((keys, lines))
    ranks = np.empty(len(lines), INT64)
    ranks[order] = np.arange(len(lines)) - firsts  # lines are sorted, so each keeps its part
    return ranks


def _as_keys(values: Array, *, descending: bool) -> Array:
    """What is ascending where the values are in the order that is asked for."""
    if not descending:
        return values
    return -values if values.dtype.kind == "f" else ~values


def random_at(places: tuple[Array, ...], seed: int, dtype: DType) -> Array:
    """A number for each place that follows from the seed and the place alone.

    Floats lie in [0, 1), of integers and bools each is as likely as another.

    >>> dtype = np.dtype(float)
    >>> one, other = random_at((np.arange(4),), 7, dtype), random_at((np.arange(2, 4),), 7, dtype)
    >>> bool((one[2:] == other).all())
    True
    """
    bits = np.full(len(places[0]), seed % 2**64, np.uint64)
    with np.errstate(over="ignore"):
        for axis in places:
            bits = _mixed(_mixed(bits) + (axis.astype(np.uint64) + np.uint64(1)) * INCREMENT)
    if dtype.kind == "f":
        kept = np.finfo(dtype).nmant + 1  # as many bits as a number of it below 1 may have
        return ((bits >> np.uint64(64 - kept)) * 2.0**-kept).astype(dtype)
    if dtype.kind == "b":
        return (bits >> np.uint64(63)).astype(dtype)
    return (bits >> np.uint64(64 - 8 * dtype.itemsize)).astype(dtype)


def _mixed(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(30))) * FACTORS[0]
    bits = (bits ^ (bits >> np.uint64(27))) * FACTORS[1]
    mixed: Array = bits ^ (bits >> np.uint64(31))
    return mixed
