"""Maximum flow, along many shortest paths at a time."""

import math
from typing import Any

import numpy as np

from anypair import (
    Matrix,
    apply,
    ewise_add,
    reduce,
    scatter,
    select,
    selection,
)
from anypair.algorithms.checks import check_vertex, check_weights
from anypair.algorithms.disjoint_paths import disjoint_paths
from anypair.errors import InvalidValue, ResultOverflow
from anypair.semiring import gt, minimum, minus, off_diagonal, plus, second, times


def maximum_flow(graph: Matrix, source: int, target: int) -> tuple[Any, Matrix]:
    """How much can flow from `source` to `target`, and how much of it along each edge.

    Weights are capacities, of each direction by itself. A breadth-first search where there is room finds
    a tree below each neighbour of the source. Paths through different trees have no edge in common: the
    shortest of each tree, one of several, are filled together, until there are none (Edmonds and Karp
    1972). Loops carry nothing.

    >>> pipes = Matrix.from_edges([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [3, 2, 5, 2, 3])
    >>> maximum_flow(pipes, 0, 3)[0]
    5
    """
    check_vertex("maximum_flow", graph, source)
    check_vertex("maximum_flow", graph, target, "target")
    check_weights("maximum_flow", graph, negative=False)
    if source == target:
        raise InvalidValue(f"maximum_flow: target={target} is the source")
    dtype = np.dtype(float if graph.dtype.kind == "f" else int)
    most = graph.value_range[1] * graph.nrows
    if dtype.kind == "i" and most >= 2**62:
        raise ResultOverflow("maximum_flow: flows may be beyond int64; give graph.cast(float)")
    if math.isinf(most):
        raise ResultOverflow("maximum_flow: flows may be beyond float64; give smaller weights")
    capacities = select(graph.cast(dtype), off_diagonal)
    value, room = dtype.type(0).item(), ewise_add(capacities, apply(capacities.T, times, right=0), plus)
    while (paths := disjoint_paths(room, source, target)) is not None:
        parents, last, branches = paths
        before = selection(parents, graph.nrows).T  # True at (parents(v), v)
        after = selection(apply(last, second, right=target), graph.nrows)
        narrowest = reduce(room.where(before.structure), minimum, by="columns")
        narrowest = ewise_add(
            narrowest, reduce(room.where(after.structure), minimum, by="rows"), minimum
        )
        amounts = scatter(narrowest, branches, graph.nrows, minimum)
        value, filled = value + amounts.sum(), amounts[branches]
        flow = before.scale(columns=filled, op=second) + after.scale(rows=filled, op=second)
        room = ewise_add(ewise_add(room, flow, minus), flow.T, plus).finish()
    carried = ewise_add(capacities, room.where(capacities.structure), minus)
    return value, select(carried, gt, right=0)
