"""What is going on, on stderr, so that stdout holds the report only."""

import sys
from time import perf_counter

_BEGIN = perf_counter()


def say(text: str) -> None:
    """A line with the seconds since the start."""
    print(f"[{perf_counter() - _BEGIN:7.1f} s] {text}", file=sys.stderr, flush=True)
