"""Edges, weights and scrambled numbers: each a pure function of keys and a counter.

All arithmetic is unsigned with 64 bits; a mixture with signed numbers would become a float.
"""

from typing import Any

import numpy as np

from anypair.compiling.caching import kernel

ONE = np.uint64(1)


@kernel
def mixed(counter: Any, key: Any) -> Any:
    """Steele, Lea and Flood's splitmix64 finaliser, of a counter within a keyed stream."""
    x = (counter + key) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def scrambled(vertex: Any, scale: Any, keys: Any) -> Any:
    """An unbalanced Feistel network: each turn changes one part by a hash of the other."""
    low_bits = np.uint64(scale // 2)
    low_mask = (ONE << low_bits) - ONE
    high_mask = (ONE << (np.uint64(scale) - low_bits)) - ONE
    high, low = vertex >> low_bits, vertex & low_mask
    for turn in range(0, len(keys), 2):
        low ^= mixed(high, keys[turn]) & low_mask
        high ^= mixed(low, keys[turn + 1]) & high_mask
    return (high << low_bits) | low


@kernel
def scramble(begin: Any, end: Any, vertices: Any, scale: Any, keys: Any, out: Any) -> None:
    """out[p] = vertices[p], scrambled."""
    for p in range(begin, end):
        out[p] = np.int64(scrambled(np.uint64(vertices[p]), scale, keys))


@kernel
def edges(
    begin: Any,
    end: Any,
    start: Any,
    level_keys: Any,
    scramble_keys: Any,
    bounds: Any,
    sources: Any,
    targets: Any,
) -> None:
    """Edge start + p into place p: a quarter of the matrix is drawn for each bit of the numbers."""
    to_a, to_b, to_c = bounds[0], bounds[1], bounds[2]
    scale = len(level_keys)
    for p in range(begin, end):
        counter = np.uint64(start + p)
        source = target = np.uint64(0)
        for level in range(scale):
            draw = mixed(counter, level_keys[level]) >> np.uint64(11)
            lower = np.uint64(draw >= to_b)
            # Right are the second and the fourth quarter: an odd number of bounds is passed.
            right = np.uint64(draw >= to_a) ^ lower ^ np.uint64(draw >= to_c)
            source = (source << ONE) | lower
            target = (target << ONE) | right
        sources[p] = np.int64(scrambled(source, scale, scramble_keys))
        targets[p] = np.int64(scrambled(target, scale, scramble_keys))


@kernel
def weights(begin: Any, end: Any, start: Any, key: Any, out: Any) -> None:
    """The weight of edge start + p into place p: a multiple of 2**-24 below 1."""
    for p in range(begin, end):
        out[p] = np.float32(mixed(np.uint64(start + p), key) >> np.uint64(40)) * np.float32(2.0**-24)
