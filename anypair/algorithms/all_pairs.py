"""The distances between all pairs of vertices of a small graph."""

from anypair import Matrix, ewise_add, mxm, same, select
from anypair.algorithms.checks import check_graph, check_weights
from anypair.algorithms.path_lengths import PathLengths
from anypair.errors import NegativeCycle, ResultOverflow
from anypair.semiring import diagonal, min_plus, minimum


def all_pairs_distances(graph: Matrix) -> Matrix:
    """The distance from vertex i to vertex j at (i, j), where there is a path; weights may be negative.

    The matrix of paths of at most one edge, squared over min_plus until nothing gets shorter:
    log2(n) products of matrices that have n * n entries where all is connected, so that n should be
    some thousands.

    >>> graph = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> all_pairs_distances(graph).to_numpy(missing=-1).tolist()
    [[0, 4, 7], [-1, 0, 3], [-1, -1, 0]]
    """
    check_graph("all_pairs_distances", graph)
    check_weights("all_pairs_distances", graph, negative=True)
    lengths = PathLengths(graph)
    if not lengths.takes(2 * lengths.greatest_weight * graph.nrows):
        raise ResultOverflow(
            f"all_pairs_distances: paths may be longer than {lengths.dtype} holds; give smaller weights"
        )
    nowhere = Matrix.identity(graph.nrows, 0, lengths.dtype, like=graph)
    distances = ewise_add(nowhere, graph.cast(lengths.dtype), minimum)
    while True:
        following = mxm(distances, distances, min_plus)
        if lengths.has_negative and select(following, diagonal).min() < 0:
            raise NegativeCycle("all_pairs_distances: the graph has a cycle of negative length")
        if same(following, distances):
            return distances
        distances = following
