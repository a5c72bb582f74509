"""What a trace of a grid says: every byte, the edges of all ranks, and nothing that tracing itself costs."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, apply, extract, mxm, reduce, update, vxm
from anypair.algorithms import bellman_ford, bfs_parents, connected_components
from anypair.errors import DistributedError
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_source, plus_monoid, plus_times, times
from anypair.trace import Trace, untraced
from tests.mpi.threaded import ThreadGroup, run_ranks

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend, phases_of

SCALE = 7
SOURCES, TARGETS = kronecker_edges(SCALE, edgefactor=6)
WEIGHTS = np.arange(len(SOURCES)) % 7 + 1.0
ROOT = int(SOURCES[0])


def on(world: ThreadGroup, **options: Any) -> MpiBackend:
    return MpiBackend(**{"local": "scipy", "threads": 1, "grid": "2x2"} | options, world=world)


def graph_on(backend: Any) -> Matrix:
    return Matrix.from_edges(SOURCES, TARGETS, n=1 << SCALE, symmetric=True, backend=backend)


def weighted_on(backend: Any) -> Matrix:
    return Matrix.from_edges(
        SOURCES, TARGETS, WEIGHTS, n=1 << SCALE, duplicates=anypair.semiring.minimum, backend=backend
    )


def everything(graph: Matrix) -> None:
    """Operations of all kinds, constructors and looks between them."""
    parents = bfs_parents(graph, ROOT)
    update(parents, Vector.from_entries([1], [1], graph.nrows, backend=graph.backend))
    assert parents.nvals
    few = extract(parents, [1, 2, 3])
    reduce(few, plus_monoid)
    mxm(graph, graph, plus_times, mask=graph.structure)
    reduce(extract(graph, [1, 2, 3], None), plus_monoid, by="rows")
    apply(parents, times, right=2).to_dict()


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "bfs_parents": lambda backend: bfs_parents(graph_on(backend), ROOT).finish(),
    "bellman_ford": lambda backend: bellman_ford(weighted_on(backend), ROOT),
    "connected_components": lambda backend: connected_components(graph_on(backend)),
    "everything": lambda backend: everything(graph_on(backend)),
}


@pytest.mark.parametrize("local", ["scipy", "jit"])
@pytest.mark.parametrize("parents", ["online", "final"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_tracing_costs_no_exchange_and_misses_no_byte(program: str, parents: str, local: str) -> None:
    def run(world: ThreadGroup) -> Any:
        backend = on(world, parents=parents, local=local)
        traffic = world.traffic
        counts = []
        for tracing in (False, True):
            exchanges, sent, received = traffic.exchanges, traffic.sent, traffic.received
            if tracing:
                with anypair.trace() as seen:
                    PROGRAMS[program](backend)
            else:
                PROGRAMS[program](backend)
            counts.append(
                (traffic.exchanges - exchanges, traffic.sent - sent, traffic.received - received)
            )
        assert counts[0] == counts[1]
        phases = [*(record.phases for record in seen.records), seen.elsewhere]
        told = [sum(p[key] for each in phases for p in each.values()) for key in ("sent", "received")]
        assert told == [*counts[1][1:]]
        assert seen.elsewhere
        return sum(row["sent"] for row in phases_of(seen, backend)), counts[1][1]

    found = run_ranks(4, run)
    assert found[0][0] == sum(sent for _, sent in found)


def test_finding_parents_is_an_operation_of_its_own() -> None:
    """Its bytes, seconds and edges are in its own record, whoever made it happen."""
    looks: dict[str, Callable[[Vector], Any]] = {
        "finish": lambda x: x.finish(),
        "to_dict": lambda x: x.to_dict(),
        "apply": lambda x: apply(x, times, right=2),
    }

    def run(world: ThreadGroup) -> dict[str, Trace]:
        backend = on(world, parents="final", local="jit")
        graph, traces = graph_on(backend), {}
        for name, look in looks.items():
            parents = bfs_parents(graph, ROOT)
            assert backend.deferral is not None
            again = backend.deferral._again
            backend.deferral._again = lambda s, a=again: (time.sleep(0.05), a(s))[1]  # type: ignore
            with anypair.trace() as seen:
                look(parents)
            backend.deferral._again = again  # type: ignore[method-assign]
            traces[name] = seen.gathered(backend.processes)
        return traces

    for traces in run_ranks(4, run):
        for name, seen in traces.items():
            expected = ["finish", "apply"] if name == "apply" else ["finish"]
            assert [record.operation for record in seen.records] == expected
            settled = seen.records[0]
            assert settled.operator == "min_source"
            assert settled.phases["fold"]["sent"] > 0
            assert settled.seconds >= settled.phases["local"]["seconds"] >= 0.1
            assert settled.edges is not None
            assert settled.edges > settled.nvals_out > 50
        outer = traces["apply"].records[1]
        assert outer.seconds < 0.1
        assert "fold" not in outer.phases


@pytest.mark.parametrize("grid", ["4x1", "2x2", "1x4"])
def test_entries_and_edges_are_those_of_all_ranks(grid: str) -> None:
    """Gathered, a trace says of a search what one process says."""
    with anypair.trace() as alone:
        bfs_parents(graph_on("jit"), ROOT)
    expected = [(r.operation, r.nvals_in, r.nvals_out) for r in alone.records]

    def run(world: ThreadGroup) -> Trace:
        backend = on(world, local="jit", grid=grid, direction="push")
        graph = graph_on(backend)
        with anypair.trace() as seen:
            bfs_parents(graph, ROOT)
            reduce(graph, plus_monoid)
        assert {record.rank for record in seen.records} == {world.rank}
        return seen.gathered(backend.processes)

    for seen in run_ranks(4, run):
        *search, total = seen.records
        assert [(r.operation, r.nvals_in, r.nvals_out) for r in search] == expected
        assert (total.operation, total.nvals_in["x"], total.nvals_out) == (
            "reduce",
            expected[0][1]["A"],
            1,
        )
        assert total.rank is None
        products = [record for record in search if record.operation == "vxm"]
        # A push looks at every edge that leaves the frontier, wherever it is stored.
        levels = sum(record.edges or 0 for record in products)
        degrees = np.bincount(np.array(graph_on("scipy").to_entries()[0]), minlength=1 << SCALE)
        reached = bfs_parents(graph_on("scipy"), ROOT).to_entries()[0]
        assert levels == degrees[reached].sum()


def test_one_rank_alone_may_trace() -> None:
    def run(world: ThreadGroup) -> int:
        backend = on(world)
        graph = graph_on(backend)
        if world.rank == 1:
            with anypair.trace() as seen:
                bfs_parents(graph, ROOT)
            assert seen.records
        else:
            bfs_parents(graph, ROOT)
        return reduce(graph, plus_monoid)

    assert len(set(run_ranks(4, run))) == 1


def test_traces_of_different_calls_are_not_put_together() -> None:
    def run(world: ThreadGroup) -> None:
        backend = on(world)
        u = Vector.full(9, 1, backend=backend)
        with anypair.trace() as seen:
            reduce(u, plus_monoid)
        if world.rank == 3:
            seen.records.clear()
        with pytest.raises(DistributedError, match=r"\(1, 1, 1, 0 of them\)"):
            seen.gathered(backend.processes)

    run_ranks(4, run)


def test_what_is_not_traced_is_in_no_trace() -> None:
    """Neither what was sent before, nor inside `untraced`; a trace inside is a part of the outer one."""

    def run(world: ThreadGroup) -> None:
        backend = on(world)
        graph = graph_on(backend)
        u = Vector.full(1 << SCALE, 1, backend=backend)
        vxm(u, graph, min_source)
        with anypair.trace() as outer:
            before = world.traffic.sent
            Vector.empty(9, backend=backend)
            own = world.traffic.sent - before
            with untraced():
                vxm(u, graph, min_source)
            with anypair.trace() as inner:
                vxm(u, graph, min_source)
            Vector.empty(9, backend=backend)
        assert len(inner.records) == 1
        assert outer.records == inner.records
        assert sum(phase["sent"] for phase in outer.elsewhere.values()) == 2 * own

    run_ranks(4, run)
