"""Random walks."""

from collections.abc import Iterable

import numpy as np

from anypair import Matrix, Vector, cumulate
from anypair.algorithms.checks import check_vertices, check_whole
from anypair.semiring import plus, plus_pair


def random_walks(graph: Matrix, sources: Iterable[int], length: int, seed: int = 1) -> Matrix:
    """A row for each source, one walk: the vertex it is at after 0, 1, ... up to `length` steps.

    Each step takes one of the edges out of a vertex, all with the same chance; a walk ends where there
    is none. The numbers drawn follow from the seed, the walk and the step, on every backend. Weights do
    not count.

    >>> random_walks(Matrix.from_edges([0, 1], [1, 2]), sources=[0, 1], length=3).to_numpy(missing=-1)
    array([[ 0,  1,  2, -1],
           [ 1,  2, -1, -1]])
    """
    chosen = check_vertices("random_walks", graph, sources)
    check_whole("random_walks", "length", length, 0)
    check_whole("random_walks", "seed", seed, 0)
    degrees = plus_pair(graph @ Vector.range(graph.nrows, like=graph))
    firsts = cumulate(degrees, plus) - degrees  # where the edges of each vertex begin among all
    targets = Vector.from_numpy(graph.to_entries()[1], like=graph)
    here = Vector.from_numpy(np.array(chosen, np.int64), like=graph)
    stops = [here.to_entries()]
    for step in range(length):
        drawn = Vector.random(here.size, seed + step, like=graph) * degrees[here]
        here = targets[firsts[here] + drawn.cast(int)]
        stops.append(here.to_entries())
    steps = np.repeat(np.arange(length + 1), [len(walks) for walks, _ in stops])
    walks, vertices = (np.concatenate(parts) for parts in zip(*stops, strict=True))
    return Matrix.from_entries(walks, steps, vertices, (len(chosen), length + 1), like=graph)
