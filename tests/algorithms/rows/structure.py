"""How graphs hang together."""

from typing import Any

import networkx as nx

from anypair.algorithms import (
    average_clustering,
    bipartition,
    connected_components,
    core_numbers,
    diameter_bounds,
    directed_cycle,
    k_truss,
    local_clustering,
    square_clustering,
    strongly_connected_components,
    topological_levels,
    transitivity,
    triangle_count,
    triangles_per_vertex,
)
from anypair.errors import InvalidValue
from tests.algorithms.row import Row


def _named_by_smallest(sets: Any) -> dict[int, int]:
    return {vertex: min(found) for found in map(set, sets) for vertex in found}


def weak_components(graph: Any) -> dict[int, int]:
    return _named_by_smallest(
        (nx.weakly_connected_components if graph.is_directed() else nx.connected_components)(graph)
    )


def strong_components(graph: Any) -> dict[int, int]:
    return _named_by_smallest(nx.strongly_connected_components(nx.DiGraph(graph)))


def is_bipartition(graph: Any, answer: tuple[dict[int, int], list[int]]) -> None:
    """Either two colours, or a cycle of odd length."""
    colours, cycle = answer
    if nx.is_bipartite(graph):
        assert not cycle
        assert colours.keys() == set(graph)
        assert set(colours.values()) <= {0, 1}
        assert all(colours[u] != colours[v] for u, v in graph.edges)
        assert all(colours[min(found)] == 0 for found in nx.connected_components(graph))
    else:
        assert not colours
        assert len(cycle) % 2 == 1
        is_cycle(graph, cycle)


def is_cycle(graph: Any, cycle: list[int]) -> None:
    assert len(set(cycle)) == len(cycle)
    assert all(graph.has_edge(*edge) for edge in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True))


def is_a_cycle_if_there_is_one(graph: Any, cycle: list[int]) -> None:
    """From its smallest vertex on."""
    directed = nx.DiGraph(graph)
    is_cycle(directed, cycle)
    assert bool(cycle) != nx.is_directed_acyclic_graph(directed)
    assert cycle[:1] == sorted(cycle)[:1]


def generations(graph: Any) -> dict[int, int]:
    layers = nx.topological_generations(graph)
    return {vertex: level for level, layer in enumerate(layers) for vertex in layer}


def simple(graph: Any) -> Any:
    """Without loops."""
    copy = nx.Graph(graph)
    copy.remove_edges_from(list(nx.selfloop_edges(copy)))
    return copy


def truss(graph: Any, k: int) -> dict[tuple[int, int], int]:
    """Edges both ways, each with the triangles it is in."""
    left = nx.k_truss(simple(graph), k)
    common = {(u, v): len(set(left[u]) & set(left[v])) for u, v in left.edges}
    return common | {(v, u): count for (u, v), count in common.items()}


def as_floats(values: dict[int, float]) -> dict[int, float]:
    return {vertex: float(value) for vertex, value in values.items()}


def square_shares(graph: Any, batch_size: int) -> dict[int, float]:
    return as_floats(nx.square_clustering(simple(graph)))


def share_of_triangles(graph: Any) -> dict[int, float]:
    return as_floats(nx.clustering(simple(graph)))


def mean_share(graph: Any) -> float:
    return float(nx.average_clustering(simple(graph))) if len(graph) else 0.0


def bound_the_diameter(graph: Any, bounds: tuple[int, int], sweeps: int) -> None:
    """The longest of the distances that there are; after as many searches as vertices it is found."""
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    diameter = max((max(found.values()) for found in lengths.values()), default=0)
    lower, upper = bounds
    assert lower <= diameter <= upper
    assert type(lower) is type(upper) is int
    if sweeps >= len(graph):
        assert lower == upper


def count_of_triangles(graph: Any) -> int:
    return int(sum(nx.triangles(graph).values()) // 3)


def corners(graph: Any) -> dict[int, int]:
    return {v: count for v, count in nx.triangles(graph).items() if count}


ROWS = [
    Row(connected_components, weak_components, dtypes=("int64",)),
    Row(
        strongly_connected_components, strong_components, dtypes=("int64",), spoiled="cycles in a row",
    ),
    Row(bipartition, verify=is_bipartition, dtypes=("int64",), undirected=True, spoiled="grid"),
    Row(
        bipartition, verify=is_bipartition, dtypes=("int64",), undirected=True, spoiled="odd cycle",
        variant="refuted", spoilers=(lambda answer: (dict.fromkeys(range(9), 0), []),),
    ),
    Row(
        topological_levels, generations, dtypes=("int64",), acyclic=True, spoiled="acyclic",
    ),
    Row(
        directed_cycle, verify=is_a_cycle_if_there_is_one, spoiled="cycles in a row",
        spoilers=(lambda cycle: [], lambda cycle: [*cycle[1:], cycle[0]], lambda cycle: cycle[::-1]),
    ),
    Row(core_numbers, lambda graph: dict(nx.core_number(simple(graph))), dtypes=("int64",), undirected=True),
    Row(
        k_truss, truss, dtypes=("int64",), undirected=True, arguments=lambda graph: {"k": 3},
        bad=(({"k": 2}, InvalidValue, "k=2"), ({"k": None}, InvalidValue, "k=None")),
    ),
    Row(
        k_truss, truss, dtypes=("int64",), undirected=True, arguments=lambda graph: {"k": 4},
        variant="of two triangles",
    ),
    Row(triangle_count, count_of_triangles, undirected=True),
    Row(triangles_per_vertex, corners, dtypes=("int64",), undirected=True),
    Row(local_clustering, share_of_triangles, dtypes=("float64",), undirected=True, rounding=1e-12),
    Row(average_clustering, mean_share, undirected=True, rounding=1e-12),
    Row(
        square_clustering, square_shares, dtypes=("float64",), undirected=True, rounding=1e-12,
        arguments=lambda graph: {"batch_size": 8}, spoiled="grid",
        bad=(({"batch_size": 0}, InvalidValue, "batch_size=0"),),
    ),
    Row(
        transitivity, lambda graph: float(nx.transitivity(simple(graph))), undirected=True, rounding=1e-12,
    ),
    Row(
        diameter_bounds, verify=bound_the_diameter, undirected=True,
        arguments=lambda graph: {"sweeps": 3 if len(graph) > 12 else 13}, spoiled="cycle",
        bad=(({"sweeps": -1}, InvalidValue, "sweeps=-1"),),
    ),
]  # fmt: skip
