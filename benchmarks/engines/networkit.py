"""NetworKit."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import networkit
import numpy as np

from anypair.dtypes import Array
from benchmarks.engines.base import LEVELS, PARENTS, Engine, Search
from benchmarks.graphs import Graph


class NetworkitEngine(Engine):
    """`distance.BFS`; its parents are all predecessors on shortest paths, which is more work."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        own = networkit.GraphFromCoo(tuple(ends.astype(np.uint64) for ends in graph.once), n=graph.n)

        def search(root: int, *, store_paths: bool) -> tuple[int, Any]:
            found = networkit.distance.BFS(own, root, storePaths=store_paths)
            return root, found.run()

        return {
            PARENTS: Search(partial(search, store_paths=True), partial(_parents, n=graph.n)),
            LEVELS: Search(partial(search, store_paths=False), _levels),
        }


def _parents(answer: tuple[int, Any], n: int) -> Array:
    root, found = answer
    predecessors = (found.getPredecessors(vertex) for vertex in range(n))
    parents = np.fromiter((some[0] if some else -1 for some in predecessors), np.int64, count=n)
    parents[root] = root
    return parents


def _levels(answer: tuple[int, Any]) -> Array:
    distances = np.array(answer[1].getDistances())
    unreached = distances == np.finfo(np.float64).max
    distances[unreached] = -1
    return distances.astype(np.int64)
