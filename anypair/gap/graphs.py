"""The graphs of the suite that can be generated, all undirected, without self-loops or repeated edges.

`kron` and `urand` are the suite's own kinds, with 16 edges for each vertex. Its road network, its web
graph and its graph of followers are files; `grid` has the road network's long diameter and short rows.
"""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidValue
from anypair.graph500.kronecker import kronecker_edges
from anypair.handle import bytes_to_build
from anypair.matrix import Matrix
from anypair.memory import require

EDGE_FACTOR = 16
HEAVIEST = 255  # weights are whole numbers from 1 on
WIDEST = {"kron": 40, "urand": 40, "grid": 1 << 20}
Kind = Literal["kron", "urand", "grid"]


@dataclass(frozen=True)
class GraphSpec:
    """A kind and a size: `kron16` and `urand16` have 2**16 vertices, `grid100` has 100 x 100.

    >>> GraphSpec.parse("grid20").vertices
    400
    """

    kind: Kind
    size: int

    @classmethod
    def parse(cls, text: str) -> "GraphSpec":
        """The graph that a name such as `kron16` means."""
        if not (found := re.fullmatch(r"(kron|urand|grid)(\d{1,7})", text)):
            raise InvalidValue(f"{text!r} is not a graph; give kron16, urand16, grid100 or the like")
        kind, size = found[1], int(found[2])
        if not 1 <= size <= WIDEST[kind]:
            raise InvalidValue(f"{text!r}: the size has to be from 1 to {WIDEST[kind]}")
        return cls(kind, size)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"{self.kind}{self.size}"

    @property
    def vertices(self) -> int:
        """How many there are."""
        return self.size**2 if self.kind == "grid" else 1 << self.size

    def edges(self, seed: int) -> tuple[Array, Array]:
        """Each edge once, the smaller vertex first, sorted."""
        n = self.vertices
        listed = 2 * n if self.kind == "grid" else EDGE_FACTOR * n
        require(bytes_to_build(2 * listed, np.dtype(np.int64)), f"the edges of {self}")
        a, b = self._with_repeats(seed)
        low, high = np.minimum(a, b), np.maximum(a, b)
        keys = np.unique(low[low != high] * n + high[low != high])
        return keys // n, keys % n

    def _with_repeats(self, seed: int) -> tuple[Array, Array]:
        n = self.vertices
        if self.kind == "kron":
            return kronecker_edges(self.size, EDGE_FACTOR, seed)
        if self.kind == "urand":
            random = np.random.default_rng(seed)
            return random.integers(0, n, EDGE_FACTOR * n), random.integers(0, n, EDGE_FACTOR * n)
        places = np.arange(n).reshape(self.size, self.size)
        across, down = (places[:, :-1], places[:, 1:]), (places[:-1], places[1:])
        one, other = (np.concatenate([x.ravel(), y.ravel()]) for x, y in zip(across, down, strict=True))
        return one, other


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph with and without weights, and the vertices that trials begin at."""

    spec: GraphSpec
    structure: Matrix
    weighted: Matrix
    sources: list[int]

    @classmethod
    def make(cls, spec: GraphSpec, seed: int, sources: int) -> "Graph":
        """Generate and build it on the backend in use; sources have an edge, and may come again."""
        a, b = spec.edges(seed)
        if not len(a):
            raise InvalidValue(f"{spec} has no edge to begin at; give a larger graph")
        random = np.random.default_rng([seed, 1])
        weights = random.integers(1, HEAVIEST + 1, len(a)).astype(np.int32)
        n = spec.vertices
        return cls(
            spec,
            Matrix.from_edges(a, b, n=n, symmetric=True),
            Matrix.from_edges(a, b, weights, n=n, symmetric=True),
            random.choice(np.union1d(a, b), sources).tolist(),
        )
