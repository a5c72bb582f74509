"""Which way round backend suitesparse multiplies."""

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, trace
from anypair.semiring import Semiring, any_pair, min_select, min_source

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
