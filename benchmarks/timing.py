"""How long something takes, and what many such figures come down to."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

import numpy as np

from anypair.handle import Handle

T = TypeVar("T")
SETTLE = 0.015  # seconds; OpenMP threads of the engine before go on spinning for up to ten milliseconds


def settle() -> None:
    """Let others come to rest without resting: a core that has slept is slow for a millisecond."""
    end = perf_counter() + SETTLE
    while perf_counter() < end:
        pass


def stopwatch(action: Callable[[], T]) -> tuple[T, float]:
    """What `action` returns, and the seconds it took; the garbage collector rests meanwhile.

    What a backend has put off for a matrix or vector of ours is done inside the timer.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        begin = perf_counter()
        result = action()
        if isinstance(result, Handle):
            result.finish()
        return result, perf_counter() - begin
    finally:
        if was_enabled:
            gc.enable()


@dataclass(frozen=True)
class Summary:
    """The distribution of some timings, in seconds."""

    median: float
    minimum: float
    lower: float
    upper: float


def summarise(seconds: Sequence[float]) -> Summary:
    """Median, minimum and quartiles.

    >>> summarise([3.0, 1.0, 2.0])
    Summary(median=2.0, minimum=1.0, lower=1.5, upper=2.5)
    """
    minimum, lower, median, upper = np.percentile(seconds, [0, 25, 50, 75]).tolist()
    return Summary(median, minimum, lower, upper)
