"""Whether an answer is right: levels against SciPy's, parents as a tree that has those levels.

Answers are dense int64 arrays with -1 at vertices that were not reached. Each check returns what is
wrong, or an empty text.
"""

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import breadth_first_order

from anypair.dtypes import Array


def expected_levels(weighted: scipy.sparse.csr_array, root: int) -> Array:
    """Levels from the order in which SciPy visits the vertices, and from whom it came.

    `weighted` has float64 values, which csgraph would otherwise make anew for every search.
    """
    order, predecessors = breadth_first_order(weighted, root, directed=True, return_predecessors=True)
    visit = np.zeros(weighted.shape[0], np.int64)
    visit[order] = np.arange(len(order))
    came_from = visit[predecessors[order[1:]]]  # ascends, so a level is a run of it
    levels = np.full(weighted.shape[0], -1, np.int64)
    begin, end, level = 0, 1, 0
    while begin < end:
        levels[order[begin:end]] = level
        begin, end, level = end, 1 + int(np.searchsorted(came_from, end)), level + 1
    return levels


def problem_with_levels(levels: Array, expected: Array) -> str:
    """Levels have to be equal."""
    wrong = np.count_nonzero(levels != expected)
    return f"{wrong} of {len(expected)} levels are wrong" if wrong else ""


def problem_with_parents(parents: Array, root: int, expected: Array, csr: scipy.sparse.csr_array) -> str:
    """Parents have to reach the same vertices, over edges of the graph, from one level less."""
    if parents[root] != root:
        return f"the root's parent is {parents[root]}, not itself"
    if wrong := np.count_nonzero((parents >= 0) != (expected >= 0)):
        return f"{wrong} vertices are reached that should not be, or not reached"
    children = np.flatnonzero(parents >= 0)
    children = children[children != root]
    chosen = parents[children]
    if chosen.size and chosen.max() >= len(parents):
        return f"{chosen.max()} is a parent but no vertex"
    if wrong := np.count_nonzero(expected[chosen] != expected[children] - 1):
        return f"{wrong} parents are not one level above their children"
    # The matrix is symmetric, and rows in ascending order are read several times faster.
    if chosen.size and not (found := np.asarray(csr[children, chosen])).all():
        return f"{np.count_nonzero(~found)} parents have no edge to their children"
    return ""
