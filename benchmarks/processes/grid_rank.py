"""What each rank of a job of benchmarks/grid.py does; the first one prints the figures as JSON."""

import json
import resource
import sys
import time
from typing import Any

import numpy as np
from mpi4py import MPI

import anypair
from anypair import Matrix, Vector, update, vxm
from anypair.algorithms import bfs_parents
from anypair.backends.mpi import phases_of
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_source

COMM = MPI.COMM_WORLD


def graph_on(backend: Any, scale: int, *, sliced: bool = True) -> Matrix:
    """A Kronecker graph, of which each rank makes its own slice of the edges."""
    number = 16 << scale
    begin, end = (number * r // COMM.size for r in (COMM.rank, COMM.rank + 1)) if sliced else (0, number)
    sources, targets = kronecker_edges(scale, start=begin, stop=end)
    return Matrix.from_edges(
        sources,
        targets,
        n=1 << scale,
        symmetric=True,
        self_loops=False,
        distributed=sliced,
        backend=backend,
    )


def roots(scale: int, count: int) -> list[int]:
    """Vertices with an edge."""
    sources, targets = kronecker_edges(scale, stop=4 * count)
    return [int(v) for v in sources[sources != targets][:count]]


def volume(scale: int, **options: Any) -> dict[str, Any]:
    """Bytes of each phase and pairs of the fold, against the pairs that edges alone would make."""
    with anypair.using("mpi", threads=1, **options) as backend:
        graph = graph_on(backend, scale)
        found: dict[str, Any] = {"edges": 0, "entries": 0}
        for root in roots(scale, 4):
            with anypair.trace() as trace:
                bfs_parents(graph, root).finish()
            together = trace.gathered(backend.processes)
            found["edges"] += sum(record.edges or 0 for record in together.records)
            for row in phases_of(trace, backend):
                found[row["phase"]] = found.get(row["phase"], 0) + row["sent"]
                found["entries"] += row["entries"] if row["phase"] == "fold" else 0
        return found


def speed(scale: int, count: int, **options: Any) -> dict[str, Any]:
    """Seconds of searches by one process on all cores, and by all ranks with a thread each, by turns."""
    with anypair.using("mpi", threads=1, **options) as backend:
        ours = graph_on(backend, scale)
    alone = None
    with anypair.using("jit", threads=COMM.size) as jit:
        if COMM.rank == 0:
            alone = graph_on(jit, scale, sliced=False)
            alone.prepare(bfs_parents, 0)
    ours.prepare(bfs_parents, 0)
    seconds: dict[str, list[float]] = {"one process": [], "ranks": []}
    for root in roots(scale, count + 2):
        _meet()
        if alone is not None:
            begin = time.perf_counter()
            expected = bfs_parents(alone, root).finish()
            seconds["one process"].append(time.perf_counter() - begin)
        _meet()
        begin = time.perf_counter()
        tree = bfs_parents(ours, root).finish()
        COMM.Barrier()
        seconds["ranks"].append(time.perf_counter() - begin)
        reached, parents = tree.to_entries()
        if alone is not None:
            assert np.array_equal(reached, expected.to_entries()[0])
            assert np.array_equal(parents, expected.to_entries()[1])
    return {name: times[2:] for name, times in seconds.items()}


def _meet() -> None:
    """Wait for the others without taking a core from them."""
    request = COMM.Ibarrier()
    while not request.Test():
        time.sleep(0.0005)


def overhead(scale: int, count: int, **options: Any) -> dict[str, Any]:
    """Seconds of a level, of which next to nothing is work on so small a graph."""
    with anypair.using("mpi", threads=1, **options) as backend:
        graph = graph_on(backend, scale)
    graph.prepare(bfs_parents, 0)
    seconds = []
    for root in roots(scale, count):
        bfs_parents(graph, root)
        parents = Vector.from_entries([root], [root], graph.nrows, backend=backend)
        frontier = parents
        while frontier.nvals:
            begin = time.perf_counter()
            frontier = vxm(frontier, graph, min_source, mask=~parents.structure)
            update(parents, frontier)
            seconds.append(time.perf_counter() - begin)
    return {"seconds per level": seconds}


def memory(scale: int, **options: Any) -> dict[str, Any]:
    """The most memory that a rank has had after building and searching, in bytes."""
    with anypair.using("mpi", threads=1, **options) as backend:
        small = graph_on(backend, 6)
        bfs_parents(small, roots(6, 1)[0])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        graph = graph_on(backend, scale)
        for root in roots(scale, 2):
            bfs_parents(graph, root)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"start": max(COMM.allgather(before)), "peak": max(COMM.allgather(peak))}


def main() -> None:
    """Run what the arguments name: a measure and its options as JSON."""
    measure = {"volume": volume, "speed": speed, "overhead": overhead, "memory": memory}[sys.argv[1]]
    found = measure(**json.loads(sys.argv[2]))
    if COMM.rank == 0:
        print(json.dumps(found))


main()
