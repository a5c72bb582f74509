"""The same semirings of a user in python-graphblas: Python functions, compiled by Numba there too.

In its vxm the vector comes first and in its mxv the matrix, so each direction has a multiply.
"""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from graphblas import Matrix, Vector, binary, indexunary, monoid, semiring
from graphblas.dtypes import BOOL, INT64

from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.engines.graphblas_push import dense, load_matrix, push_levels
from benchmarks.engines.graphblas_push_pull import BothWays, Direction, bitmap, push_pull_levels
from benchmarks.graphs import Graph


class UserSemirings(NamedTuple):
    """min_select and any_pair for both directions."""

    select_push: Any
    select_pull: Any
    pair: Any


@cache
def registered() -> UserSemirings:
    """Compile the functions once; the library keeps them under their names."""
    first = binary.register_anonymous(lambda x, y: x, "benchmark_first")
    second = binary.register_anonymous(lambda x, y: y, "benchmark_second")
    one = binary.register_anonymous(lambda x, y: True, "benchmark_one")
    least = binary.register_anonymous(lambda x, y: x if x < y else y, "benchmark_least")
    smallest = monoid.register_anonymous(least, {"INT64": np.iinfo(np.int64).max})
    whichever = monoid.register_anonymous(first, {"BOOL": False})
    return UserSemirings(
        semiring.register_anonymous(smallest, first)[INT64, BOOL],
        semiring.register_anonymous(smallest, second)[BOOL, INT64],
        semiring.register_anonymous(whichever, one)[BOOL],
    )


class UserPushEngine(Engine):
    """Always pushing."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        A = load_matrix(graph)
        own = registered()
        return {
            PARENTS: Search(partial(_push_parents, A, own), dense),
            LEVELS: Search(partial(push_levels, A, own.pair), dense),
        }


class UserPushPullEngine(Engine):
    """Push and pull by the rules of LAGraph."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        both_ways = BothWays.of(load_matrix(graph))
        own = registered()
        return {
            PARENTS: Search(partial(_push_pull_parents, both_ways, own), dense),
            LEVELS: Search(partial(push_pull_levels, both_ways, own.pair, own.pair), dense),
        }


def _push_parents(A: Matrix, own: UserSemirings, root: int) -> Vector:
    parents = Vector(INT64, A.nrows)
    parents[root] = root
    frontier = parents.dup()
    while True:
        frontier << indexunary.index(frontier)
        frontier(~parents.S, replace=True) << own.select_push(frontier @ A)
        if frontier.nvals == 0:
            return parents
        parents(frontier.S) << frontier


def _push_pull_parents(both_ways: BothWays, own: UserSemirings, root: int) -> Vector:
    A = both_ways.A
    parents = bitmap(INT64, A.nrows)
    parents[root] = root
    frontier = Vector(INT64, A.nrows)
    frontier[root] = root
    direction = Direction(both_ways, frontier)
    size = 1
    while size:
        pull = direction.choose(size)
        frontier << indexunary.index(frontier)
        product = own.select_pull(A @ frontier) if pull else own.select_push(frontier @ A)
        frontier(~parents.S, replace=True) << product
        parents(frontier.S) << frontier
        size = frontier.nvals
    return parents
