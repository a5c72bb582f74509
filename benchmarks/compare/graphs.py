"""What the two versions compute on: Kronecker, grid and random matrices, made once for each process."""

from functools import cache

import numpy as np

from anypair import Matrix
from anypair.dtypes import Array
from benchmarks.graphs import make_edges


@cache
def undirected(name: str) -> tuple[Array, Array, int]:
    """Each edge of the graph of that name once, without self-loops, in random order."""
    edges = make_edges(name, seed=1)
    n, proper = edges.n, edges.sources != edges.targets
    low = np.minimum(edges.sources, edges.targets)[proper]
    high = np.maximum(edges.sources, edges.targets)[proper]
    keys = np.unique(low * n + high)
    keys = keys[np.random.default_rng(5).permutation(len(keys))]
    return keys // n, keys % n, n


@cache
def graph(name: str) -> Matrix:
    """The graph of that name, without weights."""
    sources, targets, n = undirected(name)
    return Matrix.from_edges(sources, targets, n=n, symmetric=True)


@cache
def weighted(name: str) -> Matrix:
    """The graph of that name with weights from 1 to 255."""
    sources, targets, n = undirected(name)
    weights = np.random.default_rng(3).integers(1, 256, len(sources)).astype(np.int32)
    return Matrix.from_edges(sources, targets, weights, n=n, symmetric=True)


@cache
def real(name: str) -> Matrix:
    """The graph of that name with weights between 0 and 1."""
    sources, targets, n = undirected(name)
    weights = np.random.default_rng(4).random(len(sources))
    return Matrix.from_edges(sources, targets, weights, n=n, symmetric=True)


@cache
def random_matrix(scale: int) -> Matrix:
    """A matrix of 2**scale rows with eight random entries in each."""
    n, random = 1 << scale, np.random.default_rng(7)
    keys = np.unique(np.repeat(np.arange(n), 8) * n + random.integers(0, n, 8 * n))
    return Matrix.from_entries(keys // n, keys % n, random.random(len(keys)), (n, n))


@cache
def roots(name: str, count: int) -> tuple[int, ...]:
    """Different vertices that have an edge."""
    sources, _, _ = undirected(name)
    return tuple(np.random.default_rng(11).permutation(np.unique(sources))[:count].tolist())
