"""python-graphblas as its users write BFS: a masked vxm for each level, always pushing."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from graphblas import Matrix, Vector, semiring
from graphblas.dtypes import BOOL, INT64

from anypair.dtypes import Array
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


class PushEngine(Engine):
    """`any_secondi` for parents, `any_pair` for levels."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        A = load_matrix(graph)
        return {
            PARENTS: Search(partial(_parents, A), dense),
            LEVELS: Search(partial(push_levels, A, semiring.any_pair[BOOL]), dense),
        }


def _parents(A: Matrix, root: int) -> Vector:
    step = semiring.ss.any_secondi
    parents = Vector(INT64, A.nrows)
    parents[root] = root
    frontier = parents.dup()
    while True:
        frontier(~parents.S, replace=True) << step(frontier @ A)
        if frontier.nvals == 0:
            return parents
        parents(frontier.S) << frontier


def push_levels(A: Matrix, step: Any, root: int) -> Vector:
    """How far each vertex is from the root; `step` is a semiring like any_pair."""
    levels = Vector(INT64, A.nrows)
    levels[root] = 0
    frontier = Vector(BOOL, A.nrows)
    frontier[root] = True
    depth = 0
    while True:
        depth += 1
        frontier(~levels.S, replace=True) << step(frontier @ A)
        if frontier.nvals == 0:
            return levels
        levels(frontier.S) << depth


def load_matrix(graph: Graph) -> Matrix:
    """The graph as a matrix of True, by rows."""
    csr = graph.csr
    return Matrix.from_csr(csr.indptr, csr.indices, True, ncols=graph.n)


def dense(vector: Vector) -> Array:
    """A vector of python-graphblas as an array, -1 where there is no entry."""
    return np.asarray(vector.to_dense(fill_value=-1), np.int64)
