"""Which way round backend suitesparse multiplies."""

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, trace
from anypair.backends.plan import Plan
from anypair.errors import UnknownOption
from anypair.semiring import Semiring, any_pair, min_select, min_source, plus_times

pytest.importorskip("suitesparse_graphblas")

N, HUBS = 4096, 4


@pytest.fixture(scope="module")
def graph() -> Matrix:
    """A ring, and a few vertices that all others have an edge to."""
    ring = np.arange(HUBS, N)
    sources = [ring, *(np.full(N, hub) for hub in range(HUBS))]
    targets = [np.roll(ring, 1), *HUBS * [np.arange(N)]]
    edges = np.concatenate(sources), np.concatenate(targets)
    return Matrix.from_edges(*edges, n=N, symmetric=True, self_loops=False, backend="suitesparse")


def direction(graph: Matrix, vertices: list[int], semiring: Semiring) -> str | None:
    """The way of a step from these vertices to others; the answer is looked at as well."""
    u = Vector.from_entries(vertices, vertices, N, backend=graph.backend)
    with trace() as seen:
        found = anypair.vxm(u, graph, semiring, mask=~u.structure)
    on_reference = u.to("reference")
    assert anypair.same(
        found.to("reference"),
        anypair.vxm(on_reference, graph.to("reference"), semiring, mask=~on_reference.structure),
    )
    return seen.records[-1].direction


@pytest.mark.parametrize("semiring", [any_pair, min_source, min_select], ids=lambda s: s.name)
def test_as_many_hubs_and_others(graph: Matrix, semiring: Semiring) -> None:
    """A few hubs have most of the edges, and a step from them is a pull."""
    assert direction(graph, list(range(HUBS)), semiring) == "pull"
    assert direction(graph, list(range(HUBS, 2 * HUBS)), semiring) == "push"


def test_the_smallest_index_is_as_early_as_any(graph: Matrix) -> None:
    """Rows are sorted, so both sums stop at the first term; a smallest value has to see all of them."""
    one_hub = {s.name: direction(graph, [0], s) for s in (any_pair, min_source, min_select)}
    assert one_hub == {"any_pair": "push", "min_source": "push", "min_select": "push"}
    two_hubs = {s.name: direction(graph, [0, 1], s) for s in (any_pair, min_source, min_select)}
    assert two_hubs == {"any_pair": "pull", "min_source": "pull", "min_select": "push"}


def test_nothing_is_counted_where_rows_are_mostly_empty() -> None:
    """To count the entries of so many rows would take all memory that there is."""
    size = 1 << 40
    far = Matrix.from_entries([0, 7, size - 1], [7, size - 1, 0], 1, (size, size), backend="suitesparse")
    u = Vector.from_entries([0, 7], 1, size, backend="suitesparse")
    assert anypair.vxm(u, far, min_source, mask=~u.structure).to_dict() == {size - 1: 7}


def test_a_direction_that_is_forced_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "direction", None)  # nobody may ask
    ring = np.arange(9)
    for forced in ("push", "pull"):
        with anypair.using("suitesparse", direction=forced):
            graph = Matrix.from_edges(ring, np.roll(ring, 1), n=9)
            u = Vector.from_entries([0, 4], 1, 9)
            with trace() as seen:
                assert anypair.vxm(u, graph, any_pair, mask=~u.structure).to_dict() == {8: 1, 3: 1}
            assert seen.records[-1].direction == forced


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(UnknownOption, match="direction='sideways' is none of"):
        anypair.using("suitesparse", direction="sideways").__enter__()


@pytest.mark.parametrize("semiring", [any_pair, plus_times], ids=lambda s: s.name)
def test_columns_are_made_when_they_have_been_missed_enough(semiring: Semiring) -> None:
    """A few products go the slower way round before the matrix is transposed for them."""
    ring = np.arange(64)
    with anypair.using("suitesparse"):
        graph = Matrix.from_edges(np.tile(ring, 8), np.concatenate([(ring + k) % 64 for k in range(8)]))
        full = Vector.full(64, 1)
        with trace() as seen:
            for _ in range(4):
                assert anypair.vxm(full, graph, semiring).nvals == 64
    directions = [record.direction for record in seen.records]
    assert directions == ["push", "pull", "pull", "pull"]
