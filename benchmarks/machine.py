"""Where and with what a run was made."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from anypair.graph500.machine import describe_machine, version_of

PACKAGES = (
    "anypair",
    "igraph",
    "llvmlite",
    "networkit",
    "numba",
    "numpy",
    "python-graphblas",
    "rustworkx",
    "scipy",
    "suitesparse-graphblas",
)
VARIABLES = ("OMP_", "NUMBA_", "ANYPAIR_", "GOMP_", "RAYON_")
WORKING_STATES = (0, 1, 2, 5, 6, 7)  # of /proc/stat: user, nice, system, irq, softirq, steal


def describe() -> dict[str, Any]:
    """The machine, the versions of everything that is compared, and the settings that count."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **describe_machine(),
        "python": platform.python_version(),
        "commit": _commit(),
        "packages": {name: version_of(name) for name in PACKAGES},
        "environment": {k: v for k, v in sorted(os.environ.items()) if k.startswith(VARIABLES)},
    }


class OtherWork:
    """How many cores other processes, and other tenants of the machine, keep busy from now on."""

    def __init__(self) -> None:
        self._begin = _processor_seconds()

    def cores(self) -> float | None:
        """The average so far; None where the system does not tell."""
        if self._begin is None or (now := _processor_seconds()) is None:
            return None
        elapsed, everyone, own = (after - before for after, before in zip(now, self._begin, strict=True))
        return max(0.0, (everyone - own) / elapsed)


def _processor_seconds() -> tuple[float, float, float] | None:
    """The clock, and the seconds that processors worked: for anybody, and for us and our children."""
    try:
        fields = Path("/proc/stat").read_text("ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    ticks = sum(int(fields[state]) for state in WORKING_STATES)
    return perf_counter(), ticks / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4])


def _commit() -> str:
    """The commit of this folder, with a mark if files have changed since."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, check=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
