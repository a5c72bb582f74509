"""The graphs to search: undirected, as an unsorted edge list and as the CSR matrix it stands for.

A name is a family and a size: `kron18` and `uniform20` have 2**18 and 2**20 vertices, `grid1000` has
1000 x 1000.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse

from anypair.dtypes import Array
from anypair.graph500 import kronecker_edges

EDGE_FACTOR = 16
CHUNK = 1 << 20  # edges made at once, so that making them takes no more memory than holding them


@dataclass(frozen=True)
class EdgeList:
    """Undirected edges in any order; self-loops and repeated edges may occur."""

    n: int
    sources: Array
    targets: Array

    @property
    def nbytes(self) -> int:
        return self.sources.nbytes + self.targets.nbytes


@dataclass(frozen=True)
class Graph:
    """A graph with its edge list."""

    name: str
    edges: EdgeList

    @property
    def n(self) -> int:
        return self.edges.n

    @property
    def family(self) -> str:
        return parse(self.name)[0]

    @cached_property
    def csr(self) -> scipy.sparse.csr_array:
        """Both directions of every edge once, no self-loops, rows sorted, 32-bit indices."""
        return symmetric_csr(self.edges, np.int32)

    @cached_property
    def once(self) -> tuple[Array, Array]:
        """Every edge in one direction only, for libraries that have undirected graphs."""
        rows, columns = scipy.sparse.triu(self.csr, format="coo").coords
        return rows, columns

    def roots(self, count: int, seed: int) -> list[int]:
        """Different vertices that have an edge, in random order."""
        candidates = np.flatnonzero(np.diff(self.csr.indptr))
        count = min(count, len(candidates))
        chosen = np.random.default_rng(seed).choice(candidates, count, replace=False)
        return [int(root) for root in chosen]


def symmetric_csr(edges: EdgeList, index_dtype: type[np.integer]) -> scipy.sparse.csr_array:
    """SciPy's way from an edge list to a symmetric matrix without self-loops and duplicates."""
    proper = edges.sources != edges.targets
    sources = edges.sources[proper].astype(index_dtype, copy=False)
    targets = edges.targets[proper].astype(index_dtype, copy=False)
    places = (np.concatenate([sources, targets]), np.concatenate([targets, sources]))
    values = np.ones(2 * len(sources), np.bool_)
    csr = scipy.sparse.coo_array((values, places), shape=(edges.n, edges.n)).tocsr()
    csr.sum_duplicates()
    return csr


def make(name: str, seed: int) -> Graph:
    """The graph of that name.

    >>> make("grid3", seed=1).csr.nnz
    24
    """
    return Graph(name, make_edges(name, seed))


def make_edges(name: str, seed: int) -> EdgeList:
    """The edge list of the graph of that name."""
    family, size = parse(name)
    return FAMILIES[family](size, seed)


def parse(name: str) -> tuple[str, int]:
    """Family and size of a name.

    >>> parse("kron18")
    ('kron', 18)
    """
    match = re.fullmatch(r"([a-z]+)(\d+)", name)
    if match is None or match[1] not in FAMILIES:
        raise ValueError(f"unknown graph {name!r}: use {', '.join(FAMILIES)} and a size, as in kron18")
    return match[1], int(match[2])


def _kronecker(scale: int, seed: int) -> EdgeList:
    number = EDGE_FACTOR << scale
    sources, targets = np.empty(number, np.int64), np.empty(number, np.int64)
    for start in range(0, number, CHUNK):
        part = slice(start, min(start + CHUNK, number))
        sources[part], targets[part] = kronecker_edges(scale, EDGE_FACTOR, seed, part.start, part.stop)
    return EdgeList(1 << scale, sources, targets)


def _uniform(scale: int, seed: int) -> EdgeList:
    generator = np.random.default_rng(seed)
    n, number = 1 << scale, EDGE_FACTOR << scale
    return EdgeList(n, generator.integers(n, size=number), generator.integers(n, size=number))


def _grid(side: int, seed: int) -> EdgeList:
    vertices = np.arange(side * side, dtype=np.int64).reshape(side, side)
    sources = np.concatenate([vertices[:, :-1].ravel(), vertices[:-1].ravel()])
    targets = np.concatenate([vertices[:, 1:].ravel(), vertices[1:].ravel()])
    return EdgeList(side * side, sources, targets)


FAMILIES: dict[str, Callable[[int, int], EdgeList]] = {
    "kron": _kronecker,
    "uniform": _uniform,
    "grid": _grid,
}
