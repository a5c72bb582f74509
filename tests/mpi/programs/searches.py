"""Breadth-first search on every grid of the ranks, on each local backend, against the reference.

Each way of folding meets each way of expanding once; all of them together run in test_on_threads.py.
"""

import sys
from itertools import product

from mpi4py import MPI

import anypair
from anypair import Matrix
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.graph500 import kronecker_edges

WAYS = [
    ("alltoall", "auto", "online"),
    ("alltoall", "bitmap", "final"),
    ("scan", "list", "online"),
    ("scan", "auto", "final"),
    ("wave", "bitmap", "online"),
    ("wave", "list", "final"),
]
SCALE = 8
LOCALS = sys.argv[1].split(",")


def graphs(backend=None):
    """An undirected and a directed graph, of which each rank may give its own slice."""
    comm = MPI.COMM_WORLD
    count = 8 << SCALE
    slices = [count * r // comm.size for r in range(comm.size + 1)]
    for symmetric in (True, False):
        begin, end = (0, count) if backend is None else slices[comm.rank : comm.rank + 2]
        sources, targets = kronecker_edges(SCALE, 8, start=begin, stop=end)
        yield Matrix.from_edges(
            sources,
            targets,
            n=1 << SCALE,
            symmetric=symmetric,
            distributed=backend is not None,
            backend=backend or "reference",
        )


ranks = MPI.COMM_WORLD.size
grids = [f"{r}x{ranks // r}" for r in range(1, ranks + 1) if ranks % r == 0]
root = int(kronecker_edges(SCALE, 8, stop=1)[0][0])
expected = [(bfs_parents(g, root).to_dict(), bfs_levels(g, root).to_dict()) for g in graphs()]
runs = 0
for turn, (grid, local, half) in enumerate(product(grids, LOCALS, range(3))):
    fold, expand, parents = WAYS[2 * half + turn // 3 % 2]
    options = {"grid": grid, "local": local, "fold": fold, "expand": expand, "parents": parents}
    with anypair.using("mpi", **options) as backend:
        found = [bfs_parents(graph, root).to_dict() for graph in graphs(backend)]
        assert found == [tree for tree, _ in expected], options
        runs += 1
with anypair.using("mpi") as backend:
    found = [bfs_levels(graph, root).to_dict() for graph in graphs(backend)]
    assert found == [levels for _, levels in expected]
if MPI.COMM_WORLD.rank == 0:
    print(f"{runs} searches")
