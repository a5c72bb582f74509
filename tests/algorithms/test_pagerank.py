"""PageRank against NetworkX, both iterated until far below the tolerance of the comparison."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import anypair
from anypair import Matrix, Vector
from anypair.algorithms import pagerank
from anypair.errors import InvalidValue, NotConverged
from tests.algorithms.verifiers import (
    no_vertices,
    on_bad_graphs,
    on_named_graphs,
    on_spoiled_answers,
    refused,
    weighted,
)
from tests.support.graphs import NAMED, random_graphs, to_matrix

CLOSE = 1e-6
TIGHT = {"tolerance": 1e-10, "limit": 200}
on_weights = pytest.mark.parametrize("weight", [None, "steps", "weight"])


def check_ranks(graph: Any, weight: str | None, found: Vector, damping: float = 0.85) -> None:
    """A rank for every vertex, close to that of NetworkX, and 1 in sum."""
    tight = {"tol": TIGHT["tolerance"], "max_iter": TIGHT["limit"]}
    expected = nx.pagerank(graph, alpha=damping, weight=weight, **tight)
    assert isinstance(found, Vector), f"{found!r} is no Vector"
    assert found.size == len(graph), f"size {found.size}, not {len(graph)}"
    assert found.dtype == "float64", f"dtype {found.dtype}"
    ranks = found.to_dict()
    assert sorted(ranks) == sorted(expected)
    # "not <=" instead of ">": NaN is wrong
    wrong = {v: (ranks[v], expected[v]) for v in ranks if not abs(ranks[v] - expected[v]) <= CLOSE}
    assert not wrong, f"(found, expected) at {wrong}"
    assert math.isclose(sum(ranks.values()), 1, rel_tol=1e-9), f"sum {sum(ranks.values())}"


@pytest.mark.parametrize("weight", [None, "weight"])
@on_named_graphs
def test_named_graphs(backend: str, graph: Any, weight: str | None) -> None:
    graph = weighted(graph, lambda u, v: 1 + (3 * u + 5 * v) % 13)
    check_ranks(graph, weight, pagerank(to_matrix(graph, weight), **TIGHT))


@on_weights
@given(graph=random_graphs())
def test_random_graphs(backend: str, graph: Any, weight: str | None) -> None:
    """Weights from 1 up; those without are vertices that dangle."""
    graph = weighted(graph, lambda u, v: 1 + graph[u][v]["steps"])
    check_ranks(graph, weight, pagerank(to_matrix(graph, weight), **TIGHT))


@pytest.mark.parametrize("weight", ["steps", "weight"])
@given(graph=random_graphs())
def test_random_graphs_with_weights_of_zero(backend: str, graph: Any, weight: str) -> None:
    graph = weighted(graph, lambda u, v: graph[u][v]["steps"] % 3)
    check_ranks(graph, weight, pagerank(to_matrix(graph, weight), **TIGHT))


@pytest.mark.parametrize("dtype", [bool, "int64", "float64"])
def test_a_vertex_dangles_if_its_edges_weigh_nothing(backend: str, dtype: Any) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0), (1, 2, 1), (2, 0, 1)])
    check_ranks(graph, "weight", pagerank(to_matrix(graph, "weight", dtype), **TIGHT))


def test_weights_of_zero_beside_others(backend: str) -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 0), (0, 2, 3), (1, 2, 1), (2, 0, 1), (2, 1, 0)])
    check_ranks(graph, "weight", pagerank(to_matrix(graph, "weight"), **TIGHT))


@pytest.mark.parametrize(
    ("dtype", "each"),
    [("int8", 10), ("uint64", 10), ("float32", 10), ("int8", 100)],
)
def test_narrow_weights(backend: str, dtype: str, each: int) -> None:
    """Two edges of one vertex whose weights, in sum, may not fit into their dtype."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, each), (0, 2, each), (2, 3, each)])
    check_ranks(graph, "weight", pagerank(to_matrix(graph, "weight", dtype), **TIGHT))


@pytest.mark.parametrize(
    ("dtype", "weight"),
    [
        ("float32", 1e-45), ("float32", 1e-40), ("float32", 1e38),
        ("float64", 1e-300), ("float64", 1e-60), ("float64", 1e-20), ("float64", 1e38), ("float64", 1e100),
    ],
)  # fmt: skip
def test_narrow_ranks(backend: str, dtype: str, weight: float) -> None:
    """Whose dtype does not hold the weights, or not their sum, or not one over it."""
    graph = Matrix.from_edges([0, 0, 1, 2], [1, 2, 2, 0], np.array([weight, 3 * weight, 1, 1], dtype))
    shares = graph.to_numpy(missing=0).astype(float)
    expected = np.full(3, 1 / 3)
    for _ in range(7):
        expected = 0.15 / 3 + 0.85 * (expected @ (shares / shares.sum(axis=1, keepdims=True)))
    found = pagerank(graph, iterations=7, dtype="float32")
    assert found.to_numpy(missing=0) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("damping", [0, 0.0, 0.3, 0.99, 1])
@pytest.mark.parametrize("name", ["complete with loops", "karate club"])
def test_damping(backend: str, name: str, damping: float) -> None:
    graph = NAMED[name]
    check_ranks(graph, None, pagerank(to_matrix(graph), damping, **TIGHT), damping)


