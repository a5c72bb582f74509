"""A row of the table of all algorithms: how one is called, on which graphs, and what its answers have to be."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any
from zlib import crc32

import numpy as np

from anypair import Matrix, Vector
from tests.algorithms.graphs import GRAPHS, Suits, any_graph, without_cycles
from tests.support.graphs import to_matrix

#: `ANYPAIR_TEST_EVERY=8`: each algorithm runs on every eighth graph, where runs take long.
EVERY = int(os.environ.get("ANYPAIR_TEST_EVERY", "1"))


def nothing(graph: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, eq=False)
class Row:
    """An algorithm, and either an `oracle` that has the one right answer or a `verify` that knows them all.

    Answers are compared, verified and spoiled as plain Python: a Vector is a dict, a Matrix one of pairs,
    a tuple has its parts one by one. What is plain is not asked for its dtype, so `dtypes` are those of
    the handles in the answer, in turn.
    """

    algorithm: Callable[..., Any]
    oracle: Callable[..., Any] | None = None  #: (graph, **arguments) -> the answer, plain
    verify: Callable[..., None] | None = None  #: (graph, answer, **arguments) raises if it is wrong
    arguments: Callable[[Any], dict[str, Any]] = nothing  #: of a graph; keywords besides it
    dtypes: tuple[str, ...] = ()
    suits: Suits = any_graph
    undirected: bool = False  #: takes undirected graphs only: directed ones run without their directions
    acyclic: bool = False  #: takes graphs without cycles only: others run without some of their edges
    weight: str | None = None  #: the attribute that is the value of an edge
    rounding: float = 0.0  #: relative, and absolute as well
    spoilers: tuple[Callable[[Any], Any], ...] = ()  #: besides those that follow from the kind of answer
    spoiled: str = "karate club"  #: the graph whose answer is spoiled
    variant: str = ""  #: tells rows of one algorithm apart
    bad: tuple[tuple[dict[str, Any], type[Exception], str], ...] = ()  #: arguments, error, words of it
    refuses: tuple[str, ...] = ()  #: weights: "negative", "not finite"

    def __str__(self) -> str:
        return f"{self.algorithm.__name__} {self.variant}".strip()

    def vertices(self) -> list[str]:
        """The names of its arguments that are vertices, or lists of them."""
        return [
            name
            for name in ("source", "target", "sources")
            if name in signature(self.algorithm).parameters
        ]

    def graphs(self) -> Iterator[Any]:
        """Those of the table that suit, or every so many of them; another algorithm gets others."""
        suit = [graph for name in GRAPHS if self.suits(graph := self.graph(name))]
        yield from suit[crc32(str(self).encode()) % EVERY :: EVERY]

    def graph(self, name: str) -> Any:
        graph = GRAPHS[name]
        if self.acyclic:
            return without_cycles(graph)
        return graph.to_undirected() if self.undirected else graph

    def answer(self, graph: Any) -> Any:
        """The algorithm's, plain, on the backend in use."""
        found = self.algorithm(matrix_of(graph, self.weight), **self.arguments(graph))
        handles = [x for x in (found if isinstance(found, tuple) else (found,)) if is_handle(x)]
        assert tuple(str(x.dtype) for x in handles) == self.dtypes
        assert {size for x in handles if isinstance(x, Vector) for size in x.shape} <= {len(graph)}
        return plain(found)

    def check(self, graph: Any, answer: Any) -> None:
        """Raise AssertionError unless the answer is right."""
        if self.verify is not None:
            self.verify(graph, answer, **self.arguments(graph))
        if self.oracle is not None:
            expected = _expected(self, graph.graph["name"])
            assert equal(answer, expected, self.rounding), f"{answer}, not {expected}"


@cache
def _expected(row: Row, name: str) -> Any:
    graph = row.graph(name)
    assert row.oracle is not None
    return row.oracle(graph, **row.arguments(graph))


def matrix_of(graph: Any, weight: str | None) -> Matrix:
    """The adjacency matrix, of one dtype for each weight, whether there are edges or not."""
    return to_matrix(graph, weight, {None: None, "steps": "int64"}.get(weight, "float64"))


def is_handle(x: Any) -> bool:
    return isinstance(x, Matrix | Vector)


def plain(x: Any) -> Any:
    """An answer as numbers, lists, and dicts from vertices or pairs of them."""
    if isinstance(x, tuple):
        return tuple(map(plain, x))
    if isinstance(x, Vector):
        return x.to_dict()
    if isinstance(x, Matrix):
        rows, columns, values = (part.tolist() for part in x.to_entries())
        return dict(zip(zip(rows, columns, strict=True), values, strict=True))
    return x.tolist() if isinstance(x, np.ndarray | np.generic) else x


def equal(x: Any, y: Any, rounding: float) -> bool:
    """Equal up to rounding, in kind too: True is no 1."""
    if isinstance(x, dict) and isinstance(y, dict):
        return x.keys() == y.keys() and all(equal(x[key], y[key], rounding) for key in x)
    if isinstance(x, list | tuple) and type(x) is type(y):
        return len(x) == len(y) and all(map(equal, x, y, [rounding] * len(x)))
    if isinstance(x, float) and isinstance(y, float | int):
        return x == y or math.isclose(x, y, rel_tol=rounding, abs_tol=rounding)
    return bool(type(x) is type(y) and x == y)


def spoiled(answer: Any) -> Iterator[Any]:
    """Answers that are wrong in one place, for whatever kind of answer there is."""
    if isinstance(answer, tuple):
        for k, part in enumerate(answer):
            yield from ((*answer[:k], other, *answer[k + 1 :]) for other in spoiled(part))
    elif isinstance(answer, dict) and answer:
        last = max(answer)
        for other in spoiled(answer[last]):
            yield answer | {last: other}
        yield {key: value for key, value in answer.items() if key != last}
        yield answer | {_beyond(last): answer[last]}
    elif isinstance(answer, list) and answer:
        yield answer[:-1]
        yield [*answer, answer[-1]]
    elif isinstance(answer, bool):
        yield not answer
    elif isinstance(answer, int | float):
        yield answer + 1
        yield answer - 1


def _beyond(place: Any) -> Any:
    return tuple(map(_beyond, place)) if isinstance(place, tuple) else place + 1
