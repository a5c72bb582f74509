"""What an engine has to offer: a way from a graph to searches of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anypair.dtypes import Array
from benchmarks.graphs import Graph

PARENTS = "parents"
LEVELS = "levels"


@dataclass(frozen=True)
class Search:
    """`run(root)` is timed and returns what the library's users get; `read` makes it comparable."""

    run: Callable[[int], Any]
    read: Callable[[Any], Array]  # to a dense int64 array, -1 where nothing was reached


class Engine(ABC):
    """A library, or one way of using it. Making one raises ImportError if it cannot be used here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def unfit_for(self, graph: Graph) -> str:
        """Why a search of this graph would take minutes; empty if it does not."""
        return ""

    @abstractmethod
    def load(self, graph: Graph) -> Mapping[str, Search]:
        """Build the library's own graph, untimed; searches by kind, PARENTS or LEVELS or both."""
