"""Weights at the ends of their dtypes, against shortest paths in Python's integers, which have no end."""

import heapq
import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector, assign
from anypair.algorithms import (
    bellman_ford,
    betweenness,
    delta_stepping,
    eigenvector_centrality,
    graph_convolution,
    hits,
    louvain,
    maximum_flow,
    modularity,
    pagerank,
    shortest_path_parents,
    triangle_count,
)
from anypair.errors import InvalidValue, NegativeCycle, ResultOverflow
from tests.algorithms.verifiers import assert_vector

Edges = dict[tuple[int, int], int]
ENDS = {"int64": 2**63 - 1, "uint64": 2**64 - 1}
DELTAS = [1e-300, 1, 2.5, 2**53 + 1, 2.0**61, 2**63 - 1, 2**64, 10**400, 1.7e308, math.inf]
VERTICES = 5


def dijkstra(edges: Edges, source: int) -> dict[int, int]:
    """The shortest lengths, of any size; weights are not negative."""
    found: dict[int, int] = {}
    queue = [(0, source)]
    while queue:
        length, u = heapq.heappop(queue)
        if u in found:
            continue
        found[u] = length
        for (tail, head), weight in edges.items():
            if tail == u:
                heapq.heappush(queue, (length + weight, head))
    return found


def by_rounds(edges: Edges, source: int) -> dict[int, int] | None:
    """The shortest lengths, of any size and sign; None if a cycle has no shortest."""
    found = {source: 0}
    for _ in range(VERTICES):
        before = dict(found)
        for (u, v), weight in edges.items():
            if u in before:
                found[v] = min(found.get(v, before[u] + weight), before[u] + weight)
        if found == before:
            return found
    return None


def matrix(edges: Edges, dtype: str) -> Matrix:
    tails, heads = [u for u, _ in edges], [v for _, v in edges]
    weights = np.array(list(edges.values()), dtype)
    return Matrix.from_edges(tails, heads, weights, n=VERTICES)


def weights(dtype: str) -> st.SearchStrategy[int]:
    end = ENDS[dtype]
    near = [0, 1, 2**53 + 1, end // 4, end // 2, end // 2 + 1, end - 2**53 - 1, end - 1, end]
    return st.sampled_from(near) | st.integers(0, end)


def edges_of(weights: st.SearchStrategy[int]) -> st.SearchStrategy[Edges]:
    vertex = st.integers(0, VERTICES - 1)
    return st.dictionaries(st.tuples(vertex, vertex), weights, max_size=12)


@pytest.mark.parametrize("dtype", list(ENDS))
@given(data=st.data())
def test_lengths_are_those_of_dijkstra_or_refused(backend: str, dtype: str, data: st.DataObject) -> None:
    edges = data.draw(edges_of(weights(dtype)))
    delta = data.draw(st.sampled_from(DELTAS))
    graph, expected = matrix(edges, dtype), dijkstra(edges, 0)
    if max(expected.values()) > ENDS[dtype]:
        for algorithm, arguments in ((bellman_ford, ()), (delta_stepping, (delta,))):
            with pytest.raises(ResultOverflow, match=f"longer than {dtype} holds"):
                algorithm(graph, 0, *arguments)
        return
    found = bellman_ford(graph, 0)
    assert_vector(found, expected, size=VERTICES, dtype=dtype)
    assert_vector(delta_stepping(graph, 0, delta), expected, size=VERTICES, dtype=dtype)
    if max(expected.values()) < ENDS[dtype]:
        check_tree(edges, expected, shortest_path_parents(graph, 0, found))


def check_tree(edges: Edges, lengths: dict[int, int], parents: Vector) -> None:
    found = parents.to_dict()
    assert found.keys() == lengths.keys()
    for v, u in found.items():
        assert (u == v == 0) or lengths[int(u)] + edges[int(u), v] == lengths[v]


@given(data=st.data())
def test_negative_weights(backend: str, data: st.DataObject) -> None:
    edges = data.draw(
        edges_of(st.builds(lambda w, sign: sign * w, weights("int64"), st.sampled_from([1, -1])))
    )
    graph, expected = matrix(edges, "int64"), by_rounds(edges, 0)
    if expected is None:
        with pytest.raises((NegativeCycle, ResultOverflow)):
            bellman_ford(graph, 0)
    elif max(map(abs, expected.values())) >= ENDS["int64"] + (min(edges.values(), default=0) >= 0):
        with pytest.raises(ResultOverflow, match=r"than int64 holds|below what int64 holds"):
            bellman_ford(graph, 0)
    else:
        assert_vector(bellman_ford(graph, 0), expected, size=VERTICES, dtype="int64")


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint32"])
def test_no_cycle_of_positive_weights_is_negative(backend: str, dtype: str) -> None:
    greatest = int(np.iinfo(dtype).max)
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 0], np.array([greatest, greatest, 1], dtype))
    if dtype == "int64":
        with pytest.raises(ResultOverflow, match="bellman_ford: the path to vertex 2"):
            bellman_ford(graph, 0)
    else:
        assert bellman_ford(graph, 0).to_dict() == {0: 0, 1: greatest, 2: 2 * greatest}


