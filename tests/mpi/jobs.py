"""Starting programs on MPI ranks, as people do, with a limit of time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anypair.launch import environment as rank_environment
from anypair.launch import find_mpiexec
from tests.support.interrupts import heed_interrupts

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = Path(__file__).parent / "programs"
LIMIT = 240.0


@contextmanager
def started(command: list[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A job that runs; what is left of it in the end is ended."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ANYPAIR_", "OMPI_", "PMIX_"))}
    clean |= {"PYTHONPATH": str(ROOT), "OMPI_MCA_btl_tcp_if_include": "lo"}
    kept = {k: v for k, v in os.environ.items() if k == "ANYPAIR_CACHE"}
    with subprocess.Popen(
        command,
        env=clean | kept | environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=heed_interrupts,
    ) as process:
        try:
            yield process
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)  # mpiexec then ends its ranks
            raise


def launch_command(ranks: int, *arguments: str) -> list[str]:
    """A program or a command on so many ranks, by our own launcher."""
    return [sys.executable, "-m", "anypair", "launch", "-n", str(ranks), "--", *arguments]


class Job:
    """A finished job: its exit status, what it printed, and how long it took.

    With `plain` the program is started by mpiexec itself, not by our launcher.
    """

    def __init__(
        self,
        ranks: int,
        *arguments: str,
        limit: float = LIMIT,
        plain: bool = False,
        **environment: str,
    ) -> None:
        command = launch_command(ranks, *arguments)
        if plain:
            command = [find_mpiexec(), "-n", str(ranks), sys.executable, *arguments]
            environment = rank_environment(ranks, environment)
        begin = time.monotonic()
        with started(command, environment) as process:
            self.printed, self.said = process.communicate(timeout=limit)
        self.seconds = time.monotonic() - begin
        self.status = process.returncode


def run_program(ranks: int, name: str, *arguments: str, **environment: str) -> Job:
    """A program of ours on so many ranks."""
    return Job(ranks, str(PROGRAMS / f"{name}.py"), *arguments, **environment)
