"""Other dtypes, numbers that do not fit, cycles that never end: what the table of all algorithms has not."""

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

from anypair import Matrix, Vector
from anypair.algorithms import (
    all_pairs_distances,
    betweenness,
    distance_between,
    eigenvector_centrality,
    hits,
    k_truss,
    katz_centrality,
    louvain,
    modularity,
    most_reliable_paths,
    multi_source_levels,
    pagerank,
    shortest_path_counts,
    triangles_per_vertex,
    undirected,
    widest_paths,
)
from anypair.errors import InvalidArgument, InvalidValue, NegativeCycle, ResultOverflow
from tests.algorithms.graphs import GRAPHS
from tests.algorithms.row import matrix_of
from tests.algorithms.verifiers import assert_vector


def path(*weights: Any, dtype: Any = None) -> Matrix:
    """The directed path with these weights."""
    places = np.arange(len(weights))
    return Matrix.from_edges(places, places + 1, list(weights), dtype=dtype)


@pytest.mark.parametrize(
    ("dtype", "unlimited"),
    [
        ("int8", 127),
        ("uint64", 2**64 - 1),
        ("int64", 2**63 - 1),
        ("float32", math.inf),
        (bool, True),
    ],
)
def test_widths_have_the_dtype_of_the_weights(backend: str, dtype: Any, unlimited: Any) -> None:
    found = widest_paths(path(5, 3, 4, dtype=dtype), 0)
    kind = str(np.dtype(dtype))
    expected = {0: unlimited, 1: 5, 2: 3, 3: 3} if dtype is not bool else dict.fromkeys(range(4), True)
    assert_vector(found, expected, size=4, dtype=kind)


def test_negative_widths(backend: str) -> None:
    assert widest_paths(path(-1, -5, 4), 0).to_dict() == {0: 2**63 - 1, 1: -1, 2: -5, 3: -5}


@pytest.mark.parametrize("dtype", [bool, "int8", "float32"])
def test_certain_edges(backend: str, dtype: Any) -> None:
    found = most_reliable_paths(path(1, 1, dtype=dtype), 0)
    assert_vector(found, {0: 1.0, 1: 1.0, 2: 1.0}, size=3, dtype="float64")


def test_edges_that_never_hold(backend: str) -> None:
    assert most_reliable_paths(path(0.5, 0.0), 0).to_dict() == {0: 1.0, 1: 0.5, 2: 0.0}


@pytest.mark.parametrize(
    ("weights", "dtype", "length"),
    [
        ((100, 100, 100), "int8", 300),
        ((2**63, 2**62), "uint64", 2**63 + 2**62),
        ((2**62, 2**61), "int64", 2**62 + 2**61),
        ((True, False, True), bool, 2),
    ],
)
def test_a_distance_that_fits(backend: str, weights: Any, dtype: Any, length: int) -> None:
    assert distance_between(path(*weights, dtype=dtype), 0, len(weights)) == length


@pytest.mark.parametrize(
    ("weights", "dtype"), [((2**63, 2**63), "uint64"), ((2**62, 2**62, 2**62), "int64")]
)
def test_a_distance_that_does_not_fit(backend: str, weights: Any, dtype: Any) -> None:
    with pytest.raises(ResultOverflow, match=r"^distance_between: the path is longer"):
        distance_between(path(*weights, dtype=dtype), 0, len(weights))


def test_a_distance_to_where_one_is(backend: str) -> None:
    assert distance_between(path(4, 5), 1, 1) == 0
    assert distance_between(path(4, 5), 2, 0) is None


def test_all_pairs_with_negative_weights(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [4, -3, 2, 9])
    found = all_pairs_distances(graph)
    assert found.to_numpy(missing=99).tolist() == [
        [0, 4, 1, 3], [99, 0, -3, -1], [99, 99, 0, 2], [99, 99, 99, 0],
    ]  # fmt: skip


def test_all_pairs_with_a_negative_cycle(backend: str) -> None:
    for edges in ([(0, 1, 1), (1, 0, -2)], [(0, 0, -1)], [(0, 1, 5), (1, 2, 1), (2, 3, 1), (3, 1, -3)]):
        graph = Matrix.from_edges(*map(list, zip(*edges, strict=True)))
        with pytest.raises(NegativeCycle, match=r"^all_pairs_distances: "):
            all_pairs_distances(graph)


def test_all_pairs_that_might_not_fit(backend: str) -> None:
    with pytest.raises(ResultOverflow, match=r"^all_pairs_distances: "):
        all_pairs_distances(path(2**61, 2**61))


