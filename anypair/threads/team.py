"""Sharing ranges among threads. Kernels release the GIL, so plain threads use all cores."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from anypair.machine import available_cores
from anypair.threads.granularity import Granularity, Tuned, Untuned
from anypair.threads.pool import ALONE, PARTS_EACH, SpinPool


class Team:
    """A number of threads, started when there is enough to do.

    `tuned` says how finely work is cut; teams of one size may share a `pool` and differ in that.
    """

    def __init__(self, size: int, tuned: Tuned | None = None, pool: SpinPool | None = None) -> None:
        self.size = size
        self._tuned = tuned or Untuned()
        self._pool = pool or SpinPool(self.size - 1)

    @property
    def granularity(self) -> Granularity:
        """How finely work is cut."""
        return self._tuned.tuning

    def pieces_for(self, work: int) -> int:
        """Into how many pieces to cut work of so many entries: one or some for each thread, or one."""
        grain = self.granularity
        if work < grain.small_work:
            return 1
        if self.size == 1 or work < grain.even_work:
            return max(self.size, work // grain.at_once)
        return max(4 * self.size, work // grain.at_once)

    def parts_for(self, work: int) -> int:
        """As pieces_for, where threads take parts without the GIL, which costs next to nothing."""
        return 1 if self.size == 1 or work < self.granularity.small_work else PARTS_EACH * self.size

    def stoppable_parts_for(self, work: int) -> int:
        """As parts_for, for work that may take long and be left half done."""
        grain = self.granularity
        if work < grain.small_work:
            return 1
        return max(1 if self.size == 1 else PARTS_EACH * self.size, work // grain.at_once)

    def run(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """function(*call) for all calls; whoever is free takes the next one."""
        if len(calls) == 1 or self.size == 1:
            return [function(*call) for call in calls]
        results: list[Any] = [None] * len(calls)
        waiting = iter(range(len(calls)))

        def work() -> None:
            try:
                for number in waiting:
                    results[number] = function(*calls[number])
            except BaseException:  # Ctrl-C too: what nobody has begun is left to nobody
                deque(waiting, maxlen=0)
                raise

        self._pool.run(work, min(self.size, len(calls)) - 1)
        return results

    def over(self, bounds: Sequence[int], kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """kernel(begin, end, *arguments) for each two neighbours of the bounds."""
        if len(bounds) == 2:
            return [kernel(*bounds, *arguments)]
        return self.run(kernel, [(begin, end, *arguments) for begin, end in pairwise(bounds)])

    def share(self, bounds: Sequence[int], kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        """kernel(header, begin, end, *arguments) on all threads, which take parts of it without the GIL.

        Returns what it returned to each of them, or for each part. This is for kernels that take less
        than a millisecond: a thread that asks for its pieces in Python may wait that long for the GIL.
        """
        if len(bounds) == 2 or self.size == 1:
            return [kernel(ALONE, begin, end, *arguments) for begin, end in pairwise(bounds)]
        most = PARTS_EACH * self.size
        if len(bounds) <= most + 1:
            return self._pool.run_kernel(kernel, bounds, arguments)
        results = []
        for first in range(0, len(bounds) - 1, most):  # between two of them, Ctrl-C has its way
            some = bounds[first : first + most + 1]
            results += self._pool.run_kernel(kernel, some, arguments)
        return results


def team_of(size: int, tuned: Tuned | None = None) -> Team:
    """A team of so many threads, or of all cores, in the one pool of that size: two would be in each
    other's way.
    """
    size = size or available_cores()
    return Team(size, tuned, _pool(size - 1))


_pool = cache(SpinPool)


def even_bounds(count: int, pieces: int) -> list[int]:
    """Bounds of `pieces` ranges of about equal length."""
    if pieces == 1 or count < pieces:
        return [0, count]
    return [count * piece // pieces for piece in range(pieces + 1)]
