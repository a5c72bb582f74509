"""Two ranks that call with different arguments, as users do by mistake; both are told each time."""

import numpy as np
from mpi4py import MPI

import anypair
from anypair import Matrix, Semiring, Vector, apply, assign, binary_op, extract, position, reduce, select
from anypair.errors import DistributedError
from anypair.semiring import lt, min_monoid, plus_monoid, times

world = MPI.COMM_WORLD
rank = world.rank
edges = np.random.default_rng(1).integers(0, 1000, (2, 5000))
mine = slice(5000 * rank // world.size, 5000 * (rank + 1) // world.size)


@binary_op(result=np.int64)
def shifted(edge, value):
    return value + rank


with anypair.using("mpi", local="scipy"):
    u = Vector.full(100, 1)
    ids = apply(u, position)
    path = Matrix.from_edges(range(99), range(1, 100), n=100, symmetric=True)
    calls = (
        lambda: Matrix.from_edges(*edges[:, mine], n=1000, symmetric=True),
        lambda: Matrix.from_edges([1], [2], [float(rank)], n=10),
        lambda: Vector.from_entries([5], [rank], 10),
        lambda: Vector.from_entries([rank], [1], 10),
        lambda: reduce(apply(u, times, right=rank), plus_monoid),
        lambda: select(ids, lt, right=10 * rank).nvals,
        lambda: reduce(assign(Vector.empty(100, int), rank), plus_monoid),
        lambda: reduce(Vector.full(100, rank), plus_monoid),
        lambda: extract(ids, [2, 4] if rank else [1, 5]),
        lambda: extract(path, [rank, 2], None),
        lambda: anypair.vxm(u, path, Semiring(min_monoid, shifted)),
        lambda: Matrix.from_edges([1], [2], distributed=bool(rank)),
    )
    told = 0
    for call in calls:
        try:
            call()
        except DistributedError:
            told += 1
    assert reduce(u, plus_monoid) == 100
assert world.allgather(told) == [told] * world.size
if not rank:
    print(f"told {told} times")
