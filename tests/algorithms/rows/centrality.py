"""How central vertices are."""

from typing import Any

import networkx as nx
import numpy as np

from anypair import Vector
from anypair.algorithms import (
    betweenness,
    closeness_centrality,
    eigenvector_centrality,
    harmonic_centrality,
    hits,
    katz_centrality,
    pagerank,
)
from anypair.errors import InvalidArgument, InvalidValue, NotConverged, SizeMismatch
from tests.algorithms.row import Row
from tests.algorithms.rows.searches import several


def closely(graph: Any) -> dict[str, Any]:
    """Iterations go on until little is left to say, which comes soon."""
    return {"damping": 0.5, "tolerance": 1e-11}


def in_person(graph: Any) -> dict[str, Any]:
    """Half of the vertices are gone back to, the last one most."""
    weights = dict.fromkeys(range(0, len(graph), 2), 1.0) | ({len(graph) - 1: 3.0} if len(graph) else {})
    vector = Vector.from_entries(list(weights), list(weights.values()), len(graph))
    return closely(graph) | {"personalization": vector}


def ranks(graph: Any, damping: float, tolerance: float, **options: Any) -> dict[int, float]:
    if "personalization" in options:
        options = {"personalization": options["personalization"].to_dict()}
    return dict(nx.pagerank(graph, damping, tol=tolerance, **options)) if len(graph) else {}


def shares_of_paths(graph: Any, **options: Any) -> dict[int, float]:
    """Of an undirected graph each pair counts both ways."""
    ways = 1 if graph.is_directed() else 2
    found = nx.betweenness_centrality(graph, normalized=False)
    return {vertex: ways * share for vertex, share in found.items() if share}


def normalised_shares(graph: Any, **options: Any) -> dict[int, float]:
    return {v: share for v, share in nx.betweenness_centrality(graph).items() if share}


def adjacency(graph: Any, weight: str | None = None) -> Any:
    n = len(graph)
    return nx.to_numpy_array(graph, range(n), weight=weight) if n else np.zeros((0, 0))


def best_vectors(graph: Any, **options: Any) -> tuple[dict[int, float], dict[int, float]]:
    """Of all singular vectors for the greatest value, the part that equal values have of them."""
    A, n = adjacency(graph, "weight"), len(graph)
    if not A.any():
        return (dict.fromkeys(range(n), 0.0),) * 2
    hubs = _part(A @ A.T, np.ones(n))
    authorities = A.T @ hubs
    return tuple(dict(enumerate((x / x.sum()).tolist())) for x in (hubs, authorities))  # type: ignore[return-value]


def settles(graph: Any) -> bool:
    """Where iterations come to an end soon: what is not the greatest value is clearly less."""
    A = adjacency(graph, "weight")
    values = np.linalg.eigvalsh(A @ A.T)
    return bool((values[values < values[-1:] * (1 - 1e-9)] < 0.95 * values[-1:]).all())


def _part(A: Any, x: Any) -> Any:
    values, vectors = np.linalg.eigh(A)
    best = vectors[:, values > values[-1] * (1 - 1e-9)]
    return best @ (best.T @ x)


def walks(graph: Any, alpha: float, beta: float, tolerance: float) -> dict[int, float]:
    """By solving the equations."""
    A = adjacency(graph)
    x = np.linalg.solve(np.eye(len(A)) - alpha * A.T, np.full(len(A), beta))
    return dict(enumerate((x / np.linalg.norm(x)).tolist())) if len(A) else {}


def converges(graph: Any) -> bool:
    """Where the greatest eigenvalue is that of as many eigenvectors as it is multiple."""
    return not graph.is_directed() or (len(graph) > 0 and nx.is_strongly_connected(graph))


def powers(graph: Any, **options: Any) -> dict[int, float]:
    """What is left of equal values when they have been multiplied often enough."""
    A = adjacency(graph) + np.eye(len(graph))
    x = np.ones(len(A))
    for _ in range(60):
        A = A @ A / np.abs(A).max(initial=1)
    x = A.T @ x
    return dict(enumerate((x / np.linalg.norm(x)).tolist())) if len(A) else {}


def closeness(graph: Any, sources: list[int] | None = None, **options: Any) -> dict[int, float]:
    chosen = list(graph) if sources is None else set(sources)
    return {v: float(nx.closeness_centrality(graph, v)) for v in chosen}


