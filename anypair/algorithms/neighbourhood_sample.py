"""Sampling of neighbourhoods, as graph neural networks are trained on them."""

from collections.abc import Iterable, Sequence

from anypair import Matrix, Vector, sample
from anypair.algorithms.checks import check_vertices, check_whole
from anypair.errors import InvalidValue
from anypair.semiring import any_of, any_pair, first


def neighbourhood_sample(
    graph: Matrix, sources: Iterable[int], sizes: Sequence[int] = (10, 5), seed: int = 1
) -> tuple[Matrix, ...]:
    """For each of `sizes` a layer of edges: so many, at random, out of each vertex that is reached.

    The first layer begins at `sources`, each other one at the ends of the layer before (Hamilton, Ying
    and Leskovec 2017). A vertex with fewer edges gives all. The choice follows from the seed.

    >>> graph = Matrix.from_edges([0, 0, 0, 1, 2, 3], [1, 2, 3, 4, 4, 4])
    >>> [layer.nvals for layer in neighbourhood_sample(graph, [0], sizes=(2, 2))]
    [2, 2]
    """
    chosen = check_vertices("neighbourhood_sample", graph, sources)
    check_whole("neighbourhood_sample", "seed", seed, 0)
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise InvalidValue(f"neighbourhood_sample: sizes={sizes!r} is not a list of numbers")
    counts = list(sizes)
    for size in counts:
        check_whole("neighbourhood_sample", "sizes", size, 0)
    reached = Vector.from_entries(chosen, True, graph.nrows, duplicates=any_of, like=graph)
    layers = []
    for turn, size in enumerate(counts):
        layer = sample(graph.scale(rows=reached, op=first), size, seed + turn)
        layers.append(layer)
        reached = any_pair(reached @ layer).finish()
    return tuple(layers)
