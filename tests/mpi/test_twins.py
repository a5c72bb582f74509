"""A user's semiring sends the same bytes as its twin of the catalogue, with every fold."""

from typing import Any

import pytest

from anypair import MAX, Matrix, Semiring, Vector, apply, binary_op, monoid, update, vxm
from anypair.graph500 import kronecker_edges
from anypair.semiring import any_pair, min_select, min_source, position
from tests.mpi.threaded import ThreadGroup, run_ranks

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend

SCALE = 7
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
ROOT = int(SOURCES[0])
least = monoid(identity=MAX)(lambda x, y: min(x, y))
TWINS = {
    "min_source": (min_source, Semiring(least, binary_op(positional=True)(lambda e, v, k: k)), False),
    "min_select": (min_select, Semiring(least, binary_op(lambda e, v: v)), False),
    "any_pair": (any_pair, Semiring(least, binary_op(result=bool)(lambda e, v: True)), False),
    "min_select over indices": (min_source, min_select, True),
}


def search(graph: Matrix, semiring: Semiring, indices: bool) -> Vector:
    """Breadth first, as `bfs_parents` does it."""
    parents = Vector.from_entries([ROOT], [ROOT], graph.nrows, backend=graph.backend)
    if semiring.typed(graph.dtype, parents.dtype).result != parents.dtype:
        parents = parents.cast(bool)
    frontier = parents
    while frontier.nvals:
        offered = apply(frontier, position) if indices else frontier
        frontier = vxm(offered, graph, semiring, mask=~parents.structure)
        update(parents, frontier)
    return parents


@pytest.mark.parametrize("parents", ["online", "final"])
@pytest.mark.parametrize("fold", ["alltoall", "scan", "wave"])
@pytest.mark.parametrize("name", TWINS)
def test_twins_send_the_same_bytes(name: str, fold: str, parents: str) -> None:
    built_in, twin, indices = TWINS[name]

    def run(world: ThreadGroup) -> list[tuple[Any, ...]]:
        options: dict[str, Any] = {"grid": "2x2", "fold": fold, "parents": parents}
        backend = MpiBackend(local="scipy", threads=1, world=world, **options)
        graph = Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=True, backend=backend)
        search(graph, built_in, indices)  # so that what is counted once for a graph has been
        found = []
        for semiring, over_indices in ((built_in, False), (twin, indices)):
            before = (world.traffic.exchanges, world.traffic.sent, world.traffic.received)
            values = search(graph, semiring, over_indices).finish()
            after = (world.traffic.exchanges, world.traffic.sent, world.traffic.received)
            used = tuple(y - x for x, y in zip(before, after, strict=True))
            found.append((used, values.to_dict()))
        return found

    for one, other in run_ranks(4, run):
        assert one == other
        assert one[0][1] > 0
