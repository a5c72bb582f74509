"""How near all others are: closeness and harmonic centrality, by searches in batches."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anypair import Matrix, Vector, mxm, update
from anypair.algorithms.checks import check_graph, check_vertices, check_whole
from anypair.semiring import any_pair, plus_pair


def closeness_centrality(
    graph: Matrix, sources: Iterable[int] | None = None, batch_size: int = 64
) -> Vector:
    """One over the mean distance to each of `sources` (all by default) from those that reach it.

    Times the share of the other vertices that these are, as NetworkX has it (Wasserman and Faust 1994).
    Distances are numbers of edges, along their direction; a vertex that no other one reaches has 0.

    >>> closeness_centrality(Matrix.from_edges([0, 1], [1, 2], symmetric=True)).to_dict()
    {0: 0.6666666666666666, 1: 1.0, 2: 0.6666666666666666}
    """

    def closeness(reached: Any, distances: Any) -> Any:
        return reached * reached / np.maximum(distances, 1) / max(graph.nrows - 1, 1)

    return _by_source("closeness_centrality", graph, sources, batch_size, lambda d: d, closeness)


def harmonic_centrality(
    graph: Matrix, sources: Iterable[int] | None = None, batch_size: int = 64
) -> Vector:
    """The sum of one over the distance to each of `sources` (all by default) from all that reach it.

    Distances are numbers of edges, along their direction (Boldi and Vigna 2014).

    >>> harmonic_centrality(Matrix.from_edges([0, 1], [1, 2], symmetric=True)).to_dict()
    {0: 1.5, 1: 2.0, 2: 1.5}
    """

    def sums(reached: Any, inverses: Any) -> Any:
        return inverses

    return _by_source("harmonic_centrality", graph, sources, batch_size, lambda d: 1 / d, sums)


def _by_source(
    algorithm: str,
    graph: Matrix,
    sources: Iterable[int] | None,
    batch_size: int,
    worth: Callable[[int], float],
    centrality: Callable[[Any, Any], Any],
) -> Vector:
    """A number for each source, of how many reach it and the sum of what their distances are worth."""
    check_graph(algorithm, graph)
    check_whole(algorithm, "batch_size", batch_size, 1)
    everywhere = range(graph.nrows)
    given = everywhere if sources is None else check_vertices(algorithm, graph, sources)
    chosen = np.unique(np.array(given, np.int64))
    reached, sums = np.zeros(len(chosen)), np.zeros(len(chosen))
    ones = Vector.full(graph.nrows, 1, like=graph)
    for begin in range(0, len(chosen), batch_size):
        batch = chosen[begin : begin + batch_size]
        places = np.arange(len(batch)), batch
        frontier = Matrix.from_entries(*places, True, (len(batch), graph.nrows), like=graph)
        seen, depth = frontier.copy(), 0
        while True:
            depth += 1
            frontier = mxm(frontier, graph.T, any_pair, mask=~seen.structure)
            if not frontier.nvals:
                break
            update(seen, frontier)
            rows, counts = plus_pair(frontier @ ones).to_entries()
            reached[begin + rows] += counts
            sums[begin + rows] += worth(depth) * counts
    return Vector.from_entries(chosen, centrality(reached, sums), graph.nrows, like=graph)
