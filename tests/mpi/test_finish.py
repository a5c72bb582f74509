"""`finish`: what was put off is done then, and a timer that stops after it has seen all of the work."""

from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, update, vxm
from anypair.algorithms import bfs_parents
from anypair.graph500.edges import EdgeList
from anypair.graph500.kernels import construct, search, shortest_paths
from anypair.graph500.kronecker import kronecker_edges
from anypair.semiring import min_source
from tests.mpi.threaded import ThreadGroup, run_ranks

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend

SCALE = 7
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
WEIGHTS = np.linspace(0.1, 1.0, len(SOURCES))
ROOT = int(SOURCES[0])


def on(world: ThreadGroup, parents: str, **options: Any) -> MpiBackend:
    return MpiBackend(local="scipy", threads=1, grid="2x2", parents=parents, world=world, **options)


def graph_on(backend: Any) -> Matrix:
    return Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=True, backend=backend)


def block(u: Vector) -> list[float]:
    """What the validator of the benchmark looks at."""
    return list(u.backend.block(u.storage, u.size, -1).tolist())


@pytest.mark.parametrize("parents", ["online", "final"])
@pytest.mark.parametrize("kernel", [search, shortest_paths])
def test_a_timed_kernel_leaves_nothing_for_later(kernel: Any, parents: str) -> None:
    """Whoever looks at the answer, or finishes it again, exchanges nothing with other ranks."""

    def run(world: ThreadGroup) -> None:
        mine = slice(world.rank, None, world.size)
        edges = EdgeList(SOURCES[mine], TARGETS[mine], WEIGHTS[mine])
        tree = kernel(construct(edges, on(world, parents)), ROOT)
        exchanges, sent = world.traffic.exchanges, world.traffic.sent
        for vector in tree:
            if vector is not None:
                first = block(vector)
                assert vector.nvals > 1
                assert vector.finish() is vector
                assert block(vector) == first
        assert (world.traffic.exchanges, world.traffic.sent) == (exchanges, sent)

    run_ranks(4, run)


def test_finishing_finds_the_parents_that_were_put_off() -> None:
    def run(world: ThreadGroup) -> Any:
        parents = bfs_parents(graph_on(on(world, "final")), ROOT)
        assert parents.storage.awaited
        before = world.traffic.exchanges
        parents.finish()
        assert world.traffic.exchanges > before
        assert not parents.storage.awaited
        return parents.to_dict()

    expected = bfs_parents(graph_on("reference"), ROOT).to_dict()
    assert run_ranks(4, run) == [expected] * 4


def test_values_that_could_not_be_found_are_still_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lack of memory while values are found is an error, not a vector with wrong values."""

    def run(world: ThreadGroup) -> Any:
        backend = on(world, "final")
        graph = graph_on(backend)
        parents = Vector.from_entries([ROOT], [ROOT], graph.nrows, backend=backend)
        update(parents, vxm(parents, graph, min_source, mask=~parents.structure))
        assert backend.deferral is not None
        again = backend.deferral._again

        def fail(given: Any) -> Any:
            if world.rank == 1:
                raise MemoryError("no room")
            return again(given)

        backend.deferral._again = fail  # type: ignore[method-assign]
        with pytest.raises(Exception, match="rank 1: MemoryError: no room"):
            parents.finish()
        backend.deferral._again = again  # type: ignore[method-assign]
        return parents.to_dict()

    def reference() -> Any:
        graph = graph_on("reference")
        parents = Vector.from_entries([ROOT], [ROOT], graph.nrows, backend="reference")
        return update(parents, vxm(parents, graph, min_source, mask=~parents.structure)).to_dict()

    assert run_ranks(4, run) == [reference()] * 4
