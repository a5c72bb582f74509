"""Markov clustering."""

from typing import Any

from anypair import Matrix, Vector, apply, binary_op, diag, ewise_add, reduce, select, update
from anypair.algorithms.checks import check_number, check_undirected, check_weights, check_whole
from anypair.algorithms.components import connected_components
from anypair.algorithms.moderate_weights import of_moderate_weights
from anypair.errors import NotConverged
from anypair.semiring import divide, ge, is_true, maximum, plus, plus_times

SETTLED = 1e-9  # what walks may still move


@binary_op(result=float)
def power(x: Any, exponent: Any) -> Any:
    """x to the power of the exponent."""
    return x**exponent


def markov_clustering(
    graph: Matrix, inflation: float = 2.0, smallest: float = 1e-4, limit: int = 100
) -> Vector:
    """The cluster of every vertex, named by its smallest vertex.

    Random walks are followed for two steps, and what is likely is made more so, by a power of
    `inflation`; what is less than `smallest` is dropped; again and again until nothing moves, when each
    walk has ended in its cluster (van Dongen 2000). Each vertex has a loop as heavy as its heaviest
    edge. The matrix between fills up: this is for graphs of moderate size.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], symmetric=True)
    >>> markov_clustering(two).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 3}
    """
    check_undirected("markov_clustering", graph)
    check_weights("markov_clustering", graph, negative=False)
    check_number("markov_clustering", "inflation", inflation, 1, 100)
    check_number("markov_clustering", "smallest", smallest, 0, 0.5)
    check_whole("markov_clustering", "limit", limit, 1)
    graph = of_moderate_weights(graph.cast(float))
    loops = Vector.full(graph.nrows, 1.0, like=graph)
    update(loops, reduce(graph, maximum, by="rows"))
    walks = _stochastic(select(ewise_add(graph, diag(loops), maximum), is_true))
    for _ in range(limit):
        likely = _stochastic(apply(plus_times(walks @ walks), power, right=inflation))
        following = _stochastic(select(likely, ge, right=smallest))
        if abs(following - walks).max() < SETTLED:
            return connected_components(following)
        walks = following
    raise NotConverged(f"markov_clustering: walks still move after {limit} rounds")


def _stochastic(A: Matrix) -> Matrix:
    """With columns that sum to 1."""
    return A.scale(columns=reduce(A, plus, by="columns"), op=divide)
