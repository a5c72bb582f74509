"""anypair itself, on one of its backends."""

from collections.abc import Mapping
from functools import partial

from anypair import Matrix, Vector
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.config import resolve
from anypair.dtypes import Array
from anypair.errors import AnypairError
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import EdgeList, Graph

LARGEST_GRID_FOR_SCIPY = 1 << 16


class AnypairEngine(Engine):
    """`bfs_parents` and `bfs_levels`."""

    def __init__(self, name: str, backend: str) -> None:
        super().__init__(name)
        self.backend = backend
        require_backend(backend)

    def unfit_for(self, graph: Graph) -> str:
        if self.backend == "scipy" and graph.family == "grid" and graph.n > LARGEST_GRID_FOR_SCIPY:
            return "every one of thousands of levels copies the whole vector of what was reached"
        return ""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        matrix = build(graph.edges, self.backend)
        for search in (bfs_parents, bfs_levels):
            matrix.prepare(search, 0)
        return {
            PARENTS: Search(partial(bfs_parents, matrix), dense),
            LEVELS: Search(partial(bfs_levels, matrix), dense),
        }


def require_backend(name: str) -> None:
    """Raise ImportError unless the backend is ready."""
    try:
        resolve(name)
    except AnypairError as reason:
        raise ImportError(str(reason)) from reason


def build(edges: EdgeList, backend: str) -> Matrix:
    """The matrix of an undirected graph."""
    return Matrix.from_edges(
        edges.sources, edges.targets, n=edges.n, symmetric=True, self_loops=False, backend=backend
    )


def dense(vector: Vector) -> Array:
    """A vector of anypair as an array, -1 where there is no entry."""
    return vector.to_numpy(missing=-1)
