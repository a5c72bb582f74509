"""A session on the ranks of one MPI job, started by `anypair launch`: LOCAL, then SEED SECONDS FOLDER, or FILE.

With a file it runs that program only, and prints what is wrong with it.
"""

import random
import sys
from pathlib import Path

from mpi4py import MPI

from anypair.backends.registry import load
from tests.soak.checking import problem_on
from tests.soak.oracle import expected
from tests.soak.programs import Program, read
from tests.soak.session import as_line, soak

comm = MPI.COMM_WORLD
local, *given = sys.argv[1:]
seed = int(given[0]) if len(given) == 3 else read(Path(given[0]))["seed"]
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


if len(given) == 1:
    said = "\n".join(filter(None, comm.allgather(check(read(Path(given[0]))))))
else:
    alone = comm.rank == 0
    tally = soak(
        seed,
        float(given[1]),
        Path(given[2]),
        check,
        users=local != "suitesparse",
        agree=agree,
        alone=alone,
    )
    said = as_line(tally)
if comm.rank == 0:
    print(said, flush=True)
