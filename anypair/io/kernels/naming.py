"""A hash table of names, which lie one after another in one array of letters."""

from typing import Any

import numpy as np
from numba import njit

from anypair.compiling.caching import kernel
from anypair.io.kernels.codes import NAME_BITS

FNV_START = np.uint64(14695981039346656037)
FNV_PRIME = np.uint64(1099511628211)
SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True)
def _slot(letters: Any, begin: Any, end: Any, mask: Any) -> Any:
    """Where to look first: Fowler, Noll and Vo's hash, its upper bits mixed in."""
    hashed = FNV_START
    for p in range(begin, end):
        hashed = (hashed ^ np.uint64(letters[p])) * FNV_PRIME
    hashed = (hashed ^ (hashed >> np.uint64(32))) * SPREAD
    return np.int64(hashed >> np.uint64(20)) & mask


@njit(nogil=True)
def _same(data: Any, begin: Any, length: Any, letters: Any, start: Any, end: Any) -> Any:
    if end - start != length:
        return False
    for offset in range(length):
        if data[begin + offset] != letters[start + offset]:
            return False
    return True


@njit(nogil=True)
def _number(data: Any, packed: Any, slots: Any, letters: Any, starts: Any, count: Any) -> Any:
    """The number of a name, and how many names there are now."""
    begin, length = packed >> NAME_BITS, packed & ((1 << NAME_BITS) - 1)
    mask = len(slots) - 1
    slot = _slot(data, begin, begin + length, mask)
    while slots[slot] >= 0:
        number = slots[slot]
        if _same(data, begin, length, letters, starts[number], starts[number + 1]):
            return number, count
        slot = (slot + 1) & mask
    slots[slot] = count
    start = starts[count]
    for offset in range(length):
        letters[start + offset] = data[begin + offset]
    starts[count + 1] = start + length
    return count, count + 1


@kernel
def intern(
    data: Any, slots: Any, letters: Any, starts: Any, count: Any, sources: Any, targets: Any
) -> Any:
    """Replace places of names by their numbers; returns how many names there are now."""
    for k in range(len(sources)):
        sources[k], count = _number(data, sources[k], slots, letters, starts, count)
        targets[k], count = _number(data, targets[k], slots, letters, starts, count)
    return count


@kernel
def rehash(slots: Any, letters: Any, starts: Any, count: Any) -> None:
    """Put the first `count` names into empty slots."""
    mask = len(slots) - 1
    for number in range(count):
        slot = _slot(letters, starts[number], starts[number + 1], mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number
