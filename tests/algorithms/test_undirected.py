"""Graphs without their directions: both ways weigh the same, whatever the two weighed before."""

import pytest

from anypair import Matrix
from anypair.algorithms import minimum_spanning_forest, undirected
from anypair.errors import InvalidArgument
from anypair.semiring import any_of, first, max_monoid, plus
from tests.support.compare import entries

EDGES = ([0, 1, 1, 2, 2], [1, 0, 2, 1, 2], [4, 3, 9, 11, 5])


@pytest.mark.parametrize(
    ("op", "weights"), [((), (3, 9)), ((plus,), (7, 20)), ((max_monoid,), (4, 11))], ids=str
)
def test_an_edge_weighs_the_same_both_ways(backend: str, op: tuple, weights: tuple) -> None:
    graph = undirected(Matrix.from_edges(*EDGES), *op)
    near, far = weights
    assert graph.nvals == 5
    assert [entries(graph)[p] for p in ((0, 1), (1, 0), (1, 2), (2, 1))] == [near, near, far, far]
    assert minimum_spanning_forest(graph).nvals == 4


@pytest.mark.parametrize("op", [any_of, first])
def test_what_might_weigh_two_ways_is_refused(backend: str, op: object) -> None:
    with pytest.raises(InvalidArgument, match=r"undirected: op='(any|first)' is not known to commute"):
        undirected(Matrix.from_edges(*EDGES), op)


def test_edges_without_weights(backend: str) -> None:
    graph = undirected(Matrix.from_edges([0, 1], [1, 2]))
    assert entries(graph) == {(0, 1): True, (1, 0): True, (1, 2): True, (2, 1): True}
