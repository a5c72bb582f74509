"""Vertices and edges that are chosen: independent sets, colours, matchings, forests, flows."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import networkx as nx

from anypair import Vector
from anypair.algorithms import (
    colouring,
    maximal_independent_set,
    maximal_matching,
    maximum_flow,
    minimum_spanning_forest,
)
from anypair.errors import InvalidValue
from tests.algorithms.row import Row

SEEDS = tuple(
    ({"seed": seed}, InvalidValue, f"seed={seed!r} has to be a whole number")
    for seed in (-1, 2**63, 1.5, True, None)
)


def draws(graph: Any, seed: int = 1, dtype: Any = int) -> dict[int, int]:
    drawn: dict[int, Any] = Vector.random(len(graph), seed, dtype, backend="reference").to_dict()
    return drawn


def neighbours(graph: Any, vertex: int) -> set[int]:
    return set(graph[vertex]) - {vertex}


def first_come(graph: Any) -> dict[int, bool]:
    """What one vertex after another takes, by falling draws."""
    chosen: dict[int, bool] = {}
    order = draws(graph)
    for vertex in sorted(graph, key=order.__getitem__, reverse=True):
        if not neighbours(graph, vertex) & chosen.keys():
            chosen[vertex] = True
    return chosen


def is_maximal_set(graph: Any, chosen: dict[int, bool]) -> None:
    assert all(chosen.values())
    for vertex in graph:
        met = neighbours(graph, vertex) & chosen.keys()
        assert not met if vertex in chosen else met, vertex


def greedy(graph: Any) -> dict[int, int]:
    """The first colour that is left, vertex by vertex, by falling degree and draw."""
    order = draws(graph, dtype="uint32")
    colours: dict[int, int] = {}
    for vertex in sorted(graph, key=lambda v: (len(graph[v]), order[v], v), reverse=True):
        met = {colours[other] for other in neighbours(graph, vertex) if other in colours}
        colours[vertex] = min(set(range(len(met) + 1)) - met)
    return colours


def is_colouring(graph: Any, colours: dict[int, int]) -> None:
    assert colours.keys() == set(graph)
    assert all(colours[u] != colours[v] for u, v in graph.edges if u != v)


def is_maximal_matching(graph: Any, mates: dict[int, int]) -> None:
    for vertex, mate in mates.items():
        assert vertex != mate
        assert graph.has_edge(vertex, mate)
        assert mates.get(mate) == vertex
    assert all(u in mates or v in mates for u, v in graph.edges if u != v)


def widowed(mates: dict[int, int]) -> dict[int, int]:
    """A matching still, but not a maximal one."""
    first = next(iter(mates))
    return {v: mate for v, mate in mates.items() if first not in (v, mate)}


def kruskal(graph: Any) -> dict[tuple[int, int], float]:
    """Edges by rising weight and then ends, each that joins two trees."""

    def edges() -> Iterator[tuple[float, int, int]]:
        yield from ((w, *sorted((u, v))) for u, v, w in graph.edges(data="weight") if u != v)

    trees, found = nx.utils.UnionFind(graph), {}
    for weight, u, v in sorted(edges()):
        if trees[u] != trees[v]:
            trees.union(u, v)
            found[u, v] = found[v, u] = weight
    return found


def is_a_forest(graph: Any, forest: dict[tuple[int, int], float]) -> None:
    assert sum(forest.values()) == 2 * nx.minimum_spanning_tree(graph).size("weight")
    kept = nx.Graph(list(forest))
    assert not kept or nx.is_forest(kept)


def across(graph: Any) -> dict[str, Any]:
    return {"source": 0, "target": len(graph) - 1}


def with_two_vertices(graph: Any) -> bool:
    return len(graph) > 1


def is_a_flow(graph: Any, answer: Any, source: int, target: int) -> None:
    value, flow = answer
    assert value == nx.maximum_flow_value(graph, source, target, capacity="weight")
    net = Counter({source: -value, target: value})
    for (u, v), amount in flow.items():
        assert 0 < amount <= graph.edges[u, v]["weight"] if graph.has_edge(u, v) else False
        net[u] += amount
        net[v] -= amount
    assert not any(net.values())


ROWS = [
    Row(
        maximal_independent_set, first_come, is_maximal_set,
        dtypes=("bool",), undirected=True, bad=SEEDS,
    ),
    Row(colouring, greedy, is_colouring, dtypes=("int64",), undirected=True, bad=SEEDS),
    Row(
        maximal_matching, verify=is_maximal_matching,
        dtypes=("int64",), undirected=True, spoilers=(widowed,), bad=SEEDS,
    ),
    Row(
        minimum_spanning_forest, kruskal, is_a_forest, dtypes=("float64",), undirected=True,
        weight="weight", refuses=("not finite",),
    ),
    Row(
        maximum_flow, verify=is_a_flow, arguments=across, suits=with_two_vertices, dtypes=("float64",),
        weight="weight", refuses=("negative", "not finite"),
        bad=(({"target": 0}, InvalidValue, "target=0 is the source"),),
    ),
]  # fmt: skip