def test_a_long_way_beside_a_short_one_is_no_overflow(backend: str) -> None:
    far = 2**63 - 1
    graph = Matrix.from_edges([0, 1, 0, 3], [1, 2, 3, 2], [far, far, 5, 6])
    expected = {0: 0, 1: far, 2: 11, 3: 5}
    assert bellman_ford(graph, 0).to_dict() == expected
    assert delta_stepping(graph, 0, 3).to_dict() == expected


@pytest.mark.parametrize("delta", [5e-324, 1.0, 1e308, math.inf])
def test_floats_beyond_the_greatest(backend: str, delta: float) -> None:
    """They are infinite, which no path of finite weights is; delta_stepping never ended."""
    graph = Matrix.from_edges([0, 1, 2, 0], [1, 2, 3, 4], [1e308, 1e308, 1.0, 1.0])
    for algorithm, arguments in ((bellman_ford, ()), (delta_stepping, (delta,))):
        with pytest.raises(ResultOverflow, match="the path to vertex 2 is longer than float64 holds"):
            algorithm(graph, 0, *arguments)
    shorter = Matrix.from_edges([0, 1, 0], [1, 2, 2], [1e308, 1e308, 1.5e308])
    for found in (bellman_ford(shorter, 0), delta_stepping(shorter, 0, delta)):
        assert found.to_dict() == {0: 0.0, 1: 1e308, 2: 1.5e308}
    with pytest.raises(ResultOverflow, match="below what float64 holds"):
        bellman_ford(Matrix.from_edges([0, 1], [1, 2], [-1e308, -1e308]), 0)


def test_edges_beyond_delta_that_round_away(backend: str) -> None:
    """Longer than delta, but not enough to leave the bucket: what they reach was never followed."""
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [2.0**60, 1.0, 2.0**60])
    expected = {0: 0.0, 1: 2.0**60, 2: 2.0**60, 3: 2.0**61}
    assert bellman_ford(graph, 0).to_dict() == expected
    assert delta_stepping(graph, 0, 1e-300).to_dict() == expected
    graph = Matrix.from_edges([0, 1, 2], [1, 2, 3], [2**60, 1, 1])
    assert delta_stepping(graph, 0, 0.5).to_dict() == {0: 0, 1: 2**60, 2: 2**60 + 1, 3: 2**60 + 2}


def test_shortest_path_parents_at_the_end(backend: str) -> None:
    far = 2**63 - 1
    graph = Matrix.from_edges([0], [1], [far])
    with pytest.raises(ResultOverflow, match=f"shortest_path_parents: {far} is the end of dtype int64"):
        shortest_path_parents(graph, 0, bellman_ford(graph, 0))
    graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], np.array([7, 4, 1], np.uint64))
    with pytest.raises(InvalidValue, match="are not the shortest"):
        shortest_path_parents(graph, 0, Vector.from_numpy(np.array([0, 9, 4], np.uint64)))


