"""Paths along weighted edges."""

import math
from typing import Any

import networkx as nx

from anypair.algorithms import (
    all_pairs_distances,
    bellman_ford,
    delta_stepping,
    distance_between,
    most_reliable_paths,
    shortest_path_counts,
    widest_paths,
)
from tests.algorithms.graphs import with_vertices
from tests.algorithms.row import Row
from tests.algorithms.rows.searches import ends, middle


def distances(graph: Any, source: int, **options: Any) -> dict[int, float]:
    return dict(nx.single_source_bellman_ford_path_length(graph, source, weight="weight"))


def distances_of_all(graph: Any) -> dict[tuple[int, int], float]:
    found = dict(nx.all_pairs_dijkstra_path_length(graph))
    return {(u, v): length for u in found for v, length in found[u].items()}


def distance(graph: Any, source: int, target: int) -> float | None:
    return distances(graph, source).get(target)


def widths(graph: Any, source: int) -> dict[int, float]:
    """By taking edges from the widest on: two vertices are as wide apart as the edge that joins them."""
    found = {source: math.inf}
    for width in sorted({data["weight"] for _, _, data in graph.edges(data=True)}, reverse=True):
        wide = nx.subgraph_view(graph, filter_edge=lambda u, v, w=width: graph[u][v]["weight"] >= w)
        for vertex in nx.single_source_shortest_path_length(wide, source):
            found.setdefault(vertex, width)
    return found


def chances(graph: Any, source: int) -> dict[int, float]:
    """A product is a sum of logarithms."""
    lengths = nx.single_source_dijkstra_path_length(
        graph, source, weight=lambda u, v, data: -math.log(data["chance"])
    )
    return {vertex: math.exp(-length) for vertex, length in lengths.items()}


def counts(graph: Any, source: int) -> tuple[dict[int, float], dict[int, float]]:
    """By listing the paths."""
    lengths = distances(graph, source)
    return lengths, {
        v: float(sum(1 for _ in nx.all_shortest_paths(graph, source, v, weight="weight")))
        for v in lengths
    }


PATHS = {"arguments": middle, "suits": with_vertices, "dtypes": ("float64",)}

ROWS = [
    Row(bellman_ford, distances, weight="weight", refuses=("not finite",), **PATHS),
    Row(
        delta_stepping, distances, weight="weight", refuses=("negative", "not finite"),
        **PATHS | {"arguments": lambda graph: middle(graph) | {"delta": 1.5}},
    ),
    Row(widest_paths, widths, weight="weight", refuses=("not finite",), **PATHS),
    Row(
        most_reliable_paths, chances, weight="chance", rounding=1e-12,
        refuses=("negative", "not finite", "above 1"), **PATHS,
    ),
    Row(
        shortest_path_counts, counts, weight="weight", refuses=("negative", "not finite", "zero"),
        **PATHS | {"dtypes": ("float64", "float64")},
    ),
    Row(
        all_pairs_distances, distances_of_all, weight="weight", dtypes=("float64",),
        refuses=("not finite",),
    ),
    Row(
        distance_between, distance, weight="weight", arguments=ends, suits=with_vertices,
        refuses=("negative", "not finite"),
    ),
]  # fmt: skip
