"""Sorted places as few bytes, for the wire: differences as variable-length bytes in SIMD order."""

from typing import Any

import numpy as np

from anypair.backends.cuda.arrays import INT32, Arrays, DeviceArray
from anypair.backends.cuda.kernels import plain_kernels
from anypair.dtypes import INT64, DType

WIDTH = 32  # values of a group: the threads of a warp
BYTE = np.dtype(np.uint8)


def encode(arrays: Arrays, values: DeviceArray, width: int = WIDTH) -> tuple[DeviceArray, DeviceArray]:
    """The bytes of these values, none of them negative, and where each group of `width` begins."""
    kernels: Any = plain_kernels("codec", width)
    n = values.shape[0]
    counts = arrays.empty(n, INT32)
    groups = -(-n // width)
    _run(arrays, kernels.count_bytes, groups, width, values, counts)
    before = arrays.counted_before(counts)
    starts = arrays.take(before, _firsts(arrays, n, width))
    data = arrays.empty(arrays.number(starts, groups), BYTE)
    _run(arrays, kernels.encode, groups, width, values, starts, data)
    return data, starts


def decode(
    arrays: Arrays, data: DeviceArray, starts: DeviceArray, count: int, width: int = WIDTH
) -> DeviceArray:
    """The reverse of encode."""
    kernels: Any = plain_kernels("codec", width)
    values = arrays.empty(count, INT64)
    _run(arrays, kernels.decode, starts.shape[0] - 1, width, data, starts, values)
    return values


def group_starts(arrays: Arrays, data: DeviceArray, width: int = WIDTH) -> DeviceArray:
    """Where each group begins, by the bytes alone: it has as many last bytes as values."""
    ends = arrays.as_type(arrays.places_where(data < 128), INT64) + 1
    after = arrays.xp.concat([arrays.zeros(1, INT64), ends])
    return arrays.take(after, _firsts(arrays, ends.shape[0], width))


def encode_places(arrays: Arrays, places: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """Sorted places, each once: the first, then how far it is from each to the next."""
    wide = arrays.as_type(places, INT64)
    if wide.shape[0] > 1:
        wide = arrays.xp.concat([wide[:1], wide[1:] - wide[:-1]])
    return encode(arrays, wide)


def decode_places(
    arrays: Arrays, data: DeviceArray, starts: DeviceArray, count: int, dtype: DType
) -> DeviceArray:
    """The reverse of encode_places."""
    return arrays.as_type(arrays.counted_before(decode(arrays, data, starts, count))[1:], dtype)


def _firsts(arrays: Arrays, count: int, width: int) -> DeviceArray:
    """The first value of each group, and at last how many values there are."""
    groups = arrays.arange(-(-count // width)) * width
    return arrays.xp.concat([groups, arrays.full(1, count, INT64)])


def _run(arrays: Arrays, kernel: Any, groups: int, width: int, *arguments: Any) -> None:
    """A block of `width` threads for each group."""
    if groups:
        blocks = min(groups, arrays.device.most_blocks)
        arrays.device.launch(kernel, blocks, width, *arguments)
