"""The processes that data is spread over, and what they tell each other.

One process has everything; a backend whose data lies on several has a subclass of its own.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np

from anypair.dtypes import Array
from anypair.errors import AnypairError, DistributedError

Result = TypeVar("Result")
SHOWN = 4  # different calls that an error lists


class Routes:
    """Ways between some places of a vector, each given once, and the processes that have them."""

    def __init__(self, places: Array, size: int) -> None:
        self.places = places
        self.size = size

    def fetch(self, block: Array) -> Array:
        """What stands at the places, where each process gives its block of the vector."""
        fetched: Array = block[self.places]
        return fetched

    def add(self, numbers: Array) -> Array:
        """This process's block of the sums of what all processes have at their places."""
        block = np.zeros(self.size, numbers.dtype)
        block[self.places] = numbers
        return block


class Processes:
    """One process; all methods are called by all processes of a job alike."""

    rank = 0
    count = 1
    grid = "1x1"

    def start(self, size: int) -> int:
        """The first place of a vector of this size that this process has."""
        return 0

    def held(self, size: int) -> int:
        """How many places of a vector of this size this process has."""
        return size

    def totals(self, numbers: Array) -> Array:
        """Sums of int64 numbers over all processes.

        >>> Processes().totals(np.array([3, 4])).tolist()
        [3, 4]
        """
        return numbers

    def gather(self, value: Any) -> list[Any]:
        """An object of every process."""
        return [value]

    def gather_arrays(self, array: Array) -> list[Array]:
        """An array of every process, of any length and dtype."""
        return [array]

    def together(self, work: Callable[[], Result], *, alike: bool = False) -> Result:
        """What `work` returns here; if it raises on some processes, the first one's error on all.

        `alike` says that all do the same: an error that not all of them have then names its process.

        >>> Processes().together(lambda: 7)
        7
        """
        if self.count == 1:
            return work()
        failure: Exception | None = None
        try:
            result = work()
        except Exception as error:
            failure = error
        told = self.gather(None if failure is None else as_ours(failure))
        if failure is None and not any(told):
            return result
        raise first_of(told, alike=alike) from failure

    def on_first(self, work: Callable[[], None]) -> None:
        """Let the first process alone do `work`, as writing a file; all wait, its error is theirs too.

        >>> Processes().on_first(lambda: print("written"))
        written
        """
        self.together(lambda: None if self.rank else work())

    def fail(self, error: AnypairError) -> NoReturn:
        """Raise the error, also on processes that are in a call which this one could not begin."""
        raise error

    def require_same(self, call: str, also: str = ", on the same files") -> None:
        """Raise on all processes if they are not about to do the same, by these words.

        `also` says what else has to be the same.
        """
        calls = self.gather(call)
        if len(set(calls)) > 1:
            raise DistributedError(f"{disagreement(calls)}{also}")

    def routes(self, places: Array, size: int) -> Routes:
        """Ways to these places, sorted and each given once, of vectors of this size.

        >>> ways = Processes().routes(np.array([0, 2]), size=3)
        >>> ways.fetch(np.array([5, 6, 7])).tolist(), ways.add(np.array([1, 1])).tolist()
        ([5, 7], [1, 0, 1])
        """
        return Routes(places, size)


def disagreement(calls: Sequence[str]) -> str:
    """What to say of processes that make these calls, one each, which are not all the same."""
    first = {call: rank for rank, call in reversed(list(enumerate(calls)))}
    by_rank = sorted((rank, call) for call, rank in first.items())
    listed = "; ".join(f"rank {rank}: {call}" for rank, call in by_rank[:SHOWN])
    more = f"; {len(by_rank) - SHOWN} more" if len(by_rank) > SHOWN else ""
    return (
        f"ranks disagree on what to do ({listed}{more}); every rank has to make the same calls with the "
        "same arguments"
    )


def as_ours(failure: Exception) -> AnypairError:
    """An error as it travels: what is not ours may not be made anew elsewhere."""
    if isinstance(failure, AnypairError):
        return failure
    return DistributedError(f"{type(failure).__name__}: {failure}")


def first_of(failures: Sequence[AnypairError | None], *, alike: bool) -> AnypairError:
    """The error to raise on all processes, each of which gave its own or None: the first one.

    It names its process if not all of those that do `alike` have it.
    """
    rank, first = next((rank, error) for rank, error in enumerate(failures) if error is not None)
    common = all(
        error is not None and (type(error), error.marked) == (type(first), first.marked)
        for error in failures
    )
    if common or not (alike or isinstance(first, DistributedError)):
        return first.reworded(first.marked)
    error = first.reworded(f"rank {rank}: {first.marked}")
    error.rank = rank
    return error
