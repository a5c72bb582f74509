"""Refusing what cannot fit, with the figures, before memory is asked for."""

import os
from pathlib import Path

from anypair.errors import NotEnoughMemory

ALWAYS_FITS = 1 << 26  # not worth a look at the machine


def require(nbytes: int, what: str) -> None:
    """Raise `NotEnoughMemory` if `nbytes` are more than this machine has free.

    >>> require(1 << 60, "this vector")
    Traceback (most recent call last):
    ...
    anypair.errors.NotEnoughMemory: this vector needs about 1.2e+09 GB...
    """
    if nbytes > ALWAYS_FITS and nbytes > (free := available()):
        raise NotEnoughMemory(
            f"{what} needs about {nbytes / 1e9:.3g} GB and {free / 1e9:.3g} GB are free"
        )


def available() -> int:
    """Bytes that a new allocation may take."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 62
