"""A session on the ranks of one MPI job, started by `anypair launch`: SEED SECONDS FOLDER LOCAL."""

import random
import sys
from pathlib import Path

from mpi4py import MPI

from anypair.backends.registry import load
from tests.soak.checking import problem_on
from tests.soak.oracle import expected
from tests.soak.programs import Program
from tests.soak.session import as_line, soak

comm = MPI.COMM_WORLD
seed, seconds, folder, local = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
chosen = random.Random(seed)
backend = load(
    "mpi",
    {
        "local": local,
        "unit": 1,
        "fold": chosen.choice(["alltoall", "scan", "wave"]),
        "parents": chosen.choice(["online", "final"]),
    },
)


def check(program: Program) -> str:
    """Ranks run in step, one thread each."""
    truth, facts = expected(program)
    problem = problem_on({**program, "readers": 1}, backend, truth, facts)
    return f"{comm.size} ranks, {dict(backend.options)}: {problem}" if problem else ""


def agree(answer: bool) -> bool:
    """Whether the first rank says so, or any rank that something is wrong."""
    return bool(comm.allreduce(answer, MPI.LOR))


tally = soak(
    seed, seconds, folder, check, users=local != "suitesparse", agree=agree, alone=comm.rank == 0
)
if comm.rank == 0:
    print(as_line(tally), flush=True)
