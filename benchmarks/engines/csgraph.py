"""scipy.sparse.csgraph."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from anypair.dtypes import Array
from benchmarks.engines.base import PARENTS, Engine, Search
from benchmarks.graphs import Graph


class CsgraphEngine(Engine):
    """`breadth_first_order`; there is no search for levels that would not run Dijkstra."""

    def load(self, graph: Graph) -> Mapping[str, Search]:
        weighted = graph.csr.astype(np.float64)  # other dtypes are converted in every call

        def parents(root: int) -> tuple[int, Any]:
            return root, breadth_first_order(weighted, root, directed=True, return_predecessors=True)

        return {PARENTS: Search(parents, _read)}


def _read(found: tuple[int, Any]) -> Array:
    root, (_, predecessors) = found
    parents = np.where(predecessors < 0, -1, predecessors).astype(np.int64)
    parents[root] = root
    return parents
