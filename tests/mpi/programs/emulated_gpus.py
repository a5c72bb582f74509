"""Breadth-first search with the backend cuda, in the emulator, on each rank: also with semirings of one's own."""

import sys
from itertools import product

from mpi4py import MPI

import anypair
from anypair import MAX, MIN, Matrix, Semiring, Vector, apply, binary_op, monoid, position, update, vxm
from anypair.algorithms import bfs_levels, bfs_parents
from anypair.graph500 import kronecker_edges
from tests.cuda.emulator.plugin import emulate_without_gpu

emulate_without_gpu()


@binary_op
def chosen(edge, value):
    return value


@monoid(identity=MAX, terminal=MIN)
def smallest(x, y):
    return x if x < y else y


own_min_select = Semiring(smallest, chosen)


def own_search(graph, source):
    """As bfs_parents, with values and a semiring of one's own."""
    parents = Vector.from_entries([source], [source], graph.nrows, dtype=int, backend=graph.backend)
    frontier = parents
    while frontier.nvals:
        ids = apply(frontier, position)
        frontier = vxm(ids, graph, own_min_select, mask=~parents.structure)
        update(parents, frontier)
    return parents


FOLDS = ("alltoall", "scan", "wave")

stage, scales = sys.argv[1], map(int, sys.argv[2].split(","))
ranks, runs = MPI.COMM_WORLD.size, 0
for scale, grid in product(scales, (f"{r}x{ranks // r}" for r in range(1, ranks + 1) if ranks % r == 0)):
    sources, targets = kronecker_edges(scale, 4)
    root = int(sources[0])
    found = []
    fold = FOLDS[
        (runs + runs // 3) % 3
    ]  # another one for each grid of a scale, and for each scale of a grid
    chunk = 100 if runs % 2 else 1 << 30  # in rounds, and in one call
    on_grid = {"local": "cuda", "grid": grid, "stage": stage, "fold": fold, "chunk": chunk}
    for backend, options in (("reference", {}), ("mpi", on_grid)):
        with anypair.using(backend, **options):
            graph = Matrix.from_edges(sources, targets, n=1 << scale, symmetric=True)
            searches = (bfs_parents, bfs_levels, own_search)
            found.append([search(graph, root).to_dict() for search in searches])
    assert found[0] == found[1], (scale, grid)
    assert found[0][0] == found[0][2]
    runs += 1
if MPI.COMM_WORLD.rank == 0:
    print(f"{runs} graphs")
