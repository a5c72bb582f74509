"""igraph."""

from collections.abc import Mapping
from typing import Any

import igraph
import numpy as np

from anypair.dtypes import Array
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


class IgraphEngine(Engine):
    """`Graph.bfs` and `Graph.distances`."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        own = igraph.Graph(graph.n, np.column_stack(graph.once))
        return {
            PARENTS: Search(own.bfs, _parents),
            LEVELS: Search(lambda root: own.distances(source=[root]), _levels),
        }


def _parents(found: tuple[list[int], list[int], list[int]]) -> Array:
    order, _, stated = found
    parents = np.full(len(stated), -1, np.int64)
    parents[order] = np.array(stated)[order]
    parents[order[0]] = order[0]  # the root has a parent in some releases only
    return parents


def _levels(found: list[list[Any]]) -> Array:
    distances = np.array(found[0], np.float64)
    return np.where(np.isfinite(distances), distances, -1).astype(np.int64)
