"""Which edges shortest paths run along."""

import numpy as np

from anypair import Matrix, Semiring, Vector, diag, mxm, reduce
from anypair.algorithms.path_lengths import PathLengths
from anypair.algorithms.saturating import min_compared
from anypair.errors import ResultOverflow
from anypair.semiring import max_monoid, min_monoid, min_plus, minus

min_minus = Semiring(min_monoid, minus)


def slack(algorithm: str, graph: Matrix, distances: Vector) -> Matrix:
    """distance(u) + weight(u, v) - distance(v) at each edge between reached vertices, or its sign.

    An edge that is tight has 0: it is as long as the distances of its ends differ.

    >>> graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> slack("example", graph, Vector.from_numpy([0, 4, 7])).to_entries()[2]
    array([0, 2, 0])
    """
    lengths = PathLengths(graph)
    longest = max(abs(reduce(distances, monoid)) for monoid in (min_monoid, max_monoid))
    if distances.nvals and longest >= lengths.end - lengths.zero:
        raise ResultOverflow(
            f"{algorithm}: {longest} is the end of dtype {lengths.dtype}; "
            "give distances that are not as large"
        )
    dtype = np.promote_types(distances.dtype, lengths.dtype)
    fits = lengths.takes(2 * longest + lengths.greatest_weight)
    if dtype.kind == "f" or (dtype.kind == "i" and fits):
        by_vertex = diag(distances.cast(dtype))
        return mxm(mxm(by_vertex, graph, min_plus), by_vertex, min_minus)
    lengths = PathLengths(graph, careful=True)
    by_vertex = diag(lengths.inward(distances.cast(dtype)))
    return mxm(mxm(by_vertex, lengths.graph, lengths.semiring), by_vertex, min_compared)
