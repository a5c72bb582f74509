"""Renumbering by degree: original numbers in, original numbers out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.errors import IndexOutOfRange, SizeMismatch, UnsupportedDType
from anypair.relabelling import Packing, Permutation
from tests.algorithms.verifiers import on_named_graphs
from tests.support.compare import entries
from tests.support.graphs import to_matrix


@on_named_graphs
def test_a_graph_and_its_relabelling_have_the_same_edges(backend: str, graph: Any) -> None:
    original = to_matrix(graph)
    relabelled = original.by_degree()
    numbers = relabelled.original.tolist()
    back = {(numbers[i], numbers[j]): x for (i, j), x in entries(relabelled.graph).items()}
    assert back == entries(original)
    assert (relabelled.graph.T is relabelled.graph) == (original.T is original)
    degrees = np.zeros(len(numbers), int)
    for i, j in entries(relabelled.graph):
        degrees[i] += 1
        degrees[j] += original.T is not original
    assert (np.diff(degrees) <= 0).all()
    assert (degrees > 0).all()


@on_named_graphs
def test_searches_give_levels_and_a_tree_for_the_original_numbers(backend: str, graph: Any) -> None:
    original = to_matrix(graph)
    relabelled = original.by_degree()
    for source in relabelled.original[:3].tolist():
        levels = bfs_levels(original, source)
        new = relabelled.new(source)
        found = relabelled.restore(bfs_levels(relabelled.graph, new), vertices=False)
        assert entries(found) == entries(levels)
        parents = relabelled.restore(bfs_parents(relabelled.graph, new), vertices=True).to_dict()
        edges, depth = entries(original), levels.to_dict()
        assert set(parents) == set(depth)
        for vertex, parent in parents.items():
            assert vertex == parent == source or (
                (parent, vertex) in edges and depth[vertex] == depth[int(parent)] + 1
            )


@on_named_graphs
def test_shuffled_vertices_find_their_way_back(backend: str, graph: Any) -> None:
    original = to_matrix(graph)
    shuffled = original.shuffled(seed=3)
    back = {
        tuple(shuffled.permutation.original(np.array(place)).tolist()): x
        for place, x in entries(shuffled.graph).items()
    }
    assert back == entries(original)
    assert shuffled.graph.is_symmetric == original.is_symmetric
    source = original.nrows - 1
    found = shuffled.restore(bfs_levels(shuffled.graph, shuffled.new(source)), vertices=False)
    assert entries(found) == entries(bfs_levels(original, source))
    ids = Vector.from_numpy(np.arange(original.nrows))
    same = shuffled.restore(ids, vertices=True)
    assert same.to_dict() == {v: v for v in range(original.nrows)}


@on_named_graphs
def test_compacted_vertices_keep_their_order_and_find_their_way_back(backend: str, graph: Any) -> None:
    original = to_matrix(graph)
    compacted = original.compact()
    used = sorted({v for place in entries(original) for v in place})
    assert compacted.graph.shape == (len(used), len(used))
    expected = {(used.index(i), used.index(j)): x for (i, j), x in entries(original).items()}
    assert entries(compacted.graph) == expected
    assert compacted.graph.is_symmetric == original.is_symmetric
    for vertex in range(original.nrows):
        if vertex in used:
            assert compacted.new(vertex) == used.index(vertex)
        else:
            with pytest.raises(IndexOutOfRange, match=f"vertex={vertex} has no edge and was left out"):
                compacted.new(vertex)
    for source in used[:3]:
        new = compacted.new(source)
        levels = compacted.restore(bfs_levels(compacted.graph, new), vertices=False)
        assert entries(levels) == entries(bfs_levels(original, source))
        parents = compacted.restore(bfs_parents(compacted.graph, new), vertices=True)
        assert entries(parents) == entries(bfs_parents(original, source))  # order keeps the smallest


@given(st.integers(0, 300), st.integers(0, 5), st.sampled_from([0.0, 0.02, 0.5, 1.0]))
def test_packed_numbers(n: int, seed: int, share: float) -> None:
    used = np.random.default_rng(seed).random(n) < share
    packing = Packing(used)
    numbers = np.flatnonzero(used)
    assert packing.count == len(numbers)
    assert packing.new(numbers).tolist() == list(range(len(numbers)))
    assert packing.original(np.arange(len(numbers))).tolist() == numbers.tolist()
    assert [packing.has(number) for number in range(n)] == used.tolist()


@given(st.integers(1, 300), st.integers(0, 5))
def test_a_permutation_is_one(n: int, seed: int) -> None:
    permutation = Permutation(n, seed)
    numbers = permutation.new(np.arange(n))
    assert sorted(numbers.tolist()) == list(range(n))
    assert permutation.original(numbers).tolist() == list(range(n))


def test_large_permutations_spread_neighbours() -> None:
    n = 10**12 + 39
    permutation = Permutation(n, seed=1)
    first = np.arange(1000)
    numbers = permutation.new(first)
    assert permutation.original(numbers).tolist() == first.tolist()
    shares = np.histogram(numbers, 4, (0, n))[0]
    assert shares.min() > 150


def test_bad_arguments(backend: str) -> None:
    with pytest.raises(SizeMismatch, match="shuffled: a graph is square, not 2x3"):
        Matrix.empty((2, 3)).shuffled()
    with pytest.raises(SizeMismatch, match="the vector has size 5, the graph 3"):
        Matrix.empty((3, 3)).shuffled().restore(Vector.full(5, 1), vertices=True)
    graph = Matrix.from_edges([1, 1], [2, 3], n=5, symmetric=True).by_degree()
    with pytest.raises(IndexOutOfRange, match="vertex=4 has no edge and was left out"):
        graph.new(4)
    with pytest.raises(IndexOutOfRange, match=r"Relabelled.new: vertex\[0\] = 9"):
        graph.new(9)
    with pytest.raises(SizeMismatch, match="the vector has size 5, the graph 3"):
        graph.restore(Vector.full(5, 1), vertices=True)
    with pytest.raises(SizeMismatch, match="by_degree: a graph is square, not 2x3"):
        Matrix.empty((2, 3)).by_degree()


def test_values_that_are_no_vertices_are_refused(backend: str) -> None:
    graph = Matrix.from_edges([0, 3], [3, 1], n=4, symmetric=True).by_degree()
    with pytest.raises(IndexOutOfRange, match=r"restore: 3 at 1 is not a vertex; there are 3"):
        graph.restore(Vector.from_entries([0, 1], [2, 3], 3), vertices=True)
    with pytest.raises(IndexOutOfRange, match="-1 at 2"):
        graph.restore(Vector.from_entries([2], [-1], 3), vertices=True)
    with pytest.raises(UnsupportedDType, match="float64 are not vertices"):
        graph.restore(Vector.full(3, 1.0), vertices=True)
    assert graph.restore(Vector.full(3, 1.5), vertices=False).to_dict() == {0: 1.5, 1: 1.5, 3: 1.5}


def test_what_compacted_graphs_refuse(backend: str) -> None:
    with pytest.raises(SizeMismatch, match="compact: a graph is square, not 2x3"):
        Matrix.empty((2, 3)).compact()
    graph = Matrix.from_edges([0, 3], [3, 1], n=4, symmetric=True).compact()
    with pytest.raises(SizeMismatch, match="the vector has size 4, the graph 3"):
        graph.restore(Vector.full(4, 1), vertices=True)
    for value in (3, -1):
        with pytest.raises(IndexOutOfRange, match=f"restore: {value} is not a vertex; there are 3"):
            graph.restore(Vector.from_entries([0, 1], [value, 1], 3), vertices=True)
    with pytest.raises(UnsupportedDType, match="float64 are not vertices"):
        graph.restore(Vector.full(3, 1.0), vertices=True)
    assert graph.restore(Vector.full(3, 1.5), vertices=False).to_dict() == {0: 1.5, 1: 1.5, 3: 1.5}
    assert graph.restore(Vector.empty(3, int), vertices=True).nvals == 0
    nothing = Matrix.empty((5, 5)).compact()
    assert nothing.graph.shape == (0, 0)
    assert nothing.restore(Vector.empty(0, int), vertices=True).size == 5


@pytest.mark.parametrize("vertices", [False, True])
@pytest.mark.parametrize("reached", [0, 1, 40, 65, 99, 131])
@pytest.mark.parametrize("n", [131, 192])
def test_results_with_few_and_with_many_entries(
    backend: str, n: int, reached: int, vertices: bool
) -> None:
    """Twice, as what is known of the numbers by then is used again."""
    spokes = np.arange(1, 131)
    wheel = Matrix.from_edges(spokes, np.zeros_like(spokes), n=n, symmetric=True, backend=backend)
    relabelled = wheel.by_degree()
    original = relabelled.original
    for seed in range(2):
        random = np.random.default_rng(seed)
        places = random.choice(len(original), reached, replace=False)
        values = random.integers(0, len(original), reached)
        u = Vector.from_entries(places, values, len(original), dtype=int, backend=backend)
        found = relabelled.restore(u, vertices=vertices)
        expected = original[values] if vertices else values
        wanted = zip(original[places].tolist(), expected.tolist(), strict=True)
        assert (found.size, found.to_dict()) == (n, dict(wanted))
