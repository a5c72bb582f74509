"""Before a timer starts, both directions are searched."""

import pytest

from anypair import Matrix, Vector
from anypair.algorithms import bfs_parents
from tests.cuda.support import emulated, needs_compiler  # noqa: F401  a fixture

pytestmark = [needs_compiler, pytest.mark.usefixtures("emulated")]


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("weights", [None, 1.5])
def test_both_directions_are_searched(symmetric: bool, weights: float | None) -> None:
    seen = []

    def search(graph: Matrix, root: int) -> Vector:
        seen.append((graph.backend.direction, graph.dtype))  # type: ignore[attr-defined]
        return bfs_parents(graph, root)

    graph = Matrix.from_edges([0, 1], [1, 2], weights, symmetric=symmetric, backend="cuda")
    graph.prepare(search, 0)
    assert seen == [("push", graph.dtype), ("pull", graph.dtype)]
    assert bfs_parents(graph, 0).to_dict() == {0: 0, 1: 0, 2: 1}
