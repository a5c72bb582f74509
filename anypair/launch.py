"""Starting a command on several ranks: the right mpiexec, and what it needs to run here.

`anypair launch -n 4 -- graph500 --scale 18` is `mpiexec -n 4 python -m mpi4py -m anypair graph500 ...`
with the mpiexec that belongs to this interpreter's MPI, as root and with more ranks than cores too.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from anypair.errors import BackendUnavailable, InvalidValue
from anypair.machine import available_cores

INSTALL = "pip install 'anypair[mpi]'"

# What Open MPI says of a rank that died, in lines that break anywhere.
DIED = re.compile(r"process rank (\d+) with PID \d+ on node \S+ exited on signal (\d+)")
KEPT_LINES = 200


def find_mpiexec() -> str:
    """The mpiexec beside this interpreter, where wheels put it, or else the first on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "mpiexec"
    found = str(beside) if beside.is_file() else shutil.which("mpiexec")
    if found is None:
        raise BackendUnavailable(
            f"launch: there is no mpiexec in {beside.parent} nor on the path; install it with: {INSTALL}"
        )
    return found


def environment(ranks: int, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of the ranks: what is given, and what running here needs besides.

    >>> environment(2, {"ANYPAIR_BACKEND": "reference"})["ANYPAIR_BACKEND"]
    'reference'
    """
    wanted = {
        "ANYPAIR_BACKEND": "mpi",
        "PYTHONHASHSEED": "0",  # so that ranks walk through sets of names in one order
        "OMPI_MCA_osc": "^ucx",  # which is not used, and complains
        "OMPI_MCA_mpi_yield_when_idle": "1",  # a rank that waits leaves its core to whoever has work
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        wanted |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if ranks > available_cores():
        wanted |= {
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }
    return wanted | dict(given)


def command(ranks: int, arguments: Sequence[str]) -> list[str]:
    """The command that runs these arguments of `anypair`, or this script, on so many ranks."""
    if isinstance(ranks, bool) or not isinstance(ranks, int) or ranks < 1:
        raise InvalidValue(f"launch: -n {ranks!r} is not a number of ranks; give 1 or more")
    if not arguments:
        raise InvalidValue(
            "launch: nothing to run; give a command after --, as in: launch -n 4 -- backends"
        )
    target = [] if arguments[0].endswith(".py") else ["-m", "anypair"]
    # An exception that nobody catches ends all ranks: mpi4py's own way to run a program.
    return [find_mpiexec(), "-n", str(ranks), sys.executable, "-m", "mpi4py", *target, *arguments]


def launch(ranks: int, arguments: Sequence[str]) -> int:
    """Run and wait; the exit status is that of mpiexec. A rank that died is named at the end."""
    said: deque[str] = deque(maxlen=KEPT_LINES)
    with subprocess.Popen(
        command(ranks, arguments),
        env=environment(ranks, os.environ),
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                sys.stderr.write(line)
                said.append(line)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            raise
        status = process.wait()
    died = DIED.findall(" ".join(" ".join(said).split())) if status else []
    for rank, number in died:
        name = signal.Signals(int(number)).name
        print(f"anypair launch: rank {rank} was ended by {name}, and the job with it", file=sys.stderr)
    if status and not died:
        print(f"anypair launch: the job has failed with exit status {status}", file=sys.stderr)
    return status
