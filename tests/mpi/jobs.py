"""Starting programs on MPI ranks, as people do, with a limit of time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = Path(__file__).parent / "programs"
LIMIT = 240.0


class Job:
    """A finished job: its exit status, what it printed, and how long it took."""

    def __init__(self, ranks: int, *arguments: str, limit: float = LIMIT, **environment: str) -> None:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ANYPAIR_", "OMPI_", "PMIX_"))}
        clean |= {
            "PYTHONPATH": str(ROOT),
            # Several jobs at once must not be bound to the same core.
            "PRTE_MCA_hwloc_default_binding_policy": "none",
            "OMPI_MCA_btl_tcp_if_include": "lo",
        }
        kept = {k: v for k, v in os.environ.items() if k == "ANYPAIR_CACHE"}
        begin = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-m", "anypair", "launch", "-n", str(ranks), "--", *arguments],
            env=clean | kept | environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                self.printed, self.said = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)  # mpiexec then ends its ranks
                raise
        self.seconds = time.monotonic() - begin
        self.status = process.returncode


def run_program(ranks: int, name: str, *arguments: str) -> Job:
    """A program of ours on so many ranks."""
    return Job(ranks, str(PROGRAMS / f"{name}.py"), *arguments)
