"""rustworkx."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import rustworkx
from rustworkx.visit import BFSVisitor

from anypair.dtypes import Array
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


class RustworkxEngine(Engine):
    """`bfs_layers`; for parents `bfs_search` with a visitor, which is what its documentation shows."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        own = rustworkx.PyGraph()
        own.add_nodes_from(range(graph.n))
        rows, columns = graph.once
        own.add_edges_from_no_data(list(zip(rows.tolist(), columns.tolist(), strict=True)))

        def parents(root: int) -> dict[int, int]:
            visitor = _Parents(root)
            rustworkx.bfs_search(own, [root], visitor)
            return visitor.parents

        return {
            PARENTS: Search(parents, partial(_dense, n=graph.n)),
            LEVELS: Search(lambda root: rustworkx.bfs_layers(own, [root]), partial(_levels, n=graph.n)),
        }


class _Parents(BFSVisitor):
    def __init__(self, root: int) -> None:
        self.parents = {root: root}

    def tree_edge(self, edge: tuple[int, int, None]) -> None:
        self.parents[edge[1]] = edge[0]


def _dense(found: dict[int, int], n: int) -> Array:
    parents = np.full(n, -1, np.int64)
    parents[list(found)] = list(found.values())
    return parents


def _levels(layers: list[list[int]], n: int) -> Array:
    levels = np.full(n, -1, np.int64)
    for level, vertices in enumerate(layers):
        levels[vertices] = level
    return levels
