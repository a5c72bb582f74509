"""One rank that does not come to a call, each in a way of its own: endings.py CASE."""

import os
import resource
import signal
import sys
import threading
import time

import numpy as np

CASE = sys.argv[1]
RANK = int(os.environ["OMPI_COMM_WORLD_RANK"])
if CASE == "early" and RANK == 1:
    sys.exit(0)

from mpi4py import MPI  # noqa: E402  which begins MPI

import anypair  # noqa: E402
from anypair import Matrix, Vector  # noqa: E402
from anypair.algorithms import bfs_parents  # noqa: E402
from anypair.semiring import plus_monoid  # noqa: E402


def rest():
    time.sleep(1000)


def show_as_shells_do():
    try:
        raise ValueError("caught")
    except ValueError as error:
        sys.last_value = error


with anypair.using("mpi", local="scipy"):
    numbers = Vector.from_numpy(np.arange(100))
    parents = bfs_parents(Matrix.from_edges([0, 1, 2], [1, 2, 3], symmetric=True), 1)

if CASE == "natural":
    if RANK == 0:
        print(parents.to_dict())
elif CASE == "fewer":
    for _ in range(2 if RANK == 1 else 3):
        anypair.reduce(numbers, plus_monoid)
elif CASE == "status":
    if RANK == 1:
        sys.exit(3)
    anypair.reduce(numbers, plus_monoid)
elif CASE == "gathered":  # outside of all operations
    if RANK:
        numbers.backend.processes.gather(RANK)
elif CASE in ("raised", "beside_a_thread", "own_hook"):
    if CASE == "own_hook":
        # In one piece, so that nothing of another process comes in between.
        sys.excepthook = lambda kind, error, trace: sys.stderr.write(f"own hook: {error}\n")
    if CASE == "beside_a_thread" and RANK == 1:
        threading.Thread(target=rest).start()
    if RANK == 1:
        raise ValueError("on one rank alone")
    anypair.reduce(numbers, plus_monoid)
elif CASE == "caught":
    show_as_shells_do()
    anypair.reduce(numbers, plus_monoid)
    print("went on")
elif CASE == "stopped":
    if RANK == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    anypair.reduce(numbers, plus_monoid)
elif CASE == "elsewhere":
    if RANK == 1:
        rest()
    anypair.reduce(numbers, plus_monoid)
elif CASE == "memory":
    if RANK == 1:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: PTH123, SIM115
        resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20),) * 2)
    with anypair.using("mpi", local="scipy"):
        Matrix.from_edges(np.arange(1 << 21), np.arange(1 << 21), n=1 << 21)
elif CASE == "late":  # nothing is wrong: one rank takes its time, others end before it does
    for number in range(3):
        if number == RANK:
            time.sleep(2)
        assert anypair.reduce(numbers, plus_monoid) == 4950
    time.sleep(RANK)
    print("all came")
elif CASE == "endless":
    print(MPI.COMM_WORLD.rank, os.getpid(), os.getppid(), flush=True)
    while True:
        anypair.reduce(numbers, plus_monoid)
