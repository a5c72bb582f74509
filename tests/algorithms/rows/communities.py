"""Communities, and how good they are."""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np

from anypair import Vector
from anypair.algorithms import label_propagation, louvain, markov_clustering, modularity, peer_pressure
from anypair.algorithms.louvain import ENOUGH, FEW, SWEEPS
from anypair.errors import (
    InvalidArgument,
    InvalidValue,
    NotConverged,
)
from tests.algorithms.graphs import with_vertices
from tests.algorithms.row import Row
from tests.algorithms.rows.selection import SEEDS

LIMITS = tuple(
    ({"limit": limit}, InvalidValue, f"limit={limit!r} has to be a whole number")
    for limit in (0, 2.0, True, None)
)


def few_rounds(graph: Any) -> dict[str, Any]:
    return {"limit": 6}


def most_wanted(votes: Counter[int]) -> int:
    return min(votes, key=lambda label: (-votes[label], label))


def labels(graph: Any, limit: int) -> dict[int, int]:
    found = {v: v for v in graph}
    for _ in range(limit):
        found = {
            v: most_wanted(Counter(found[u] for u in graph[v])) if graph[v] else found[v] for v in graph
        }
    return found


def pressed(graph: Any, limit: int) -> dict[int, int]:
    directed, found = graph.to_directed(), {v: v for v in graph}
    for _ in range(limit):
        votes: dict[int, Counter[int]] = {v: Counter() for v in graph}
        for u, v in directed.edges:
            votes[v][found[u]] += 5354228880 // directed.out_degree(u)
        found = {v: most_wanted(votes[v]) if votes[v] else found[v] for v in graph}
    return found


def clusters(graph: Any) -> dict[int, int]:
    """The same walks on a dense matrix."""
    walks = nx.to_numpy_array(graph, range(len(graph)), weight="weight")
    loops = np.where((walks > 0).any(axis=1), walks.max(axis=1, initial=0), 1)
    walks = np.maximum(walks, np.diag(loops))
    walks /= walks.sum(axis=0)
    for _ in range(100):
        before, walks = walks, (walks @ walks) ** 2.0
        walks /= walks.sum(axis=0)
        walks[walks < 1e-4] = 0
        walks /= walks.sum(axis=0)
        if abs(walks - before).max() < 1e-9:
            break
    found = nx.connected_components(nx.from_numpy_array((walks + walks.T > 0).astype(int)))
    return {vertex: min(cluster) for cluster in found for vertex in cluster}


def moved(weights: Any, seed: int) -> Any:
    """Where half of the vertices at a time go, until few do, on a dense matrix."""
    n, chance = len(weights), 1 / weights.sum()
    strengths, edges = weights.sum(axis=1), weights - np.diag(np.diag(weights))
    labels, calm = np.arange(n), 0
    inverses = np.divide(1, strengths, out=np.zeros(n), where=strengths > 0)
    for turn in range(SWEEPS):
        votes = edges @ (labels[:, None] == np.arange(n))
        mine, heavy = votes[np.arange(n), labels], chance * np.bincount(labels, strengths, minlength=n)
        gains = np.where(votes > 0, votes * inverses[:, None] - heavy, -np.inf)
        gaining = gains.max(axis=1) > mine * inverses - (heavy[labels] - chance * strengths)
        coins = Vector.random(n, seed + turn, bool, backend="reference").to_numpy(False)
        moving = gaining & coins
        labels = np.where(moving, gains.argmax(axis=1), labels)
        calm = calm + 1 if moving.sum() <= np.count_nonzero(strengths) // FEW else 0
        if calm == 2:
            break
    return labels


def height(weights: Any) -> float:
    shares = weights.sum(axis=1) / weights.sum()
    return float(np.trace(weights) / weights.sum() - (shares**2).sum())


def best_communities(graph: Any) -> dict[int, int]:
    n = len(graph)
    weights = nx.to_numpy_array(graph, range(n), weight="steps")
    found = np.arange(n)
    while weights.any():
        labels = moved(weights, 1)
        members = (labels[:, None] == np.arange(n)).astype(float)
        coarser = members.T @ weights @ members
        if height(coarser) <= height(weights) + ENOUGH:
            break
        found, weights = labels[found], coarser
    return {v: min(u for u in graph if found[u] == found[v]) for v in graph}


def is_good(graph: Any, communities: dict[int, int]) -> None:
    """Nearly as good as NetworkX's."""
    assert communities.keys() == set(graph)
    if not graph.number_of_edges():
        return
    sets = [{v for v in graph if communities.get(v) == name} for name in set(communities.values())]
    theirs = nx.community.louvain_communities(graph, weight="steps", seed=1)
    ours, best = (nx.community.modularity(graph, x, weight="steps") for x in (sets, theirs))
    assert ours > best - 0.1


def by_thirds(graph: Any) -> dict[str, Any]:
    communities = np.arange(len(graph)) * 3 // max(len(graph), 1)
    return {"communities": Vector.from_numpy(communities.astype(int)), "resolution": 0.75}


def share_above_chance(graph: Any, communities: Vector, resolution: float) -> float:
    sets: dict[int, set[int]] = {}
    for vertex, name in communities.to_dict().items():
        sets.setdefault(int(name), set()).add(vertex)
    if not graph.number_of_edges():
        return 0.0
    directed = graph.to_directed()
    return float(
        nx.community.modularity(directed, sets.values(), weight="weight", resolution=resolution)
    )


ROWS = [
    Row(
        label_propagation, labels, arguments=few_rounds, dtypes=("int64",), undirected=True, bad=LIMITS
    ),
    Row(peer_pressure, pressed, arguments=few_rounds, dtypes=("int64",), bad=LIMITS),
    Row(
        louvain, best_communities, is_good, dtypes=("int64",), undirected=True, weight="steps",
        refuses=("negative", "not finite"), bad=(({"resolution": -1}, InvalidValue, "resolution=-1"), *SEEDS),
    ),
    Row(
        markov_clustering, clusters, dtypes=("int64",), undirected=True, suits=with_vertices,
        weight="weight", refuses=("negative", "not finite"),
        bad=(
            *LIMITS,
            ({"inflation": 0.5}, InvalidValue, "inflation=0.5"),
            ({"smallest": -1}, InvalidValue, "smallest=-1"),
            ({"limit": 1}, NotConverged, "after 1 rounds"),
        ),
    ),
    Row(
        modularity, share_above_chance, arguments=by_thirds,
        weight="weight", rounding=1e-12, refuses=("negative", "not finite"),
        bad=(
            ({"resolution": -1}, InvalidValue, "resolution=-1"),
            ({"resolution": float("inf")}, InvalidValue, "resolution=inf"),
            ({"communities": [0, 0, 0]}, InvalidArgument, "communities=[0, 0, 0] is not a Vector"),
        ),
    ),
]  # fmt: skip
