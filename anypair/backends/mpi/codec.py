"""Sorted places as few bytes: differences in base 128, lowest digits first (VLQ), compiled by Numba.

The interleaved layout (Ueno and Suzumura, Fig. 4) holds the first bytes of `lanes` numbers, then the
second bytes of those that have one, and so on: a processor that works on many lanes at once finds its
bytes side by side. With one lane it is the plain layout.
"""

from typing import Any

import numpy as np
from numba import njit

from anypair.dtypes import Array


def encode(numbers: Array, lanes: int = 1) -> Array:
    """The bytes of these numbers, which are not negative.

    >>> encode(np.array([3, 123456, 80, 300]), lanes=4).tobytes().hex(" ")
    '03 c0 50 ac c4 02 07'
    """
    out = np.empty(_encoded_length(numbers), np.uint8)
    if lanes == 1:
        _encode(numbers, out)
    else:
        _encode_interleaved(numbers, lanes, out)
    return out


def decode(data: Array, count: int, lanes: int = 1) -> Array:
    """The `count` numbers that `encode` made these bytes of.

    >>> decode(np.frombuffer(bytes.fromhex("03c050acc40207"), np.uint8), 4, lanes=4)
    array([     3, 123456,     80,    300])
    """
    out = np.empty(count, np.int64)
    used = _decode(data, out) if lanes == 1 else _decode_interleaved(data, lanes, out)
    if used != len(data):
        raise ValueError(f"{len(data)} bytes do not hold {count} numbers")
    return out


def encode_places(places: Array, lanes: int = 1) -> Array:
    """The bytes of places that rise: each by its distance from the one before."""
    if lanes == 1:
        out = np.empty(_rising_length(places), np.uint8)
        _encode_rising(places, out)
        return out
    return encode(np.diff(places.astype(np.int64), prepend=0), lanes)


def decode_places(data: Array, out: Array, offset: int, lanes: int = 1) -> None:
    """Fill `out` with the places of these bytes, each moved by `offset`."""
    if lanes == 1:
        used = _decode_rising(data, out, offset)
        if used != len(data):
            raise ValueError(f"{len(data)} bytes do not hold {len(out)} places")
    else:
        out[:] = np.cumsum(decode(data, len(out), lanes)) + offset


@njit(nogil=True, cache=True)
def _length(number: Any) -> Any:
    length = 1
    while number >= 128:
        number >>= np.uint64(7)
        length += 1
    return length


@njit(nogil=True, cache=True)
def _encoded_length(numbers: Any) -> Any:
    total = 0
    for p in range(len(numbers)):
        total += _length(np.uint64(numbers[p]))
    return total


@njit(nogil=True, cache=True)
def _rising_length(places: Any) -> Any:
    total, before = 0, np.uint64(0)
    for p in range(len(places)):
        place = np.uint64(places[p])
        total += _length(place - before)
        before = place
    return total


@njit(nogil=True, cache=True)
def _put(number: Any, out: Any, at: Any) -> Any:
    while number >= 128:
        out[at] = (number & np.uint64(127)) | np.uint64(128)
        number >>= np.uint64(7)
        at += 1
    out[at] = number
    return at + 1


@njit(nogil=True, cache=True)
def _encode(numbers: Any, out: Any) -> Any:
    at = 0
    for p in range(len(numbers)):
        at = _put(np.uint64(numbers[p]), out, at)


@njit(nogil=True, cache=True)
def _encode_rising(places: Any, out: Any) -> Any:
    at, before = 0, np.uint64(0)
    for p in range(len(places)):
        place = np.uint64(places[p])
        at = _put(place - before, out, at)
        before = place


@njit(nogil=True, cache=True)
def _decode(data: Any, out: Any) -> Any:
    at = 0
    for p in range(len(out)):
        number, shift = np.uint64(0), np.uint64(0)
        while True:
            if at == len(data):
                return -1
            byte = np.uint64(data[at])
            at += 1
            number |= (byte & np.uint64(127)) << shift
            if byte < 128:
                break
            shift += np.uint64(7)
        out[p] = number
    return at


@njit(nogil=True, cache=True)
def _decode_rising(data: Any, out: Any, offset: Any) -> Any:
    at, place = 0, np.uint64(offset)
    for p in range(len(out)):
        shift = np.uint64(0)
        while True:
            if at == len(data):
                return -1
            byte = np.uint64(data[at])
            at += 1
            place += (byte & np.uint64(127)) << shift
            if byte < 128:
                break
            shift += np.uint64(7)
        out[p] = place
    return at


@njit(nogil=True, cache=True)
def _encode_interleaved(numbers: Any, lanes: Any, out: Any) -> Any:
    at = 0
    rest = np.empty(lanes, np.uint64)
    for begin in range(0, len(numbers), lanes):
        waiting = min(lanes, len(numbers) - begin)
        for lane in range(waiting):
            rest[lane] = np.uint64(numbers[begin + lane])
        while waiting:
            going_on = 0
            for lane in range(waiting):
                number = rest[lane]
                if number >= 128:
                    out[at] = (number & np.uint64(127)) | np.uint64(128)
                    rest[going_on] = number >> np.uint64(7)
                    going_on += 1
                else:
                    out[at] = number
                at += 1
            waiting = going_on


@njit(nogil=True, cache=True)
def _decode_interleaved(data: Any, lanes: Any, out: Any) -> Any:
    at = 0
    waiting_for = np.empty(lanes, np.int64)
    for begin in range(0, len(out), lanes):
        waiting = min(lanes, len(out) - begin)
        for lane in range(waiting):
            waiting_for[lane] = begin + lane
            out[begin + lane] = 0
        shift = np.uint64(0)
        while waiting and at + waiting <= len(data):
            going_on = 0
            for lane in range(waiting):
                p = waiting_for[lane]
                byte = np.uint64(data[at])
                at += 1
                out[p] |= np.int64((byte & np.uint64(127)) << shift)
                if byte >= 128:
                    waiting_for[going_on] = p
                    going_on += 1
            waiting = going_on
            shift += np.uint64(7)
        if waiting:
            return -1
    return at


@njit(nogil=True, cache=True)
def mark(places: Any, words: Any, offset: Any) -> Any:
    """Set the bits of these places, each moved by `offset`."""
    for p in range(len(places)):
        place = np.uint64(places[p]) + np.uint64(offset)
        words[place >> np.uint64(6)] |= np.uint64(1) << (place & np.uint64(63))


@njit(nogil=True, cache=True)
def positions(words: Any, out: Any, offset: Any) -> Any:
    """The places whose bits are set, in order, each moved by `offset`; returns how many."""
    count = 0
    for word in range(len(words)):
        todo = words[word]
        if todo == 0:
            continue
        for bit in range(64):
            if (todo >> np.uint64(bit)) & np.uint64(1):
                out[count] = (word << 6) + bit + offset
                count += 1
    return count
