"""The kernels: what is timed, how often, and who checks the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anypair.algorithms import (
    bellman_ford,
    betweenness,
    bfs_parents,
    connected_components,
    pagerank,
    triangle_count,
)
from anypair.gap import verification
from anypair.gap.graphs import Graph
from anypair.matrix import Matrix
from anypair.vector import Vector

BATCH = 4  # sources of a trial of betweenness


@dataclass(frozen=True)
class Kernel:
    """A row of the table: trials are the suite's own number, `sources` what one of them begins at."""

    name: str
    title: str
    trials: int
    sources: int
    #: What is called with a graph and the sources of a trial.
    run: Callable[..., Any]
    #: Says what is wrong with an answer, or nothing.
    wrong: Callable[[Graph, Any, list[int]], str]
    weighted: bool = False

    def on(self, graph: Graph) -> Matrix:
        """The matrix that it runs on."""
        return graph.weighted if self.weighted else graph.structure

    def call(self, graph: Graph, sources: list[int]) -> Any:
        """One trial."""
        return self.run(self.on(graph), *sources)


def _pagerank(A: Matrix) -> Vector:
    return pagerank(A, iterations=verification.ITERATIONS)


def _betweenness(A: Matrix, *sources: int) -> Vector:
    return betweenness(A, list(sources))


_ALL = (
    Kernel("bfs", "breadth-first search", 64, 1, bfs_parents, verification.bfs),
    Kernel("sssp", "shortest paths", 64, 1, bellman_ford, verification.sssp, weighted=True),
    Kernel("pr", "PageRank", 16, 0, _pagerank, verification.pagerank),
    Kernel("cc", "components", 16, 0, connected_components, verification.components),
    Kernel("bc", "betweenness", 16, BATCH, _betweenness, verification.betweenness),
    Kernel("tc", "triangles", 3, 0, triangle_count, verification.triangles),
)
KERNELS: dict[str, Kernel] = {kernel.name: kernel for kernel in _ALL}