def harmonic(graph: Any, sources: list[int] | None = None, **options: Any) -> dict[int, float]:
    chosen = list(graph) if sources is None else set(sources)
    return {v: float(value) for v, value in nx.harmonic_centrality(graph, chosen).items()}


def of_some(graph: Any) -> dict[str, Any]:
    return several(graph) | {"batch_size": 2}


ITERATION = (
    *(({"limit": limit}, InvalidValue, f"limit={limit!r} has to be a whole number") for limit in (2.5, None, -1)),
    *(({"tolerance": x}, InvalidValue, f"tolerance={x!r} has to be a number") for x in ("1", -1.0, None)),
    ({"limit": 1}, NotConverged, "no convergence"),
)  # fmt: skip
BATCH = ({"batch_size": 2.5}, InvalidValue, "batch_size=2.5")

ROWS = [
    Row(
        pagerank, ranks, arguments=closely, dtypes=("float64",),
        weight="weight", rounding=1e-8, refuses=("negative", "not finite"),
        bad=(
            *ITERATION, ({"damping": 1.5}, InvalidValue, "damping=1.5"),
            ({"iterations": 2.5}, InvalidValue, "iterations=2.5 has to be a whole number"),
        ),
    ),
    Row(
        pagerank, ranks, arguments=in_person, dtypes=("float64",), variant="personalised",
        weight="weight", rounding=1e-8,
        bad=(
            ({"personalization": {0: 1}}, InvalidArgument, "has to be a Vector, not {0: 1}"),
            ({"personalization": Vector.full(2, 1.0, backend="scipy")}, SizeMismatch, "of size 2"),
            ({"personalization": Vector.full(3, 0.0, backend="scipy")}, InvalidValue, "its sum is 0.0"),
            ({"personalization": Vector.full(3, -1.0, backend="scipy")}, InvalidValue, "0 or more"),
            ({"personalization": Vector.full(3, np.nan, backend="scipy")}, InvalidValue, "0 or more"),
        ),
    ),
    Row(betweenness, shares_of_paths, dtypes=("float64",), rounding=1e-9),
    Row(
        betweenness, normalised_shares, dtypes=("float64",), rounding=1e-9, variant="normalised",
        arguments=lambda graph: {"normalized": True},
    ),
    Row(
        betweenness, shares_of_paths, dtypes=("float64",), rounding=1e-9, variant="of all as a sample",
        arguments=lambda graph: {"samples": max(len(graph), 1)},
        bad=(
            ({"samples": 2.5}, InvalidValue, "samples=2.5"), ({"samples": 4}, InvalidValue, "samples=4"),
            ({"sources": [1]}, InvalidArgument, "not both"), ({"seed": -1}, InvalidValue, "seed=-1"),
            ({"seed": "1"}, InvalidValue, "seed='1'"),
        ),
    ),
    Row(
        hits, best_vectors, dtypes=("float64", "float64"), weight="weight", rounding=1e-5, suits=settles,
        arguments=lambda graph: {"tolerance": 1e-10, "limit": 3000},
        refuses=("negative", "not finite"), bad=ITERATION,
    ),
    Row(
        katz_centrality, walks, dtypes=("float64",), rounding=1e-8,
        arguments=lambda graph: {"alpha": 0.06, "beta": 2.0, "tolerance": 1e-12},
        refuses=("not finite",),
        bad=(
            *ITERATION[:-1], ({"alpha": 5.0}, NotConverged, "alpha=5.0 may have to be smaller"),
            ({"alpha": float("nan")}, InvalidValue, "alpha=nan"), ({"beta": "1"}, InvalidValue, "beta='1'"),
        ),
    ),
    Row(
        eigenvector_centrality, powers, dtypes=("float64",), rounding=1e-5, suits=converges,
        arguments=lambda graph: {"tolerance": 1e-9, "limit": 3000},
        refuses=("negative", "not finite"), bad=ITERATION,
    ),
    Row(closeness_centrality, closeness, dtypes=("float64",), rounding=1e-12, bad=(BATCH,)),
    Row(
        closeness_centrality, closeness, dtypes=("float64",), rounding=1e-12, variant="of some",
        arguments=of_some,
    ),
    Row(harmonic_centrality, harmonic, dtypes=("float64",), rounding=1e-12, bad=(BATCH,)),
    Row(
        harmonic_centrality, harmonic, dtypes=("float64",), rounding=1e-12, variant="of some",
        arguments=of_some,
    ),
]  # fmt: skip