@pytest.mark.parametrize(
    "scales", [(1e308, 1e308), (5e-324, 1e-323), (1e308, 1e-308), (1e200, 1e-200)], ids=str
)
def test_pagerank_of_extreme_weights(backend: str, scales: tuple[float, float]) -> None:
    """Only how the weights of one vertex compare counts."""
    tails, heads, parts = [0, 0, 1, 1, 2], [1, 2, 0, 2, 0], [1.0, 1.0, 1.0, 0.0, 1.0]
    scaled = [part * scales[tail % 2] for tail, part in zip(tails, parts, strict=True)]
    plain = pagerank(Matrix.from_edges(tails, heads, parts)).to_dict()
    found = pagerank(Matrix.from_edges(tails, heads, scaled)).to_dict()
    assert found == pytest.approx(plain, rel=1e-6)
    assert sum(found.values()) == pytest.approx(1)


def of_hits(graph: Matrix) -> list[float]:
    return [value for vector in hits(graph) for value in vector.to_dict().values()]


def of_communities(graph: Matrix) -> list[float]:
    communities = louvain(graph)
    return [*communities.to_dict().values(), modularity(graph, communities)]


WHOLE_GRAPH: dict[str, Callable[[Matrix], list[float]]] = {
    "hits": of_hits,
    "louvain, modularity": of_communities,
    "eigenvector_centrality": lambda graph: [*eigenvector_centrality(graph).to_dict().values()],
}


@pytest.mark.parametrize("scale", [2.0**1020, 2.0**400, 2.0**-400, 2.0**-1060])
@pytest.mark.parametrize("algorithm", WHOLE_GRAPH)
def test_one_scale_for_all_weights_changes_nothing(backend: str, algorithm: str, scale: float) -> None:
    """Sums of weights or of products of two became infinite, or nothing, and answers 0 or NaN."""
    edges = [0, 0, 1, 2, 3, 4, 5], [1, 2, 2, 3, 4, 5, 3]
    weights = np.array([3.5, 3.0, 2.0, 0.25, 1.0, 1.5, 1.0])
    plain, scaled = (Matrix.from_edges(*edges, w, symmetric=True) for w in (weights, weights * scale))
    assert WHOLE_GRAPH[algorithm](scaled) == pytest.approx(WHOLE_GRAPH[algorithm](plain), abs=1e-5)


def test_a_convolution_along_heavy_edges(backend: str) -> None:
    """Edges so heavy that loops of 1 are nothing beside them, and their sums no floats."""
    features = Matrix.from_numpy([[1.0], [5.0], [2.0], [7.0]])
    edges = [0, 0], [1, 2]
    light, heavy = (
        Matrix.from_edges(*edges, [weight, weight], n=4, symmetric=True) for weight in (1e30, 1.5e308)
    )
    found, expected = (graph_convolution(graph, features).to_numpy(0) for graph in (heavy, light))
    assert found.ravel().tolist() == pytest.approx(expected.ravel().tolist())
    assert found[3] == 7


def test_flows_beyond_floats_are_refused(backend: str) -> None:
    pipes = Matrix.from_edges([0, 0, 1, 2], [1, 2, 3, 3], 1e308)
    with pytest.raises(ResultOverflow, match="maximum_flow: flows may be beyond float64"):
        maximum_flow(pipes, 0, 3)


def diamonds(count: int) -> tuple[list[tuple[int, int]], dict[int, float]]:
    """A chain of diamonds, each of which doubles the paths; and what depends on each vertex from 0."""
    edges = []
    for k in range(0, 3 * count, 3):
        edges += [(k, k + 1), (k, k + 2), (k + 1, k + 3), (k + 2, k + 3)]
    beyond = {3 * i: 3.0 * (count - i) for i in range(1, count)}
    sides = {3 * i + side: (3 * (count - i) - 2) / 2 for i in range(count) for side in (1, 2)}
    return edges, beyond | sides


