"""Centralities that are the fixed point of an iteration along the edges: eigenvector and Katz."""

import math

from anypair import Matrix, Vector
from anypair.algorithms.checks import check_graph, check_iteration, check_number, check_weights
from anypair.algorithms.moderate_weights import around_one
from anypair.errors import NotConverged
from anypair.semiring import plus_times


def eigenvector_centrality(graph: Matrix, tolerance: float = 1e-6, limit: int = 100) -> Vector:
    """How central every vertex is: as the sum of those with an edge to it, up to a factor; of length 1.

    The eigenvector of A + 1 for the largest eigenvalue, which is A's, by power iteration from equal
    values (Bonacich 1972), where A has its greatest weight brought to between 1 and 2. Stops when values
    differ from those before by n * tolerance in sum, as NetworkX does.

    >>> star = Matrix.from_edges([0, 0, 0], [1, 2, 3], symmetric=True)
    >>> [round(x, 3) for x in eigenvector_centrality(star).to_dict().values()]
    [0.707, 0.408, 0.408, 0.408]
    """
    check_graph("eigenvector_centrality", graph)
    check_iteration("eigenvector_centrality", tolerance, limit)
    check_weights("eigenvector_centrality", graph, negative=False)
    graph = around_one(graph)  # as the 1 is all that counts beside small weights
    values = _of_length_one(Vector.full(graph.nrows, 1.0, like=graph))
    for _ in range(limit):
        following = _of_length_one(values + plus_times(values @ graph))
        if abs(following - values).sum() <= graph.nrows * tolerance:
            return following
        values = following
    raise NotConverged(
        f"eigenvector_centrality: no convergence to {tolerance} within {limit} iterations"
    )


def katz_centrality(
    graph: Matrix, alpha: float = 0.1, beta: float = 1.0, tolerance: float = 1e-6, limit: int = 1000
) -> Vector:
    """How many walks lead to a vertex, each edge of a walk counting `alpha` times as much; of length 1.

    The x with x = alpha x A + beta (Katz 1953), divided by its length. `alpha` has to be less than
    1 over the largest eigenvalue. Stops as `eigenvector_centrality` does.

    >>> [round(x, 3) for x in katz_centrality(Matrix.from_edges([0, 1], [2, 2])).to_dict().values()]
    [0.539, 0.539, 0.647]
    """
    check_graph("katz_centrality", graph)
    check_iteration("katz_centrality", tolerance, limit)
    check_weights("katz_centrality", graph, negative=True)
    for argument, value in (("alpha", alpha), ("beta", beta)):
        check_number("katz_centrality", argument, value, -1e300, 1e300)
    bases = values = Vector.full(graph.nrows, 1.0, like=graph)  # of which x is beta times as much
    for _ in range(limit):
        following: Vector = bases + float(alpha) * plus_times(values @ graph)
        change = abs(following - values).sum()
        if not math.isfinite(change):
            break
        if change <= graph.nrows * tolerance:
            return _of_length_one(math.copysign(bool(beta), beta) * following)
        values = following
    raise NotConverged(
        f"katz_centrality: no convergence to {tolerance} within {limit} iterations; "
        f"alpha={alpha} may have to be smaller"
    )


def _of_length_one(values: Vector) -> Vector:
    length = math.sqrt((values * values).sum())
    return values / length if length else values
