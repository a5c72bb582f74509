"""The same things said again as plainly as possible: one edge, one vertex at a time."""

import math
from typing import Any

import networkx as nx

A, B, C = 0.57, 0.19, 0.19
WORD = 2**64


def mixed(counter: int, seed: int, stream: int) -> int:
    key = seed * 0xD1B54A32D192ED03 + stream * 0x8CB92BA72F3D8DD7
    x = (counter + key) * 0x9E3779B97F4A7C15 % WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def scrambled(vertex: int, scale: int, seed: int, stream: int = 64) -> int:
    low_size, high_size = 2 ** (scale // 2), 2 ** (scale - scale // 2)
    high, low = divmod(vertex, low_size)
    for turn in range(4):
        low ^= mixed(high, seed, stream + 2 * turn) % low_size
        high ^= mixed(low, seed, stream + 2 * turn + 1) % high_size
    return high * low_size + low


def edge(number: int, scale: int, seed: int) -> tuple[int, int]:
    source = target = 0
    for level in range(scale):
        draw = (mixed(number, seed, level) >> 11) / 2**53
        quarter = sum(draw >= bound for bound in (A, A + B, A + B + C))
        source, target = 2 * source + quarter // 2, 2 * target + quarter % 2
    return scrambled(source, scale, seed), scrambled(target, scale, seed)


def weight(number: int, seed: int) -> float:
    return (mixed(number, seed, 128) >> 40) / 2**24


# Multigraphs are lists of (source, target, weight) on n vertices.

Edges = list[tuple[int, int, float]]


def graph_of(n: int, edges: Edges) -> Any:
    graph = nx.empty_graph(n, create_using=nx.MultiGraph)
    graph.add_weighted_edges_from(edges)
    return graph


def traversed_edges(n: int, edges: Edges, root: int) -> int:
    """Input edges, one by one, with both ends in the component of the root."""
    component = nx.node_connected_component(graph_of(n, edges), root)
    return sum(u in component and v in component for u, v, _ in edges)


def is_shortest_path_tree(
    n: int, edges: Edges, root: int, parents: list[int], distances: list[float]
) -> bool:
    """Right distances, and from every vertex a way over edges that make them up to the root."""
    right = nx.single_source_dijkstra_path_length(graph_of(n, edges), root)
    if distances != [right.get(v, -1) for v in range(n)]:
        return False
    if parents[root] != root or any((parents[v] == -1) != (v not in right) for v in range(n)):
        return False
    lengths: dict[tuple[int, int], float] = {}
    for u, v, w in edges:
        for ends in ((u, v), (v, u)):
            lengths[ends] = min(w, lengths.get(ends, math.inf))
    for v in right.keys() - {root}:
        if not 0 <= parents[v] < n:
            return False
        if (parents[v], v) not in lengths:
            return False
        if distances[parents[v]] + lengths[parents[v], v] != distances[v]:
            return False
    return all(_leads_to(root, v, parents) for v in right)


def _leads_to(root: int, v: int, parents: list[int]) -> bool:
    for _ in range(len(parents)):
        if v == root:
            return True
        v = parents[v]
    return v == root
