"""On what, and with which versions, a run was made."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from anypair.backends.registry import BACKENDS
from anypair.version import __version__


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory and system.

    >>> sorted(describe_machine())
    ['cores', 'cpu', 'memory_bytes', 'system']
    """
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_bytes": memory_bytes(),
        "system": platform.platform(),
    }


def versions() -> dict[str, str | None]:
    """Of Python, anypair and what it may call; None for what is not installed."""
    ours = {"python": platform.python_version(), "anypair": __version__}
    packages = ["numpy", *(name for row in BACKENDS.values() for name in row.packages)]
    return ours | {name: version_of(name) for name in packages}


def cpu_model() -> str:
    """The name of the processor, "unknown" where the system does not tell."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def memory_bytes() -> int | None:
    """How much memory the machine has; None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def version_of(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