def test_vertices_that_all_dangle_are_equal(backend: str) -> None:
    ranks = pagerank(to_matrix(NAMED["no edges"])).to_dict()
    assert ranks == pytest.approx(dict.fromkeys(range(5), 0.2))


def test_no_vertices(backend: str) -> None:
    found = pagerank(no_vertices())
    assert (found.size, found.nvals) == (0, 0)


@pytest.mark.parametrize("name", ["karate club", "random directed", "no edges"])
def test_an_iteration_passes_over_vectors_twice(name: str) -> None:
    """Beside the product; and it makes two vectors: what arrives, and of that what is sent on."""
    graph = to_matrix(NAMED[name]).to("jit")
    lengths = []
    for iterations in (3, 5):
        with anypair.trace() as trace:
            pagerank(graph, iterations=iterations)
        lengths.append(len(trace.records))
    *_, product, first, second, _, last = trace.records
    assert product.operation == "vxm"
    assert last.operator.startswith("plus(times(")
    assert (first.operation, second.operation) == ("expression", "expression")
    assert [x.nvals_out for x in (first, second)] == [1, graph.nrows]
    assert lengths[1] - lengths[0] == 2 * 3


@pytest.mark.parametrize("iterations", [0, 1, 7])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_number_of_iterations(backend: str, iterations: int, dtype: str) -> None:
    """Vertices that dangle hand their rank to all, whether or not something arrives at them."""
    graph = nx.DiGraph([(0, 1), (0, 2), (1, 2), (2, 0), (4, 3), (4, 0), (0, 5)])
    expected = np.full(6, 1 / 6)
    shares = nx.to_numpy_array(graph, nodelist=range(6))
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1)
    for _ in range(iterations):
        expected = (1 - 0.85 + 0.85 * expected[[3, 5]].sum()) / 6 + 0.85 * (expected @ shares)
    found = pagerank(to_matrix(graph), iterations=iterations, dtype=dtype)
    assert found.dtype == dtype
    assert found.to_numpy(missing=0) == pytest.approx(expected, rel=1e-6)


def test_default_tolerance_is_that_of_networkx(backend: str) -> None:
    graph = NAMED["karate club"]
    assert pagerank(to_matrix(graph)).to_dict() == pytest.approx(nx.pagerank(graph), abs=1e-12)


@pytest.mark.parametrize(("tolerance", "limit"), [(1e-6, 1), (1e-6, 0), (1e-300, 7), (0, 3)])
def test_no_convergence(backend: str, tolerance: float, limit: int) -> None:
    with refused(pagerank, NotConverged, f"to {tolerance} within {limit} iterations"):
        pagerank(to_matrix(NAMED["star"]), tolerance=tolerance, limit=limit)


@pytest.mark.parametrize("damping", [-0.1, 1.1, math.inf, math.nan, None, "x", True, False])
def test_refuses_damping(backend: str, damping: Any) -> None:
    with refused(pagerank, InvalidValue, f"damping={damping!r} has to be a number from 0 to 1"):
        pagerank(to_matrix(NAMED["one edge"]), damping)


@pytest.mark.parametrize("how", ["limit", "iterations"])
def test_no_vertices_take_no_rounds(backend: str, how: str) -> None:
    steps = []
    for rounds in (1, 9):
        with anypair.trace() as trace:
            assert not pagerank(Matrix.empty((0, 0), bool), **{how: rounds}).nvals  # type: ignore[arg-type]
        steps.append(len(trace.records))
    assert steps[0] == steps[1]


@pytest.mark.parametrize("least", [-2, -0.5])
def test_refuses_negative_weights(backend: str, least: float) -> None:
    with refused(pagerank, InvalidValue, f"weight {least} is negative"):
        pagerank(Matrix.from_edges([0, 1], [1, 0], [1, least]))


@on_bad_graphs
def test_refuses_what_is_no_graph(backend: str, make: Any, error: Any, shown: str) -> None:
    with refused(pagerank, error, shown):
        pagerank(make())


def _shifted(ranks: Vector) -> Vector:
    """Moves a little from the first vertex to the second; the sum stays."""
    first, second, *others = ranks.to_numpy(missing=0)
    return Vector.from_numpy([first - 2 * CLOSE, second + 2 * CLOSE, *others])


def _nan(ranks: Vector) -> Vector:
    return Vector.from_numpy([math.nan, *ranks.to_numpy(missing=0)[1:]])


@on_spoiled_answers
def test_check_notices_a_spoiled_answer(backend: str, spoil: Any) -> None:
    graph = NAMED["random directed"]
    answer = pagerank(to_matrix(graph), **TIGHT)
    check_ranks(graph, None, answer)
    with pytest.raises(AssertionError):
        check_ranks(graph, None, spoil(answer))


@pytest.mark.parametrize("spoil", [_shifted, _nan])
def test_check_notices_spoiled_ranks(backend: str, spoil: Any) -> None:
    graph = NAMED["random directed"]
    with pytest.raises(AssertionError, match="found, expected"):
        check_ranks(graph, None, spoil(pagerank(to_matrix(graph), **TIGHT)))
