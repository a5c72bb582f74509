"""How alike vertices are, and what they hear of each other."""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np

from anypair import Matrix, Vector
from anypair.algorithms import (
    cosine_similarity,
    graph_convolution,
    jaccard_similarity,
    neighbourhood_sample,
    random_walks,
)
from anypair.errors import InvalidArgument, InvalidValue, SizeMismatch
from tests.algorithms.row import Row
from tests.algorithms.rows.selection import SEEDS

Pairs = dict[tuple[int, int], float]


def dense(graph: Any) -> Any:
    return nx.to_numpy_array(graph, range(len(graph)), weight="weight")


def all_pairs(graph: Any) -> dict[str, Any]:
    return {"pairs": Matrix.full((len(graph), len(graph)), True)}


def of_sets(graph: Any, pairs: Any = None) -> Pairs:
    asked = graph.to_directed().edges if pairs is None else pairs_of(pairs)
    sets = {v: set(graph[v]) for v in graph}
    found = {(u, v): len(sets[u] & sets[v]) / max(1, len(sets[u] | sets[v])) for u, v in asked}
    return {pair: share for pair, share in found.items() if share}


def of_angles(graph: Any, pairs: Any = None) -> Pairs:
    asked = graph.to_directed().edges if pairs is None else pairs_of(pairs)
    rows = dense(graph)
    lengths = np.sqrt((rows**2).sum(axis=1))
    found = {(u, v): float(rows[u] @ rows[v]) for u, v in asked}
    return {(u, v): x / float(lengths[u] * lengths[v]) for (u, v), x in found.items() if x}


def pairs_of(pairs: Matrix) -> list[tuple[int, int]]:
    rows, columns, _ = pairs.to_entries()
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def numbers(shape: tuple[int, int], step: int) -> Any:
    return (np.arange(shape[0] * shape[1]).reshape(shape) * step % 7 - 2.5) / 4


def narrow(graph: Any) -> dict[str, Any]:
    n = len(graph)
    return {
        "features": Matrix.from_numpy(numbers((n, 4), 3)),
        "weights": Matrix.from_numpy(numbers((4, 2), 5)),
    }


def wide(graph: Any) -> dict[str, Any]:
    n = len(graph)
    return {
        "features": Matrix.from_numpy(numbers((n, 2), 3)),
        "weights": Matrix.from_numpy(numbers((2, 3), 5)),
    }


def layer(graph: Any, features: Any, weights: Any) -> Pairs:
    heard = dense(graph) + np.eye(len(graph))
    roots = np.diag(heard.sum(axis=1) ** -0.5)
    made = roots @ heard @ roots @ features.to_numpy(0) @ weights.to_numpy(0)
    return {(i, j): float(made[i, j]) for i, j in np.ndindex(*made.shape)}


def walkers(graph: Any) -> dict[str, Any]:
    return {"sources": [v for v in graph for _ in range(2)], "length": 4}


def strolls(graph: Any, sources: list[int], length: int) -> dict[tuple[int, int], int]:
    """The same draws, each for a place in the sorted list of neighbours."""
    found = {}
    for walk, vertex in enumerate(sources):
        found[walk, 0] = vertex
        for step in range(length):
            targets = sorted(graph[vertex])
            if not targets:
                break
            drawn = Vector.random(len(sources), 1 + step, backend="reference")[walk]
            vertex = found[walk, step + 1] = targets[int(drawn * len(targets))]
    return found


def a_few(graph: Any) -> dict[str, Any]:
    return {"sources": [v for v in (0, len(graph) // 2) if v < len(graph)], "sizes": (2, 3)}


def are_layers(graph: Any, layers: Any, sources: list[int], sizes: tuple[int, ...]) -> None:
    reached = set(sources)
    for layer, size in zip(layers, sizes, strict=True):
        for u, v in layer:
            assert u in reached
            assert layer[u, v] == graph.edges[u, v]["weight"]
        chosen = Counter(u for u, _ in layer)
        assert all(chosen[u] == min(size, len(graph[u])) for u in reached)
        reached = {v for _, v in layer}


PAIRS = (
    ({"pairs": 7}, InvalidArgument, "pairs has to be a Matrix, not 7"),
    ({"pairs": Matrix.empty((2, 3), backend="reference")}, SizeMismatch, "pairs are 2x3"),
)

ROWS = [
    Row(jaccard_similarity, of_sets, dtypes=("float64",), rounding=1e-15, bad=PAIRS),
    Row(
        jaccard_similarity, of_sets, arguments=all_pairs, variant="of all pairs",
        dtypes=("float64",), rounding=1e-15,
    ),
    Row(
        cosine_similarity, of_angles, dtypes=("float64",), rounding=1e-12,
        weight="weight", refuses=("not finite",), bad=PAIRS,
    ),
    Row(
        cosine_similarity, of_angles, arguments=all_pairs, variant="of all pairs",
        dtypes=("float64",), rounding=1e-12, weight="weight",
    ),
    Row(random_walks, strolls, arguments=walkers, dtypes=("int64",), bad=SEEDS),
    Row(
        neighbourhood_sample, verify=are_layers, arguments=a_few, dtypes=("float64", "float64"),
        weight="weight", bad=(*SEEDS, ({"sizes": 3}, InvalidValue, "sizes=3 is not a list of numbers")),
    ),
    Row(
        graph_convolution, layer, arguments=narrow, dtypes=("float64",), rounding=1e-12,
        undirected=True, weight="weight", refuses=("negative", "not finite"),
        bad=(
            ({"features": None}, InvalidArgument, "features has to be a Matrix, not None"),
            ({"weights": [[1]]}, InvalidArgument, "weights has to be a Matrix, not [[1]]"),
        ),
    ),
    Row(
        graph_convolution, layer, arguments=wide, variant="to more features",
        dtypes=("float64",), rounding=1e-12, undirected=True, weight="weight",
    ),
]  # fmt: skip
