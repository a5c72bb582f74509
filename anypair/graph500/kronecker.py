"""The Kronecker generator of Graph500: every edge is a pure function of the seed and its number.

So any slice of the edge list can be made anywhere, and the graph does not depend on how many
processes or threads make it.
"""

import numpy as np

from anypair.dtypes import Array
from anypair.inputs import as_size

A, B, C = 0.57, 0.19, 0.19  # probabilities of the quarters of the adjacency matrix; D is the rest
ROUNDS = 4


def kronecker_edges(
    scale: int, edgefactor: int = 16, seed: int = 1, start: int = 0, stop: int | None = None
) -> tuple[Array, Array]:
    """Edges `start` to `stop` of the graph with 2**scale vertices and edgefactor * 2**scale edges.

    Self-loops and repeated edges occur, as the benchmark's specification has it. Vertex numbers
    are scrambled, so that they say nothing about the degree.

    >>> sources, targets = kronecker_edges(scale=4, edgefactor=2)
    >>> len(sources), bool(max(sources.max(), targets.max()) < 16)
    (32, True)
    """
    scale = as_size("kronecker_edges", "scale", scale)
    number = as_size("kronecker_edges", "edgefactor", edgefactor) << scale
    edges = np.arange(start, number if stop is None else min(stop, number), dtype=np.uint64)
    sources = np.zeros(len(edges), np.int64)
    targets = np.zeros(len(edges), np.int64)
    for level in range(scale):
        draw = _uniform(edges, seed, level)
        lower = draw >= A + B
        right = ((draw >= A) & ~lower) | (draw >= A + B + C)
        sources = 2 * sources + lower
        targets = 2 * targets + right
    return scramble(sources, scale, seed), scramble(targets, scale, seed)


def scramble(vertices: Array, scale: int, seed: int) -> Array:
    """A permutation of the numbers below 2**scale that looks random: an unbalanced Feistel network.

    >>> sorted(scramble(np.arange(8), 3, seed=5).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    low_bits = scale // 2
    high_bits = scale - low_bits
    high, low = vertices >> low_bits, vertices & ((1 << low_bits) - 1)
    for turn in range(ROUNDS):
        # Each round changes one part by a hash of the other, which can be undone.
        low = low ^ (_hash(high.astype(np.uint64), seed, 64 + 2 * turn) & _bits(low_bits))
        high = high ^ (_hash(low.astype(np.uint64), seed, 65 + 2 * turn) & _bits(high_bits))
    return (high << low_bits) | low


def _bits(count: int) -> np.int64:
    return np.int64((1 << count) - 1)


def _uniform(counters: Array, seed: int, stream: int) -> Array:
    """A number in [0, 1) for each counter."""
    return (_hash(counters, seed, stream).view(np.uint64) >> np.uint64(11)) * 2.0**-53


def _hash(counters: Array, seed: int, stream: int) -> Array:
    """Steele, Lea and Flood's splitmix64 finaliser, of a counter within a seeded stream."""
    key = np.uint64((seed * 0xD1B54A32D192ED03 + stream * 0x8CB92BA72F3D8DD7) % 2**64)
    x = (counters + key) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))).view(np.int64)
