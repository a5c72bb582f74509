"""Collective agreement: ranks compare what they are about to do, and whether it went well.

Every operation that sends begins with an allreduce that shows whether all ranks are in the same
operation with the same arguments, and ends with one that shows whether one of them failed. So an error
on one rank is an error on all, and no rank waits for a message that never comes. Operations that send
nothing are noted, and compared along with the next one that does: what they gave cannot be read
without an allreduce.
"""

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NoReturn

import numpy as np

from anypair.backends.mpi.digests import digest_of_text
from anypair.backends.processes import as_ours, disagreement, first_of
from anypair.backends.wire.group import Group
from anypair.errors import AnypairError, DistributedError

PIECES = 4  # of 16 bits each: sums of their squares stay within 64 bits for up to 2^31 ranks
COUNTS = 4  # numbers that may go along
MOST_NOTED = 64  # calls that are kept by their words


class Agreement:
    """The agreements of one job."""

    def __init__(self, world: Group) -> None:
        self.world = world
        self._noted: list[str] = []
        self._before = 0  # calls noted before those, of which one digest is left

    def note(self, call: str) -> None:
        """Compare `call`, which sends nothing, along with the next one that does."""
        if self.world.size > 1:
            if len(self._noted) == MOST_NOTED:
                self._before += MOST_NOTED - bool(self._before)
                digest = digest_of_text("\n".join(self._noted)).hex()
                self._noted = [f"{self._before} calls #{digest}"]
            self._noted.append(call)

    def start(
        self, call: str, counts: tuple[int, ...] = (), failure: Exception | None = None
    ) -> Callable[[], list[int]]:
        """Begin to compare `call` with what others do; waiting gives sums of the counts, or raises."""
        if self.world.size == 1:
            if failure is not None:
                raise failure
            return lambda: list(counts)
        calls = call
        if self._noted:
            calls = "\n".join((*self._noted, call))
            self._noted, self._before = [], 0
        given = _summands(calls).copy()
        given[2 * PIECES] = failure is not None
        given[2 * PIECES + 1 : 2 * PIECES + 1 + len(counts)] = counts
        with self.world.traffic.phase("reduce"):
            wait = self.world.start_sum(given)

        def finish() -> list[int]:
            with self.world.traffic.phase("reduce"):
                numbers: list[int] = wait().tolist()
            if numbers[2 * PIECES] or not _all_equal(numbers, self.world.size):
                self._refuse(calls.split("\n"), failure)
            return numbers[2 * PIECES + 1 : 2 * PIECES + 1 + len(counts)]

        return finish

    def check(
        self, call: str, counts: tuple[int, ...] = (), failure: Exception | None = None
    ) -> list[int]:
        """As `start`, and wait."""
        return self.start(call, counts, failure)()

    def fail(self, failure: Exception) -> NoReturn:
        """Raise the failure on all ranks: others are in a call that this one could not even begin."""
        self.check(UNKNOWN, (), failure)
        raise AssertionError("a failure was agreed on, and not raised")

    def _refuse(self, calls: list[str], failure: Exception | None) -> NoReturn:
        """Raise, on all ranks, what is wrong: different calls, or what the first that failed says."""
        told = None if failure is None else as_ours(failure)
        everyone: list[tuple[list[str], AnypairError | None]] = self.world.objects((calls, told))
        listed = [each for each, _ in everyone]
        begun = [each for each in listed if each[-1] != UNKNOWN]
        if any(each != begun[0] for each in begun):
            raise DistributedError(_disagreement(listed)) from failure
        raise first_of([error for _, error in everyone], alike=True) from failure


#: In place of a call that a rank could not begin.
UNKNOWN = "nothing, as it failed before"


@lru_cache(maxsize=256)
def _summands(calls: str) -> Any:
    """What a rank adds to the sum: the pieces of a digest, their squares, and room for more."""
    pieces = struct.unpack(f"<{PIECES}H", digest_of_text(calls))
    return np.array([*pieces, *(x * x for x in pieces), 0, *[0] * COUNTS], np.int64)


def _all_equal(sums: Sequence[int], ranks: int) -> bool:
    """Whether all ranks gave the same pieces.

    Numbers are equal if and only if n times the sum of their squares is the square of their sum.
    """
    return all(ranks * sums[PIECES + k] == sums[k] * sums[k] for k in range(PIECES))


def _disagreement(calls: Sequence[Sequence[str]]) -> str:
    """The first call in which ranks differ, as an error says it."""
    at_once = next(each for each in zip_longest(*calls, fillvalue="nothing") if len(set(each)) > 1)
    digest = "a digest of indices, values, code and captured variables"
    return f"{disagreement(at_once)}, where # stands before {digest}"
