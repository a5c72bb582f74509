"""The Kronecker generator of Graph500: every edge is a pure function of the seed and its number.

So any slice of the edge list can be made anywhere, and the graph does not depend on how many
processes or threads make it. The specification asks for edges in random order. Here no edge depends
on another, so every order of the list is as likely as any other, and a shuffle would change nothing.
"""

import math

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidValue
from anypair.graph500.compiled import loops, on_threads
from anypair.inputs import as_size, as_whole
from anypair.memory import require

A, B, C = 0.57, 0.19, 0.19  # probabilities of the quarters of the adjacency matrix; D is the rest
TURNS = 4  # of the network that scrambles

# Streams of random numbers: below 64 those of the levels, then two for each turn of a scramble.
VERTICES, WEIGHTS, ROOTS = 64, 128, 192
MAX_SCALE = 62


def kronecker_edges(
    scale: int,
    edgefactor: int = 16,
    seed: int = 1,
    start: int = 0,
    stop: int | None = None,
    *,
    threads: int = 0,
) -> tuple[Array, Array]:
    """Edges `start` to `stop` of the graph with 2**scale vertices and edgefactor * 2**scale edges.

    Self-loops and repeated edges occur, as the benchmark's specification has it. Vertex numbers
    are scrambled, so that they say nothing about the degree.

    >>> sources, targets = kronecker_edges(scale=4, edgefactor=2)
    >>> len(sources), bool(max(sources.max(), targets.max()) < 16)
    (32, True)
    """
    begin, count = _slice("kronecker_edges", scale, edgefactor, seed, start, stop)
    require(16 * count, f"kronecker_edges: a list of {count} edges")
    sources, targets = np.empty(count, np.int64), np.empty(count, np.int64)
    level_keys = _keys(seed, 0, scale)
    bounds = np.array([math.ceil(p * 2**53) for p in (A, A + B, A + B + C)], np.uint64)
    arguments = (begin, level_keys, _keys(seed, VERTICES, 2 * TURNS), bounds, sources, targets)
    on_threads(threads, loops("generating").edges, count, *arguments)
    return sources, targets


def kronecker_weights(
    scale: int,
    edgefactor: int = 16,
    seed: int = 1,
    start: int = 0,
    stop: int | None = None,
    *,
    threads: int = 0,
) -> Array:
    """Weights from 0 to below 1 of the edges `start` to `stop`, in single precision.

    They are multiples of 2**-24: the lengths of all paths are exact in double precision, so they
    do not depend on the order of the sums.

    >>> weights = kronecker_weights(scale=4)
    >>> len(weights), weights.dtype, bool(0 <= weights.min() <= weights.max() < 1)
    (256, dtype('float32'), True)
    """
    begin, count = _slice("kronecker_weights", scale, edgefactor, seed, start, stop)
    require(4 * count, f"kronecker_weights: a list of {count} weights")
    out = np.empty(count, np.float32)
    on_threads(threads, loops("generating").weights, count, begin, _keys(seed, WEIGHTS, 1)[0], out)
    return out


def scramble(vertices: Array, scale: int, seed: int, stream: int = VERTICES) -> Array:
    """A permutation of the numbers below 2**scale that looks random, another for each stream.

    >>> sorted(scramble(np.arange(8), 3, seed=5).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    out = np.empty(len(vertices), np.int64)
    keys = _keys(seed, stream, 2 * TURNS)
    loops("generating").scramble(0, len(vertices), vertices, scale, keys, out)
    return out


def too_many_edges(operation: str, scale: int, edgefactor: int) -> str:
    """What to say of more edges than can be numbered."""
    return (
        f"{operation}: scale={scale} with edgefactor={edgefactor} makes 2**63 edges or more; "
        f"give a scale of at most {63 - edgefactor.bit_length()}"
    )


def _slice(
    operation: str, scale: int, edgefactor: int, seed: int, start: int, stop: int | None
) -> tuple[int, int]:
    """The number of the first edge, and how many there are."""
    if (size := as_whole(operation, "scale", scale)) > MAX_SCALE:
        raise InvalidValue(f"{operation}: scale={scale} is too large; give at most {MAX_SCALE}")
    as_whole(operation, "seed", seed)
    if (number := as_whole(operation, "edgefactor", edgefactor) << size) >= 2**63:
        raise InvalidValue(too_many_edges(operation, scale, edgefactor))
    begin = as_size(operation, "start", start)
    end = number if stop is None else min(as_size(operation, "stop", stop), number)
    return begin, max(0, end - begin)


def _keys(seed: int, first: int, count: int) -> Array:
    """What sets streams apart."""
    streams = range(first, first + count)
    values = [(int(seed) * 0xD1B54A32D192ED03 + k * 0x8CB92BA72F3D8DD7) % 2**64 for k in streams]
    return np.array(values, np.uint64)
