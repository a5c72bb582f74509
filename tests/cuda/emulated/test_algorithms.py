"""Searches and algorithms as a GPU would run them, under several schedules, against the reference."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from anypair import Matrix
from anypair.algorithms import (
    bellman_ford,
    betweenness,
    bfs_levels,
    bfs_parents,
    connected_components,
    delta_stepping,
    pagerank,
    shortest_path_parents,
    triangle_count,
)
from anypair.backends.cuda import CudaBackend
from anypair.graph500 import kronecker_edges
from anypair.semiring import minimum
from tests.cuda.emulator.device import Emulated
from tests.cuda.emulator.plugin import SEEDS
from tests.cuda.support import needs_compiler
from tests.support.compare import assert_same, entries
from tests.support.covering import FULL

pytestmark = needs_compiler


def schedules(number: int) -> list[int]:
    """Of the tests of one kind each draws another schedule; in a full run each has all of them."""
    return [*SEEDS] if FULL else [SEEDS[number % len(SEEDS)]]


def emulated(seed: int, **options: Any) -> CudaBackend:
    """A GPU on which some rows of a small graph are long already."""
    backend = CudaBackend.on(Emulated(32, most_blocks=6, seed=seed), **options)
    backend.arrays.long = 64
    return backend


def kronecker(scale: int, backend: Any, *, weighted: bool = False) -> Matrix:
    sources, targets = kronecker_edges(scale)
    weights = 1 + (sources ^ targets) % 13 if weighted else None
    return Matrix.from_edges(
        sources,
        targets,
        weights,
        n=1 << scale,
        symmetric=True,
        self_loops=False,
        duplicates=minimum,
        backend=backend,
    )


@cache
def root(scale: int) -> int:
    return int(kronecker_edges(scale)[0][0])


@cache
def tree(scale: int) -> Any:
    return entries(bfs_parents(kronecker(scale, "reference"), root(scale)))


@pytest.mark.parametrize("scale", range(6, 13))
@pytest.mark.parametrize("direction", ["push", "pull", "auto"])
def test_parents(direction: str, scale: int) -> None:
    for seed in schedules(scale):
        graph = kronecker(scale, emulated(seed, direction=direction))
        assert entries(bfs_parents(graph, root(scale))) == tree(scale), seed


def shortest_paths(graph: Matrix, source: int) -> Any:
    return shortest_path_parents(graph, source, bellman_ford(graph, source))


#: By name: the algorithm on a graph from a vertex, and whether the graph has weights.
ALGORITHMS: dict[str, tuple[Callable[[Matrix, int], Any], bool]] = {
    "levels": (bfs_levels, False),
    "components": (lambda graph, _: connected_components(graph), False),
    "pagerank": (lambda graph, _: pagerank(graph), False),
    "triangles": (lambda graph, _: triangle_count(graph), False),
    "betweenness": (lambda graph, source: betweenness(graph, [source, 1, 2]), False),
    "bellman_ford": (bellman_ford, True),
    "delta_stepping": (lambda graph, source: delta_stepping(graph, source, 5), True),
    "shortest_path_parents": (shortest_paths, True),
}


@pytest.mark.parametrize("scale", [5, 9] if FULL else [5])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms(name: str, scale: int) -> None:
    run, weighted = ALGORITHMS[name]
    expected = run(kronecker(scale, "reference", weighted=weighted), root(scale))
    for seed in schedules([*ALGORITHMS].index(name)):
        found = run(kronecker(scale, emulated(seed), weighted=weighted), root(scale))
        if isinstance(expected, int):
            assert found == expected, seed
        else:
            assert_same(found, expected)
