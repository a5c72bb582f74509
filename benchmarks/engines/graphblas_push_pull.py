"""python-graphblas with push and pull by hand, after the rules of LAGraph.

The matrices here are symmetric, so one serves both directions. As in LAGraph what was reached is kept
as a bitmap, the frontier as a list to push and as a bitmap to pull, and vertices have 32 bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphblas import Matrix, Vector, agg, semiring
from graphblas.dtypes import BOOL, INT32, INT64

from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.engines.graphblas_push import dense, load_matrix
from benchmarks.graphs import Graph

FRONTIER_TO_UNEXPLORED_EDGES = 8  # pull when the frontier has more than this part of them
GROWING_TO_ALL_VERTICES = 8  # the same test by vertices, once edges are no longer counted
SHRINKING_TO_ALL_VERTICES = 512  # push again when the frontier has fewer than this part of them


class PushPullEngine(Engine):
    """`any_secondi` for parents, `any_pair` for levels."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        both_ways = BothWays.of(load_matrix(graph))
        return {
            PARENTS: Search(partial(_parents, both_ways), dense),
            LEVELS: Search(partial(push_pull_levels, both_ways, *2 * [semiring.any_pair[BOOL]]), dense),
        }


@dataclass(frozen=True)
class BothWays:
    """A symmetric matrix, and what the choice of a direction needs to know of it."""

    A: Matrix
    degrees: Vector
    nvals: int

    @staticmethod
    def of(A: Matrix) -> "BothWays":
        return BothWays(A, A.reduce_rowwise(agg.count).new(), A.nvals)


class Direction:
    """The choice between push and pull in one search, and the form of the frontier that goes with it."""

    def __init__(self, both_ways: BothWays, frontier: Vector) -> None:
        self._degrees = both_ways.degrees
        self._n = both_ways.A.nrows
        self._unexplored = both_ways.nvals
        self._frontier = frontier
        self._last_size = 0
        self._may_pull = True
        self._has_pulled = False
        self.pulls = False
        self._pin()

    def choose(self, size: int) -> bool:
        """Whether to pull from a frontier of `size` vertices."""
        if self.pulls:
            wanted = size >= self._last_size or size > self._n / SHRINKING_TO_ALL_VERTICES
        else:
            wanted = self._may_pull and self._pull_pays(size)
        self._last_size = size
        if wanted != self.pulls:
            self.pulls = wanted
            self._has_pulled = True
            self._pin()
        return wanted

    def _pull_pays(self, size: int) -> bool:
        growing = size > self._last_size
        if self._unexplored < self._n:
            self._may_pull = False
            return False
        if self._has_pulled:
            return growing and size > self._n / GROWING_TO_ALL_VERTICES
        in_frontier = semiring.plus_second[INT64](self._frontier @ self._degrees).get(0)
        self._unexplored -= in_frontier
        return growing and in_frontier > self._unexplored / FRONTIER_TO_UNEXPLORED_EDGES

    def _pin(self) -> None:
        self._frontier.ss.config["sparsity_control"] = "bitmap" if self.pulls else "sparse"


def _parents(both_ways: BothWays, root: int) -> Vector:
    A, step = both_ways.A, semiring.ss.any_secondi[INT32]
    parents = bitmap(INT32, A.nrows)
    parents[root] = root
    frontier = Vector(INT32, A.nrows)
    frontier[root] = root
    direction = Direction(both_ways, frontier)
    size = 1
    while size:
        pull = direction.choose(size)
        frontier(~parents.S, replace=True) << step(A @ frontier if pull else frontier @ A)
        parents(frontier.S) << frontier
        size = frontier.nvals
    return parents


def push_pull_levels(both_ways: BothWays, push: Any, pull: Any, root: int) -> Vector:
    """How far each vertex is from the root; the semirings are for vxm and for mxv."""
    A = both_ways.A
    levels = bitmap(INT32, A.nrows)
    levels[root] = 0
    frontier = Vector(BOOL, A.nrows)
    frontier[root] = True
    direction = Direction(both_ways, frontier)
    size, depth = 1, 0
    while size:
        depth += 1
        product = pull(A @ frontier) if direction.choose(size) else push(frontier @ A)
        frontier(~levels.S, replace=True) << product
        levels(frontier.S) << depth
        size = frontier.nvals
    return levels


def bitmap(dtype: Any, size: int) -> Vector:
    """An empty vector that stays a bitmap, or full."""
    vector = Vector(dtype, size)
    vector.ss.config["sparsity_control"] = {"bitmap", "full"}
    return vector
