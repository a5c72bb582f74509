"""Starting a command on several ranks: the right mpiexec, and what it needs to run here.

`anypair launch -n 4 -- graph500 --scale 18` is `mpiexec -n 4 python -m anypair.rank -m anypair graph500
--scale 18` with the mpiexec that belongs to this interpreter's MPI, as root and with more ranks than
cores too. Whatever ends this process ends the ranks.
"""

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from anypair.errors import BackendUnavailable, FileUnreadable, InvalidValue
from anypair.machine import available_cores
from anypair.mpiexec_output import Output

INSTALL = "pip install 'anypair[mpi]'"
PASSED_ON = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
GRACE = 10.0  # seconds that mpiexec has to end its ranks before it is killed
PR_SET_PDEATHSIG = 1


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
        # One or two ranks would be bound to a core each, and their threads with them.
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "OMPI_MCA_hwloc_base_binding_policy": "none",  # the same for Open MPI 4
    }
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        wanted |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if ranks > available_cores():
        wanted |= {
            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
        }
    return wanted | dict(given)


def command(ranks: int, arguments: Sequence[str], mpiexec: Sequence[str] = ()) -> list[str]:
    """The command that runs these arguments of `anypair`, or this script, on so many ranks.

    `mpiexec` are options for it, such as `["--hostfile", "hosts"]`.
    """
    if isinstance(ranks, bool) or not isinstance(ranks, int) or ranks < 1:
        raise InvalidValue(f"launch: -n {ranks!r} is not a number of ranks; give 1 or more")
    if not arguments:
        raise InvalidValue(
            "launch: nothing to run; give a command after --, as in: launch -n 4 -- backends"
        )
    if importlib.util.find_spec("mpi4py") is None:
        raise BackendUnavailable(f"launch: mpi4py is not installed; install it with: {INSTALL}")
    if is_script(arguments) and not Path(arguments[0]).is_file():
        raise FileUnreadable(f"launch: there is no script {arguments[0]}")
    target = [] if is_script(arguments) else ["-m", "anypair"]
    rank = [sys.executable, "-m", "anypair.rank", *target, *arguments]
    return [find_mpiexec(), "-n", str(ranks), *mpiexec, *rank]


def is_script(arguments: Sequence[str]) -> bool:
    """Whether this is a Python script with its arguments, and no command of `anypair`."""
    return arguments[0].endswith(".py")


def launch(ranks: int, arguments: Sequence[str], mpiexec: Sequence[str] = ()) -> int:
    """Run and wait; the exit status is that of the job. How it ended is said if no rank has said it."""
    output = Output()
    with (
        subprocess.Popen(
            command(ranks, arguments, mpiexec),
            env=environment(ranks, os.environ),
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            preexec_fn=_end_with_parent(),
        ) as process,
        _signals_passed_on(process) as received,
    ):
        assert process.stderr is not None
        try:
            for line in process.stderr:
                _show(output.passed(line))
        except KeyboardInterrupt:
            _end(process, signal.SIGINT)
            raise
        _show(output.rest())
        status = process.wait()
    if received:
        _say(f"ended by {received[0].name}, and the job with it")
        return 128 + received[0]
    for rank, number in output.died:
        _say(f"rank {rank} was ended by {signal.Signals(number).name}, and the job with it")
    if status and not output.died and not output.said:
        who = "the job" if output.aborted is None else f"rank {output.aborted}, and the job with it,"
        _say(f"{who} has failed with exit status {status}")
    return status


def _show(lines: Iterator[str]) -> None:
    for line in lines:
        sys.stderr.write(line)


def _say(text: str) -> None:
    print(f"anypair launch: {text}", file=sys.stderr)


def _end(process: "subprocess.Popen[str]", number: signal.Signals) -> None:
    """Ask mpiexec to end its ranks, which it does within seconds, and insist."""
    process.send_signal(number)
    insist = threading.Timer(GRACE, process.kill)  # the ranks then end as they miss it
    insist.daemon = True
    insist.start()


@contextmanager
def _signals_passed_on(process: "subprocess.Popen[str]") -> Iterator[list[signal.Signals]]:
    """Signals that end this process end the job instead, and are listed."""
    received: list[signal.Signals] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))
        _end(process, signal.SIGTERM)

    if threading.current_thread() is not threading.main_thread():  # where no signal can be handled
        yield received
        return
    heeded = [each for each in PASSED_ON if signal.getsignal(each) is not signal.SIG_IGN]  # by nohup
    before = {number: signal.signal(number, pass_on) for number in heeded}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_with_parent() -> Callable[[], None] | None:
    """What makes a new process end when this one is killed, which leaves no time to tell it (Linux)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    parent = os.getpid()

    def arrange() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # killed in between
            os.kill(os.getpid(), signal.SIGTERM)

    return arrange
