"""A user's semiring sends the same bytes as its twin of the catalogue, with every fold."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import pytest

from anypair import MAX, Matrix, Semiring, Vector, apply, binary_op, monoid, mxv, update, vxm
from anypair.graph500 import kronecker_edges
from anypair.semiring import any_pair, min_select, min_source, position
from tests.mpi.threaded import ThreadGroup, run_ranks
from tests.support.strategies import SEMIRINGS
from tests.support.twins import graph_and_vector, twin_of

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


#: Exchanges and bytes sent and received, and the entries that came of it.
Cost: TypeAlias = tuple[tuple[int, ...], dict[int, Any]]
WAYS = [(fold, parents) for fold in ("alltoall", "scan", "wave") for parents in ("online", "final")]


def on_ranks(world: ThreadGroup, fold: str, parents: str) -> MpiBackend:
    options: dict[str, Any] = {"grid": "2x2", "fold": fold, "parents": parents}
    return MpiBackend(local="scipy", threads=1, world=world, **options)


def cost_of(world: ThreadGroup, product: Callable[[], Vector]) -> Cost:
    traffic = world.traffic
    before = (traffic.exchanges, traffic.sent, traffic.received)
    values = product().finish()
    after = (traffic.exchanges, traffic.sent, traffic.received)
    return tuple(y - x for x, y in zip(before, after, strict=True)), values.to_dict()


@pytest.mark.parametrize(("fold", "parents"), WAYS)
@pytest.mark.parametrize("name", TWINS)
def test_searches_of_twins_send_the_same_bytes(name: str, fold: str, parents: str) -> None:
    built_in, twin, indices = TWINS[name]

    def run(world: ThreadGroup) -> list[Cost]:
        backend = on_ranks(world, fold, parents)
        graph = Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=True, backend=backend)
        search(graph, built_in, indices)  # so that what is counted once for a graph has been
        return [
            cost_of(world, lambda: search(graph, built_in, False)),
            cost_of(world, lambda: search(graph, twin, indices)),
        ]

    for one, other in run_ranks(4, run):
        assert one == other
        assert one[0][1] > 0


@pytest.mark.parametrize(("fold", "parents"), WAYS)
def test_products_of_all_twins_send_the_same_bytes(fold: str, parents: str) -> None:
    """With a mask and without one, from either side."""

    def run(world: ThreadGroup) -> dict[str, list[Cost]]:
        backend = on_ranks(world, fold, parents)
        found = {}
        for name, built_in in SEMIRINGS.items():
            graph, u = graph_and_vector(name, backend)
            twin = twin_of(built_in, graph.dtype)
            vxm(u, graph, built_in, mask=~u.structure)  # what is counted once
            found[name] = [
                cost_of(world, product)
                for semiring in (built_in, twin)
                for product in (
                    partial(vxm, u, graph, semiring, mask=~u.structure),
                    partial(mxv, graph, u, semiring),
                )
            ]
        return found

    for costs in run_ranks(4, run):
        for name, (masked, whole, masked_twin, whole_twin) in costs.items():
            assert masked == masked_twin, name
            assert whole == whole_twin, name
            assert whole[0][1] > 0