def test_counts_that_no_float_holds(backend: str) -> None:
    """1100 diamonds in a row have 2**1100 paths."""
    if backend == "reference":
        pytest.skip("takes long there, and is the same text")
    n = 1100
    first = 3 * np.arange(n)
    sources = np.concatenate([first, first, first + 1, first + 2])
    targets = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    graph = Matrix.from_edges(sources, targets)
    with pytest.raises(ResultOverflow, match=r"^shortest_path_counts: there are more"):
        shortest_path_counts(graph, 0)


def test_weights_that_vanish_beside_distances(backend: str) -> None:
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 1], [1.0, 1e-30, 1e-30])
    with pytest.raises(InvalidValue, match=r"^shortest_path_counts: some weights vanish"):
        shortest_path_counts(graph, 0)


def test_samples_stand_for_all(backend: str) -> None:
    """The mean of several comes near; a seed always draws the same."""
    graph = GRAPHS["karate club"]
    matrix = matrix_of(graph, None)
    whole = betweenness(matrix).to_numpy(missing=0)
    drawn = [betweenness(matrix, samples=17, seed=seed).to_numpy(missing=0) for seed in range(6)]
    assert not np.array_equal(drawn[0], drawn[1])
    assert np.array_equal(drawn[0], betweenness(matrix, samples=17, seed=0).to_numpy(missing=0))
    assert np.mean(drawn, axis=0).sum() == pytest.approx(whole.sum(), rel=0.1)


def test_weights_of_hubs_may_be_of_any_dtype(backend: str) -> None:
    edges = ([0, 0, 1], [1, 2, 2])
    expected = hits(Matrix.from_edges(*edges, [1.0, 2.0, 3.0]))[0].to_dict()
    for dtype in ("int8", "uint64", "float32"):
        found = hits(Matrix.from_edges(*edges, [1, 2, 3], dtype=dtype))[0].to_dict()
        assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("exponent", [-1060, -20, 1020])
def test_only_how_weights_compare_matters(backend: str, exponent: int) -> None:
    graph = GRAPHS["lollipop"]
    edges = list(graph.edges(data="steps"))
    tails, heads, weights = (np.array(column) for column in zip(*edges, strict=True))
    sides = Vector.from_entries(np.arange(len(graph)), [0] * 5 + [5] * 4, size=len(graph))
    scaled, plain = (
        Matrix.from_edges(tails, heads, weights * 2.0**e, n=len(graph), symmetric=True)
        for e in (exponent, 0)
    )
    assert eigenvector_centrality(scaled).to_dict() == pytest.approx(
        eigenvector_centrality(plain).to_dict()
    )
    for one, other in zip(hits(scaled), hits(plain), strict=True):
        assert one.to_dict() == pytest.approx(other.to_dict())
    assert modularity(scaled, sides) == pytest.approx(modularity(plain, sides))
    assert louvain(scaled).to_dict() == louvain(plain).to_dict()


@pytest.mark.parametrize("beta", [-1e300, -1, -1e-9, 1e-9, 1e300])
def test_katz_does_not_depend_on_the_size_of_beta(backend: str, beta: float) -> None:
    graph = matrix_of(GRAPHS["lollipop"], None)
    expected = {v: math.copysign(x, beta) for v, x in katz_centrality(graph).to_dict().items()}
    assert katz_centrality(graph, beta=beta).to_dict() == pytest.approx(expected)
    assert not katz_centrality(graph, beta=0).sum()


def test_personal_weights_may_be_integers_and_leave_out_vertices(backend: str) -> None:
    graph = GRAPHS["random directed"]
    home = Vector.from_entries([2, 3], [1, 4], size=len(graph))
    found = pagerank(matrix_of(graph, None), personalization=home, tolerance=1e-12, limit=1000)
    expected = nx.pagerank(graph, personalization={2: 1, 3: 4}, tol=1e-12, max_iter=1000, weight=None)
    assert found.to_dict() == pytest.approx(expected, abs=1e-9)


def test_weights_and_loops_make_no_difference_to_triangles(backend: str) -> None:
    graph = GRAPHS["complete with loops"]
    plain = triangles_per_vertex(matrix_of(graph, None)).to_dict()
    assert (
        plain == triangles_per_vertex(matrix_of(graph, "weight")).to_dict() == dict.fromkeys(range(5), 6)
    )
    assert k_truss(matrix_of(graph, "steps"), 5).nvals == 20
    assert k_truss(matrix_of(graph, "steps"), 6).nvals == 0


def test_no_sources(backend: str) -> None:
    assert multi_source_levels(path(1, 1), []).shape == (0, 3)


def test_undirected_weighs_both_ways_alike(backend: str) -> None:
    found = undirected(Matrix.from_edges([0, 1, 2], [1, 0, 0], [3, 5, 7]))
    assert list(found.to_entries()[2]) == [3, 7, 3, 7]
    with pytest.raises(InvalidArgument, match=r"^undirected: graph has to be a Matrix"):
        undirected([[0]])  # type: ignore[arg-type]
