"""Edges that come part by part make the graph that they make as a whole, on every backend."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from anypair import Matrix
from anypair.errors import AnypairError, DuplicateEntries, IndexOutOfRange, InvalidArgument, SizeMismatch
from anypair.semiring import minimum, plus
from tests.support.compare import entries

SOURCES, TARGETS = [0, 3, 1, 1, 0, 3, 2], [1, 0, 1, 2, 1, 3, 2]
WEIGHTS = [5, 1, 2, 8, 3, 4, 6]


def parts(*sides: Any, lengths: Any = (3, 0, 1, 3)) -> Iterator[tuple[Any, ...]]:
    at = 0
    for length in lengths:
        yield tuple(side[at : at + length] for side in sides)
        at += length


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_as_from_edges(backend: str, symmetric: bool, self_loops: bool, weighted: bool) -> None:
    sides = (SOURCES, TARGETS, WEIGHTS) if weighted else (SOURCES, TARGETS)
    kinds: Any = {"symmetric": symmetric, "self_loops": self_loops}
    kinds |= {"duplicates": plus if symmetric else minimum} if weighted else {}
    found = Matrix.from_edge_parts(parts(*sides), **kinds)
    whole = Matrix.from_edges(*sides, **kinds)
    assert entries(found) == entries(whole)
    assert (found.shape, found.dtype, found.is_symmetric) == (whole.shape, whole.dtype, symmetric)
    assert Matrix.from_edge_parts([*parts(*sides)], n=9, **kinds).shape == (9, 9)


def test_no_parts_and_empty_ones(backend: str) -> None:
    for given in ([], [([], [])], iter([([], []), ([], [])])):
        graph = Matrix.from_edge_parts(given)
        assert (graph.shape, graph.nvals, graph.dtype) == ((0, 0), 0, np.bool_)
    assert Matrix.from_edge_parts([], n=3, dtype=float).shape == (3, 3)


@pytest.mark.parametrize(
    ("given", "options", "error", "said"),
    [
        (7, {}, InvalidArgument, "parts=7 cannot be gone through"),
        ([([0], [1]), 5], {}, InvalidArgument, "part 1 has to be"),
        ([([0],)], {}, InvalidArgument, "part 0 has to be"),
        ([([0], [1]), ([0, 1], [1])], {}, SizeMismatch, "part 1 has 2 sources and 1 targets"),
        ([([0], [1]), ([-1], [1])], {}, IndexOutOfRange, "sources of part 1"),
        ([([0], [9])], {"n": 4}, IndexOutOfRange, "targets of part 0"),
        ([([0], [1]), ([0], [1], [2])], {}, InvalidArgument, "part 1 has weights"),
        ([([0], [1], [2]), ([0], [2])], {}, InvalidArgument, "part 1 has no weights"),
        ([([0], [1], [2]), ([0], [2], [2.5])], {}, AnypairError, "weights of part 1"),
        ([([0], [1], [2]), ([0], [1], [2])], {}, DuplicateEntries, "more than one entry"),
    ],
)
def test_what_is_wrong_is_said_with_the_part(
    backend: str, given: Any, options: Any, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        Matrix.from_edge_parts(given, **options)
