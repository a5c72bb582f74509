"""What one rank does wrong, all learn: python failures.py CASE FOLDS, on ranks that form two lines."""

import os
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

import anypair
from anypair import Matrix, Semiring, Vector, binary_op, vxm
from anypair.algorithms import bfs_parents
from anypair.errors import DistributedError, OperatorError
from anypair.semiring import min_monoid, min_source, plus, plus_monoid, plus_times

CASE, FOLDS = sys.argv[1], sys.argv[2].split(",")
RANK = MPI.COMM_WORLD.rank
N = 256
GRID = f"2x{MPI.COMM_WORLD.size // 2}"


@binary_op(result=np.int64)
def fails_at_200(edge, value):
    return 7 // (value - 200)


def expect(kind, text, call):
    said = "nothing"
    try:
        call()
    except kind as error:
        said = str(error)
    assert text in said, said


def catch_all(ring, numbers):
    # An operator that fails on one block only, in a product, entry by entry and in a write.
    failing = Semiring(min_monoid, fails_at_200)
    for call in (
        lambda: vxm(numbers, ring, failing),
        lambda: anypair.ewise_mult(numbers, numbers, fails_at_200),
        lambda: anypair.ewise_mult(numbers, numbers, plus, out=numbers, accum=fails_at_200),
    ):
        expect(OperatorError, "rank ", call)
    # Arguments on which ranks disagree.
    mine = Vector.full(N, 1)
    semiring = min_source if RANK == 1 else plus_times
    expect(DistributedError, "rank 1: vxm(min_source", lambda: vxm(mine, ring, semiring))
    expect(DistributedError, "disagree", lambda: (mine if RANK else ring).nbytes)
    size = 10 + (RANK == 1)
    expect(DistributedError, "rank 1: build((11,)", lambda: Vector.from_entries([1], [1], size))
    expect(DistributedError, "disagree", lambda: anypair.using("mpi", lanes=1 + RANK).__enter__())
    # After all that everybody is still in step.
    assert anypair.reduce(numbers, plus_monoid) == N * (N - 1) // 2
    assert bfs_parents(ring, 0).nvals == N
    print("all caught")


def end_alone(ring):
    while True:
        bfs_parents(ring, 0)
        if RANK == 1:
            print(time.time(), flush=True)
        if RANK == 1 and CASE == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if RANK == 1:
            raise ValueError("one rank alone")


for fold in FOLDS:
    with anypair.using("mpi", grid=GRID, fold=fold, local="scipy"):
        ring = Matrix.from_edges(np.arange(N), (np.arange(N) + 1) % N, symmetric=True)
        if CASE == "caught":
            catch_all(ring, Vector.from_numpy(np.arange(N)))
        else:
            end_alone(ring)
