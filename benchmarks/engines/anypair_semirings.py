"""BFS over min_select and any_pair: those that come with anypair, and the same written by a user."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from anypair import (
    ANYTHING,
    MAX,
    MIN,
    Matrix,
    Semiring,
    Vector,
    apply,
    assign,
    binary_op,
    monoid,
    position,
    update,
    vxm,
)
from anypair.semiring import any_pair, min_select
from benchmarks.engines.anypair import build, dense, require_backend
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


@binary_op
def _value(edge: Any, value: Any) -> Any:
    return value


@binary_op
def _one(edge: Any, value: Any) -> Any:
    return 1


@monoid(identity=MAX, terminal=MIN)
def _smallest(x: Any, y: Any) -> Any:
    return x if x < y else y


@monoid(identity=0, terminal=ANYTHING)
def _whichever(x: Any, y: Any) -> Any:
    return x


class BuiltInEngine(Engine):
    """Semirings of the catalogue."""

    selecting = min_select
    pairing = any_pair

    def __init__(self, name: str, backend: str) -> None:
        super().__init__(name)
        self.backend = backend
        require_backend(backend)

    def load(self, graph: Graph) -> Mapping[str, Search]:
        matrix = build(graph.edges, self.backend)
        matrix.prepare(_parents, self.selecting, 0)
        matrix.prepare(_levels, self.pairing, 0)
        return {
            PARENTS: Search(partial(_parents, matrix, self.selecting), dense),
            LEVELS: Search(partial(_levels, matrix, self.pairing), dense),
        }


class UserDefinedEngine(BuiltInEngine):
    """Semirings of plain Python functions."""

    selecting = Semiring(_smallest, _value)
    pairing = Semiring(_whichever, _one)


def _parents(graph: Matrix, semiring: Semiring, root: int) -> Vector:
    parents = Vector.from_entries([root], [root], graph.nrows, dtype=int, like=graph)
    frontier = parents
    while frontier.nvals:
        offers = apply(frontier, position)
        frontier = vxm(offers, graph, semiring, mask=~parents.structure)
        update(parents, frontier)
    return parents


def _levels(graph: Matrix, semiring: Semiring, root: int) -> Vector:
    levels = Vector.from_entries([root], [0], graph.nrows, like=graph)
    frontier, depth = levels, 0
    while frontier.nvals:
        depth += 1
        frontier = vxm(frontier, graph, semiring, mask=~levels.structure)
        assign(levels, depth, mask=frontier.structure)
    return levels
