"""The edge list that the kernels start from, and what is counted in it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

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

    >>> edges = EdgeList([0, 1, 1], [2, 1, 2])
    >>> edges.ends.tolist(), edges.connected.tolist(), edges.traversed(np.array([-1, 1, -1]))
    ([1, 3, 2], [True, True, True], 1)
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

    @cached_property
    def connected(self) -> Array:
        """Whether each vertex has an edge to another one."""
        loops = self.sources[self.sources == self.targets]
        return self.ends > 2 * np.bincount(loops, minlength=self.n)

    def traversed(self, parents: Array) -> int:
        """The edges of the component that a tree spans, as TEPS count them.

        Every edge of the list counts once, repeated ones and self-loops too: the specification adds
        the self-loops to half of the other edges, which it sees from both ends (section
        "Performance Metric"; its sample driver halves the sum of the ends).
        """
        return int(self.ends[parents >= 0].sum()) // 2


def generate(settings: Settings, threads: int = 0, progress: Progress = silent) -> EdgeList:
    """The edge list of these settings, with weights if kernel 3 is to run.

    >>> len(generate(Settings(scale=5)))
    512
    """
    count = settings.edges
    sources, targets = np.empty(count, np.int64), np.empty(count, np.int64)
    weights = np.empty(count, np.float32) if settings.sssp else None
    progress("generate edges", 0, count)
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        graph = (settings.scale, settings.edgefactor, settings.seed, start, stop)
        sources[start:stop], targets[start:stop] = kronecker_edges(*graph, threads=threads)
        if weights is not None:
            weights[start:stop] = kronecker_weights(*graph, threads=threads)
        progress("generate edges", stop, count)
    return EdgeList(sources, targets, weights)
