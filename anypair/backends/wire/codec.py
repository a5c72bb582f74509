"""Sorted places as few bytes: differences in base 128, lowest digits first (VLQ), compiled by Numba.

The interleaved layout (Ueno and Suzumura, Fig. 4) holds the first bytes of `lanes` numbers, then the
second bytes of those that have one, and so on: a processor that works on many lanes at once finds its
bytes side by side. With one lane it is the plain layout.
"""

from pathlib import Path
from typing import Any

import numpy as np

from anypair.compiling.modules import load_file
from anypair.dtypes import Array

_places: Any = load_file(Path(__file__).parent / "kernels" / "places.py")
mark, positions = _places.mark, _places.positions


def encode(numbers: Array, lanes: int = 1) -> Array:
    """The bytes of these numbers, which are not negative.

    >>> encode(np.array([3, 123456, 80, 300]), lanes=4).tobytes().hex(" ")
    '03 c0 50 ac c4 02 07'
    """
    out = np.empty(_places.encoded_length(numbers), np.uint8)
    if lanes == 1:
        _places.encode(numbers, out)
    else:
        _places.encode_interleaved(numbers, lanes, out)
    return out


def decode(data: Array, count: int, lanes: int = 1) -> Array:
    """The `count` numbers that `encode` made these bytes of.

    >>> decode(np.frombuffer(bytes.fromhex("03c050acc40207"), np.uint8), 4, lanes=4)
    array([     3, 123456,     80,    300])
    """
    out = np.empty(count, np.int64)
    used = _places.decode(data, out) if lanes == 1 else _places.decode_interleaved(data, lanes, out)
    if used != len(data):
        raise ValueError(f"{len(data)} bytes do not hold {count} numbers")
    return out


def encode_places(places: Array, lanes: int = 1) -> Array:
    """The bytes of places that rise: each by its distance from the one before."""
    if lanes == 1:
        out = np.empty(_places.rising_length(places), np.uint8)
        _places.encode_rising(places, out)
        return out
    return encode(np.diff(places.astype(np.int64), prepend=0), lanes)


def decode_places(data: Array, out: Array, offset: int, lanes: int = 1) -> None:
    """Fill `out` with the places of these bytes, each moved by `offset`."""
    if lanes == 1:
        used = _places.decode_rising(data, out, offset)
        if used != len(data):
            raise ValueError(f"{len(data)} bytes do not hold {len(out)} places")
    else:
        out[:] = np.cumsum(decode(data, len(out), lanes)) + offset
