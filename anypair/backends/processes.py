"""The processes that data is spread over, and what they tell each other.

One process has everything; a backend whose data lies on several has a subclass of its own.
"""

from typing import Any

import numpy as np

from anypair.dtypes import Array


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

    def routes(self, places: Array, size: int) -> Routes:
        """Ways to these places, sorted and each given once, of vectors of this size.

        >>> ways = Processes().routes(np.array([0, 2]), size=3)
        >>> ways.fetch(np.array([5, 6, 7])).tolist(), ways.add(np.array([1, 1])).tolist()
        ([5, 7], [1, 0, 1])
        """
        return Routes(places, size)
