"""What a process has of the benchmark: its slice of the edges, and its block of the vertices.

What the harness needs to know of a vertex lies with the process that has the vertex in its block; what
it needs to know of an edge lies with the process that has the edge. So a slice numbers the vertices
at the ends of its own edges, and asks for what is known of them, or tells what it has found.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anypair.backends.processes import Processes, Routes
from anypair.dtypes import Array
from anypair.graph500.edges import EdgeList, EdgeSource


@dataclass(frozen=True, eq=False)
class ProcessEdges:
    """Edges between vertices numbered from 0, which are the vertices `names` of n; None: all of them."""

    edges: EdgeSource
    n: int
    processes: Processes
    names: Array | None = None

    @staticmethod
    def of(edges: EdgeSource, processes: Processes, n: int) -> "ProcessEdges":
        """What the process has that has these edges of a graph of n vertices."""
        if processes.count == 1:
            return ProcessEdges(edges, n, processes)
        assert isinstance(edges, EdgeList)  # no slice of a grid is kept in a file
        names, own = np.unique(np.concatenate([edges.sources, edges.targets]), return_inverse=True)
        sources, targets = own[: len(edges)], own[len(edges) :]
        return ProcessEdges(EdgeList(sources, targets, edges.weights), n, processes, names)

    @cached_property
    def _routes(self) -> Routes:
        assert self.names is not None
        return self.processes.routes(self.names, self.n)

    @property
    def start(self) -> int:
        """The first vertex of this process's block."""
        return self.processes.start(self.n)

    def fetch(self, block: Array) -> Array:
        """What the blocks of all processes say of this slice's vertices."""
        return block if self.names is None else self._routes.fetch(block)

    def add(self, numbers: Array) -> Array:
        """The block of sums of what all slices say of their vertices; the last ones may be left out."""
        missing = (self.n if self.names is None else len(self.names)) - len(numbers)
        numbers = np.concatenate([numbers, np.zeros(missing, numbers.dtype)]) if missing else numbers
        return numbers if self.names is None else self._routes.add(numbers)

    def own_numbers(self, vertices: Array) -> Array:
        """Vertices as this slice numbers them; what it does not know has the number after the last."""
        if self.names is None:
            return vertices
        at = np.searchsorted(self.names, vertices)
        known = at < len(self.names)
        known[known] = self.names[at[known]] == vertices[known]
        return np.where(vertices < 0, vertices, np.where(known, at, len(self.names)))

    @cached_property
    def ends(self) -> Array:
        """How many ends of edges lie at each vertex of the block; a self-loop has both there."""
        return self.add(self.edges.ends)

    @cached_property
    def _connected(self) -> Array:
        return self.add(self.edges.ends - 2 * self.edges.loops) > 0

    def connected(self, vertices: Array) -> Array:
        """Whether each of these vertices has an edge to another one."""
        here = vertices - self.start
        mine = (here >= 0) & (here < len(self._connected))
        answers = np.zeros(len(vertices), np.int64)
        answers[mine] = self._connected[here[mine]]
        return self.processes.totals(answers) > 0

    def traversed(self, parents: Array) -> int:
        """The edges of the component that a tree spans, as TEPS count them; of blocks of parents.

        Every edge of the list counts once, repeated ones and self-loops too: the specification adds
        the self-loops to half of the other edges, which it sees from both ends (section
        "Performance Metric"; its sample driver halves the sum of the ends).

        >>> edges = EdgeList([0, 1, 1], [2, 1, 2])
        >>> ProcessEdges.of(edges, Processes(), 3).traversed(np.array([-1, 1, -1]))
        1
        """
        ends = self.ends[parents >= 0].sum(keepdims=True)
        return int(self.processes.totals(ends.astype(np.int64))[0]) // 2
