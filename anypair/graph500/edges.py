"""The edge list that the kernels start from, in memory or in a file, and what is counted in it."""

import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array, DType
from anypair.errors import FileUnreadable, SizeMismatch
from anypair.graph500.kronecker import kronecker_edges, kronecker_weights
from anypair.graph500.progress import Progress, silent
from anypair.graph500.settings import Settings
from anypair.inputs import as_indices, as_values

CHUNK = 1 << 22  # edges made between two reports of progress, and edges of a file held at once


class EdgeSource(ABC):
    """Edges that can be gone through part by part, as often as one likes."""

    @abstractmethod
    def __len__(self) -> int:
        """How many edges there are."""

    @abstractmethod
    def parts(self) -> Iterator["EdgeList"]:
        """All edges, in the same order each time."""

    @cached_property
    def n(self) -> int:
        """One more than the largest vertex number."""
        tops = (max(part.sources.max(), part.targets.max()) for part in self.parts() if len(part))
        return 1 + int(max(tops, default=-1))

    @cached_property
    def ends(self) -> Array:
        """How many ends of edges lie at each vertex; a self-loop has both there."""
        found = np.zeros(self.n, np.int64)
        for part in self.parts():
            for side in (part.sources, part.targets):
                found += np.bincount(side, minlength=self.n)
        return found

    @cached_property
    def loops(self) -> Array:
        """How many self-loops lie at each vertex."""
        found = np.zeros(self.n, np.int64)
        for part in self.parts():
            found += np.bincount(part.sources[part.sources == part.targets], minlength=self.n)
        return found


@dataclass(frozen=True, eq=False)
class EdgeList(EdgeSource):
    """Undirected edges in no order, self-loops and repeated ones among them; weights for kernel 3.

    >>> EdgeList([0, 1, 1], [2, 1, 2]).ends.tolist()
    [1, 3, 2]
    """

    sources: Array
    targets: Array
    weights: Array | None = None

    def __post_init__(self) -> None:
        checked = {
            "sources": as_indices("EdgeList", "sources", self.sources, None),
            "targets": as_indices("EdgeList", "targets", self.targets, None),
        }
        count = len(checked["sources"])
        if len(checked["targets"]) != count:
            raise SizeMismatch(f"EdgeList: {count} sources and {len(checked['targets'])} targets")
        if self.weights is not None:
            checked["weights"] = as_values("EdgeList", "weights", self.weights, None, count)
        for name, array in checked.items():
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.sources)

    def parts(self) -> Iterator["EdgeList"]:
        yield self


class EdgeFile(EdgeSource):
    """Edges in a file that goes with the process; a part of them is in memory at a time.

    >>> edges = EdgeFile([EdgeList([0, 1], [2, 1]), EdgeList([1], [2])])
    >>> len(edges), edges.ends.tolist(), [part.targets.tolist() for part in edges.parts()]
    (3, [1, 3, 2], [[2, 1], [2]])
    """

    def __init__(self, parts: Iterator[EdgeList] | list[EdgeList], folder: str = "") -> None:
        self._parts: list[tuple[int, DType, bool]] = []  # edges, how vertices are kept, with weights?
        try:
            self._file: BinaryIO = tempfile.TemporaryFile(dir=folder or None)  # noqa: SIM115
            weakref.finalize(self, self._file.close)
            for part in parts:
                kept = np.dtype("<u4" if part.n <= 2**32 else "<i8")
                self._parts.append((len(part), kept, part.weights is not None))
                for side in (part.sources, part.targets):
                    side.astype(kept).tofile(self._file)
                if part.weights is not None:
                    part.weights.tofile(self._file)
        except OSError as error:
            where = folder or tempfile.gettempdir()
            raise FileUnreadable(f"{where}: edges cannot be written: {error.strerror}") from error

    def __len__(self) -> int:
        return sum(count for count, _, _ in self._parts)

    def parts(self) -> Iterator[EdgeList]:
        self._file.seek(0)
        for count, kept, weighted in self._parts:
            sides = [np.fromfile(self._file, kept, count).astype(np.int64) for _ in range(2)]
            weights = np.fromfile(self._file, np.float32, count) if weighted else None
            at = self._file.tell()
            yield EdgeList(sides[0], sides[1], weights)
            self._file.seek(at)  # somebody else may have gone through it meanwhile


def generate(
    settings: Settings,
    threads: int = 0,
    progress: Progress = silent,
    processes: Processes = Processes(),  # noqa: B008
) -> EdgeList:
    """This process's slice of the edges of these settings, with weights if kernel 3 is to run.

    >>> len(generate(Settings(scale=5)))
    512
    """
    first, last = _slice(settings, processes)
    count = last - first
    sources, targets = np.empty(count, np.int64), np.empty(count, np.int64)
    weights = np.empty(count, np.float32) if settings.sssp else None
    start = 0
    for part in generated(settings, threads, progress, processes):
        stop = start + len(part)
        sources[start:stop], targets[start:stop] = part.sources, part.targets
        if weights is not None:
            weights[start:stop] = part.weights
        start = stop
    return EdgeList(sources, targets, weights)


def generated(
    settings: Settings,
    threads: int = 0,
    progress: Progress = silent,
    processes: Processes = Processes(),  # noqa: B008
) -> Iterator[EdgeList]:
    """What `generate` makes, part by part."""
    first, last = _slice(settings, processes)
    progress("generate edges", 0, last - first)
    for start in range(first, last, CHUNK):
        stop = min(start + CHUNK, last)
        graph = (settings.scale, settings.edgefactor, settings.seed, start, stop)
        sources, targets = kronecker_edges(*graph, threads=threads)
        weights = kronecker_weights(*graph, threads=threads) if settings.sssp else None
        yield EdgeList(sources, targets, weights)
        progress("generate edges", stop - first, last - first)


def _slice(settings: Settings, processes: Processes) -> tuple[int, int]:
    """Where this process's edges begin and end."""
    first, last = (settings.edges * (processes.rank + one) // processes.count for one in range(2))
    return first, last
