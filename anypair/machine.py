"""What this process may use of the machine, and which of several processes it is."""

import os

# What Open MPI, MPICH (and its relatives) and Slurm call the rank.
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")

# Seconds that a rank with something to say of the end leaves to others, one of which may speak for all.
PATIENCE = 1.0


def usable_cores() -> frozenset[int]:
    """The cores that this process may use, by their numbers."""
    try:
        return frozenset(os.sched_getaffinity(0))
    except AttributeError:
        return frozenset(range(os.cpu_count() or 1))


def available_cores() -> int:
    """How many cores this process may use."""
    return len(usable_cores())


def launched_rank() -> int:
    """The rank that a launcher has given to this process; 0 if there was none.

    Known without starting MPI, which takes a while.
    """
    given = (os.environ.get(name, "") for name in RANK_VARIABLES)
    return next((int(text) for text in given if text.isdecimal()), 0)
