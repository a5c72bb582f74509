"""Places as bytes and as bits, compiled: what `codec.py` and `messages.py` call."""

from typing import Any

import numpy as np

from anypair.compiling.caching import compiled, kernel


@compiled
def _length(number: Any) -> Any:
    length = 1
    while number >= 128:
        number >>= np.uint64(7)
        length += 1
    return length


@kernel
def encoded_length(numbers: Any) -> Any:
    """How many bytes `encode` needs for these numbers."""
    total = 0
    for p in range(len(numbers)):
        total += _length(np.uint64(numbers[p]))
    return total


@kernel
def rising_length(places: Any) -> Any:
    """How many bytes `encode_rising` needs for these places."""
    total, before = 0, np.uint64(0)
    for p in range(len(places)):
        place = np.uint64(places[p])
        total += _length(place - before)
        before = place
    return total


@compiled
def _put(number: Any, out: Any, at: Any) -> Any:
    while number >= 128:
        out[at] = (number & np.uint64(127)) | np.uint64(128)
        number >>= np.uint64(7)
        at += 1
    out[at] = number
    return at + 1


@kernel
def encode(numbers: Any, out: Any) -> Any:
    """The bytes of each number, one after another."""
    at = 0
    for p in range(len(numbers)):
        at = _put(np.uint64(numbers[p]), out, at)


@kernel
def encode_rising(places: Any, out: Any) -> Any:
    """The bytes of the distance of each place from the one before."""
    at, before = 0, np.uint64(0)
    for p in range(len(places)):
        place = np.uint64(places[p])
        at = _put(place - before, out, at)
        before = place


@compiled
def _take(data: Any, at: Any) -> Any:
    """The number whose bytes begin at `at`, and where they end; -1 if the data end before."""
    number, shift = np.uint64(0), np.uint64(0)
    while at < len(data):
        byte = np.uint64(data[at])
        at += 1
        number |= (byte & np.uint64(127)) << shift
        if byte < 128:
            return number, at
        shift += np.uint64(7)
    return number, -1


@kernel
def decode(data: Any, out: Any) -> Any:
    """The reverse of encode; returns how many bytes were used, or -1 if they end too soon."""
    at = 0
    for p in range(len(out)):
        number, at = _take(data, at)
        if at < 0:
            return -1
        out[p] = number
    return at


@kernel
def decode_rising(data: Any, out: Any, offset: Any) -> Any:
    """The reverse of encode_rising, each place moved by `offset`; returns as decode does."""
    at, place = 0, np.uint64(offset)
    for p in range(len(out)):
        distance, at = _take(data, at)
        if at < 0:
            return -1
        place += distance
        out[p] = place
    return at


@kernel
def encode_interleaved(numbers: Any, lanes: Any, out: Any) -> Any:
    """The first bytes of `lanes` numbers, then the second ones of those that have one, and so on."""
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


@kernel
def decode_interleaved(data: Any, lanes: Any, out: Any) -> Any:
    """The reverse of encode_interleaved; returns as decode does."""
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


@kernel
def mark(places: Any, words: Any, offset: Any) -> Any:
    """Set the bits of these places, each moved by `offset`."""
    for p in range(len(places)):
        place = np.uint64(places[p]) + np.uint64(offset)
        words[place >> np.uint64(6)] |= np.uint64(1) << (place & np.uint64(63))


@kernel
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