def path(first: int, second: int, length: int) -> tuple[list[tuple[int, int]], dict[int, float]]:
    """A path of so many edges from one vertex to another and the numbers after it, the same way."""
    vertices = [first, *range(second, second + length)]
    inner = enumerate(vertices[1:-1], 1)
    return list(pairwise(vertices)), {v: float(length - j) for j, v in inner}


def centrality_of(edges: list[tuple[int, int]], sources: list[int]) -> dict[int, float]:
    tails, heads = map(list, zip(*edges, strict=True))
    return betweenness(Matrix.from_edges(tails, heads), sources).to_dict()


@pytest.mark.parametrize("count", [3, 520, 1100])
@pytest.mark.parametrize("beside", [False, True])
def test_counts_of_paths_beyond_floats(backend: str, count: int, beside: bool) -> None:
    """From 1024 diamonds on they are more than a float counts; beside them is one path as long."""
    if backend in ("reference", "mpi") and count > 3:
        pytest.skip("takes long there, and is the same text")
    edges, expected = diamonds(count)
    if beside:
        more, others = path(0, 3 * count + 1, 2 * count)
        edges, expected = edges + more, expected | others
    assert centrality_of(edges, [0]) == pytest.approx(expected, rel=1e-12)


def test_counts_of_paths_too_far_apart(backend: str) -> None:
    """One path and 2**1600 at one distance are refused from one source, and counted from two."""
    if backend in ("reference", "mpi"):
        pytest.skip("takes long there, and is the same text")
    count = 1600
    edges, expected = diamonds(count)
    more, others = path(3 * count + 1, 3 * count + 2, 2 * count)
    found = centrality_of(edges + more, [0, 3 * count + 1])
    assert found == pytest.approx(expected | others, rel=1e-12)
    more, _ = path(0, 3 * count + 1, 2 * count)
    with pytest.raises(
        ResultOverflow, match="of vertices at one distance, some have a few shortest paths"
    ):
        centrality_of(edges + more, [0])


def test_paths_on_a_large_grid() -> None:
    """As many vertices lie between two as their distance says, whatever the number of paths."""
    side = 1000
    places = np.arange(side**2).reshape(side, side)
    tails = np.concatenate([places[:, :-1].ravel(), places[:-1].ravel()])
    heads = np.concatenate([places[:, 1:].ravel(), places[1:].ravel()])
    grid = Matrix.from_edges(tails, heads, n=side**2, symmetric=True, backend="jit")
    found = betweenness(grid, [0, side + 300]).to_numpy(0.0).reshape(side, side)
    assert np.isfinite(found).all()
    down, across = np.indices((side, side))
    distances = down + across, abs(down - 1) + abs(across - 300)
    between = sum(int((distance - 1).sum()) + 1 for distance in distances)  # of a source to itself none
    assert found.sum() == pytest.approx(between, rel=1e-9)


def test_triangles_of_directed_graphs_are_refused(backend: str) -> None:
    cycle = Matrix.from_edges([0, 1, 2], [1, 2, 0])
    with pytest.raises(InvalidValue, match=r"triangle_count: .* the edge from 0 to 1 has no reverse"):
        triangle_count(cycle)
    both = Matrix.from_edges([0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2], [1, 2, 3, 4, 5, 6])
    assert triangle_count(both) == 1
    assign(both, 7, 0, [0])
    assert triangle_count(both) == 1
    marked = Matrix.from_edges([0, 1, 2], [1, 2, 0], symmetric=True, n=4)
    assert triangle_count(marked) == 1
    assign(marked, True, 0, [3])
    with pytest.raises(InvalidValue, match="from 0 to 3"):
        triangle_count(marked)
