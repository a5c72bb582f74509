"""Generators: what kind of graph comes, and the same one whoever makes it."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, same
from anypair import generators as g
from anypair.algorithms import modularity
from anypair.errors import InvalidArgument, InvalidValue
from anypair.graph500 import kronecker_edges

MADE: dict[str, Callable[..., Matrix]] = {
    "kronecker": lambda **options: g.kronecker(5, 4, **options),
    "uniform": lambda **options: g.uniform(30, 90, **options),
    "grid": lambda **options: g.grid(4, 7, **options),
    "path": lambda **options: g.path(9, **options),
    "star": lambda **options: g.star(9, **options),
    "small world": lambda **options: g.small_world(40, 6, 0.2, **options),
    "preferential attachment": lambda **options: g.preferential_attachment(40, 3, **options),
    "planted partition": lambda **options: g.planted_partition(4, 9, 3, 1, **options),
}


def as_networkx(graph: Matrix) -> Any:
    made = nx.empty_graph(graph.nrows)
    made.add_edges_from(zip(*(x.tolist() for x in graph.to_entries()[:2]), strict=True))
    return made


@pytest.mark.parametrize("name", MADE)
def test_the_same_graph_everywhere(backend: str, name: str) -> None:
    for options in ({}, {"weights": True}, {"directed": True, "seed": 5}):
        with anypair.using("reference"):
            expected = MADE[name](**options)
        made = MADE[name](**options)
        assert made.backend.name == backend
        assert made.dtype == (float if "weights" in options else bool)
        assert same(made.to("reference"), expected)
        assert made.is_symmetric == ("directed" not in options)
        assert not any(i == j for i, j in zip(*made.to_entries()[:2], strict=True))


@pytest.mark.parametrize("name", MADE)
def test_slices_make_the_same_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges of three processes, each its own, are those of one."""
    given: list[Any] = []
    with anypair.using("reference"):
        whole = MADE[name](directed=True)

        def gathered(sources: Any, targets: Any, weights: Any, **options: Any) -> Matrix:
            given.append(np.stack([sources, targets]))
            return whole

        monkeypatch.setattr(Matrix, "from_edges", gathered)
        for rank in range(3):
            monkeypatch.setattr(type(whole.backend.processes), "rank", rank)
            monkeypatch.setattr(type(whole.backend.processes), "count", 3)
            MADE[name](directed=True)
        monkeypatch.undo()
        edges = np.concatenate(given, axis=1)
        assert min(len(part[0]) for part in given) > 0
        assert same(Matrix.from_edges(*edges, n=whole.nrows, self_loops=False), whole)


def test_seeds_make_a_difference() -> None:
    for name in ("kronecker", "uniform", "small world", "preferential attachment", "planted partition"):
        assert not same(MADE[name](seed=1), MADE[name](seed=2)), name


def test_plain_kinds() -> None:
    assert nx.is_isomorphic(as_networkx(g.grid(4, 7)), nx.grid_2d_graph(4, 7))
    assert as_networkx(g.path(9)).edges == nx.path_graph(9).edges
    assert as_networkx(g.star(9)).edges == nx.star_graph(8).edges
    ring = nx.watts_strogatz_graph(20, 4, 0)
    assert nx.is_isomorphic(as_networkx(g.small_world(20, 4, 0.0)), ring)
    sources, targets = kronecker_edges(5, 4)
    assert same(
        g.kronecker(5, 4), Matrix.from_edges(sources, targets, n=32, symmetric=True, self_loops=False)
    )


@pytest.mark.parametrize("make", [g.path, g.star, lambda n: g.grid(n, n), lambda n: g.uniform(n, 0)])
def test_the_smallest(make: Any) -> None:
    for n in (0, 1):
        assert (make(n).shape, make(n).nvals) == ((n, n), 0)


def test_small_worlds_are_rewired_here_and_there() -> None:
    ring, made = (as_networkx(g.small_world(2000, 10, chance)) for chance in (0.0, 0.3))
    kept = len(set(ring.edges) & set(made.edges)) / ring.number_of_edges()
    assert 0.67 < kept < 0.73


def test_the_first_come_have_most_edges() -> None:
    """Degrees fall off as a power, which a uniform graph's do not."""
    degrees = [d for _, d in as_networkx(g.preferential_attachment(3000, 4)).degree]
    assert np.mean(degrees[:30]) > 8 * np.mean(degrees[1500:])
    assert max(degrees) > 100
    assert 3 * 4 / 2 < np.mean(degrees) < 2 * 4


def test_communities_are_where_they_were_planted() -> None:
    graph = g.planted_partition(5, 40, 6, 1)
    planted = Vector.from_numpy(np.arange(200) // 40)
    assert modularity(graph, planted) > 0.6
    assert modularity(g.planted_partition(5, 40, 0, 7), planted) < -0.15


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: g.uniform(0, 5), "uniform: edges=5"),
        (lambda: g.uniform(-1, 5), "uniform: n=-1 is negative"),
        (lambda: g.small_world(5, 3), "neighbours=3 has to be even"),
        (lambda: g.small_world(5, 6), "neighbours=6 has to be even and less than n=5"),
        (lambda: g.small_world(9, 2, 1.5), "rewired=1.5 is not a chance"),
        (lambda: g.planted_partition(1, 5, 1, 1), "nowhere to go"),
        (lambda: g.kronecker(3, seed=-1), "seed=-1 is negative"),
        (lambda: g.path(True), "n=True is not a whole number"),
    ],
)
def test_bad_arguments(call: Callable[[], Matrix], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        call()


@pytest.mark.parametrize("scale", [63, 20_000])
def test_a_scale_beyond_all_indices_is_refused_by_its_name(scale: int) -> None:
    with pytest.raises(InvalidValue, match=f"kronecker: scale={scale} is too large; give at most 62"):
        g.kronecker(scale)


def test_a_misspelt_option_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="path: there is no argument 'weigths'"):
        g.path(3, weigths=True)  # type: ignore[call-arg]
