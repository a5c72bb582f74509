"""The edge list that the kernels start from, and what is counted in it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import SizeMismatch
from anypair.graph500.kronecker import kronecker_edges, kronecker_weights
from anypair.graph500.progress import Progress, silent
from anypair.graph500.settings import Settings
from anypair.inputs import as_indices, as_values

CHUNK = 1 << 22  # edges made between two reports of progress


@dataclass(frozen=True, eq=False)
class EdgeList:
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

    @cached_property
    def n(self) -> int:
        """One more than the largest vertex number."""
        return 1 + int(max(self.sources.max(), self.targets.max())) if len(self) else 0

    @cached_property
    def ends(self) -> Array:
        """How many ends of edges lie at each vertex; a self-loop has both there."""
        return np.bincount(self.sources, minlength=self.n) + np.bincount(self.targets, minlength=self.n)


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
    first, last = (settings.edges * (processes.rank + one) // processes.count for one in range(2))
    count = last - first
    sources, targets = np.empty(count, np.int64), np.empty(count, np.int64)
    weights = np.empty(count, np.float32) if settings.sssp else None
    progress("generate edges", 0, count)
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        graph = (settings.scale, settings.edgefactor, settings.seed, first + start, first + stop)
        sources[start:stop], targets[start:stop] = kronecker_edges(*graph, threads=threads)
        if weights is not None:
            weights[start:stop] = kronecker_weights(*graph, threads=threads)
        progress("generate edges", stop, count)
    return EdgeList(sources, targets, weights)
