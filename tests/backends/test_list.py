"""The note's lists: their arrays are those of Fig. 4, and edges that come twice count as they should."""

import numpy as np
import pytest

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, mxv, vxm
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.errors import DuplicateEntries, OperatorError
from anypair.semiring import (
    any_pair,
    min_plus,
    min_source,
    minimum,
    plus,
    plus_monoid,
    plus_pair,
    plus_times,
)
from tests.support.compare import entries
from tests.support.graphs import SEI_PARENTS, sei_graph


@pytest.fixture(autouse=True)
def on_list() -> object:
    with anypair.using("list") as backend:
        yield backend


def test_the_arrays_of_figure_4() -> None:
    """The list of vertex 3 begins at place 16 and visits 4, 6, 0 and 1."""
    lists = sei_graph().storage._lists
    place, visited = int(lists.head[3]), []
    assert place == 16
    while place >= 0:
        visited.append(int(lists.ends[place]))
        place = int(lists.following[place])
    assert visited == [4, 6, 0, 1]
    assert lists.head[7] == -1


def test_a_search_sorts_nothing() -> None:
    graph = sei_graph()
    assert bfs_parents(graph, 1).to_dict() == SEI_PARENTS
    assert bfs_levels(graph, 1).to_dict()[5] == 3
    assert graph.storage._stored is None


TWICE = ([0, 1, 0, 2, 2], [1, 0, 1, 2, 0])


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("weights", [None, [5, 3, 1, 9, 2]])
@pytest.mark.parametrize("semiring", [any_pair, min_source, plus_pair, plus_times, min_plus])
def test_edges_that_come_twice(
    symmetric: bool, self_loops: bool, weights: list[int] | None, semiring: Semiring
) -> None:
    for duplicates in (minimum, plus) if weights else (None,):
        found = {}
        for backend in ("reference", "list"):
            graph = Matrix.from_edges(
                *TWICE, weights, n=4, symmetric=symmetric, self_loops=self_loops,
                duplicates=duplicates, backend=backend,
            )  # fmt: skip
            u = Vector.from_entries([0, 2], [7, 4], 4, like=graph)
            products = (mxv(graph, u, semiring), vxm(u, graph, semiring, mask=~u.structure))
            found[backend] = [*map(entries, products), entries(graph), graph.nvals]
        assert found["list"] == found["reference"]


def test_duplicates_are_refused_and_an_operator_that_raises_is_named() -> None:
    with pytest.raises(DuplicateEntries):
        Matrix.from_edges([0, 0], [1, 1], [1, 2])

    @binary_op(result=float)
    def fails(edge: float, value: float) -> float:
        if edge > 0.8:
            raise ValueError("above")
        return edge

    graph = Matrix.from_edges([0, 0], [1, 2], [0.5, 0.9])
    with pytest.raises(OperatorError, match="fails"):
        vxm(Vector.full(3, 1.0), graph, Semiring(plus_monoid, fails))


def test_what_cannot_be_compiled_is_done_through_entries() -> None:
    table = {2: 20}

    @binary_op(result=int)
    def looked_up(edge: int, value: int) -> int:
        return table.get(edge, 0)

    graph = Matrix.from_edges([0, 1], [1, 2], [2, 3])
    found = vxm(Vector.full(3, 1), graph, Semiring(plus_monoid, looked_up))
    assert found.to_dict() == {1: 20, 2: 0}


def test_the_trace_counts_edges() -> None:
    graph = sei_graph()
    with anypair.trace() as trace:
        vxm(Vector.from_entries([3], [1], 9), graph, any_pair)
    (record,) = trace.records
    assert (record.direction, record.formats, record.edges) == ("push", "list", 4)


def test_arguments_stay_as_they_are() -> None:
    sources, targets = np.array([0, 1]), np.array([1, 2])
    graph = Matrix.from_edges(sources, targets, symmetric=True)
    sources[:] = targets[:] = 0
    assert bfs_levels(graph, 0).to_dict() == {0: 0, 1: 1, 2: 2}
