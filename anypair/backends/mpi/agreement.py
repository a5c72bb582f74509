"""Ranks that agree: on what they are about to do, and on whether it went well.

Every operation that talks begins with a sum over all ranks that shows whether all of them are in the
same operation with the same arguments, and ends with one that shows whether one of them failed. So an
error on one rank is an error on all, and nobody waits for a message that never comes.
"""

import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn

import numpy as np

from anypair.backends.mpi.group import Group
from anypair.errors import AnypairError, DistributedError

COUNTS = 4  # numbers that may go along


class Agreement:
    """The agreements of one job."""

    def __init__(self, world: Group) -> None:
        self.world = world

    def start(
        self, call: str, counts: tuple[int, ...] = (), failure: Exception | None = None
    ) -> Callable[[], list[int]]:
        """Begin to compare `call` with what others do; waiting gives sums of the counts, or raises."""
        if self.world.size == 1:
            if failure is not None:
                raise failure
            return lambda: list(counts)
        given = np.zeros(3 + COUNTS, np.int64)
        digest = _digest(call)
        given[:3] = (digest, digest * digest, failure is not None)
        given[3 : 3 + len(counts)] = counts
        with self.world.traffic.phase("reduce"):
            wait = self.world.start_sum(given)

        def finish() -> list[int]:
            with self.world.traffic.phase("reduce"):
                numbers: list[int] = wait().tolist()
            total, squares, failures, *sums = numbers
            # Numbers are all equal if and only if n times the sum of squares is the square of the sum.
            if self.world.size * squares != total * total:
                self._disagree(call)
            if failures:
                self._fail(failure)
            return sums[: len(counts)]

        return finish

    def check(
        self, call: str, counts: tuple[int, ...] = (), failure: Exception | None = None
    ) -> list[int]:
        """As `start`, and wait."""
        return self.start(call, counts, failure)()

    def _disagree(self, call: str) -> NoReturn:
        calls = self.world.objects(call)
        first = {text: calls.index(text) for text in calls}
        listed = "; ".join(f"rank {rank}: {text}" for text, rank in first.items())
        raise DistributedError(
            f"ranks disagree on what to do ({listed}); every rank has to make the same calls "
            "with the same arguments"
        )

    def _fail(self, failure: Exception | None) -> NoReturn:
        """Raise, on all ranks, what the first rank that failed has to say."""
        said = None if failure is None else (type(failure), str(failure))
        found = self.world.objects(said)
        rank, (kind, text) = next((r, each) for r, each in enumerate(found) if each is not None)
        if issubclass(kind, AnypairError):
            raise kind(f"rank {rank}: {text}") from failure
        raise DistributedError(f"rank {rank}: {kind.__name__}: {text}") from failure


@lru_cache(maxsize=256)
def _digest(call: str) -> int:
    """A number of 20 bits, so that sums of squares stay within 64."""
    return zlib.crc32(call.encode()) & 0xFFFFF


def without_rank(error: AnypairError) -> str:
    """What the error says, without the rank that said it first."""
    text = str(error)
    return text.split(": ", 1)[1] if text.startswith("rank ") else text
