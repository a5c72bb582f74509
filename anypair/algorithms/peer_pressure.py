"""Communities by peer pressure."""

import math

from anypair import Matrix, Vector, mxm, same, selection, update
from anypair.algorithms.checks import check_graph, check_whole
from anypair.semiring import plus_first, plus_pair, second

#: The parts of a vote, which 1 to 24 divide: sums of whole numbers are the same in any order.
WHOLE = math.lcm(*range(1, 25))


def peer_pressure(graph: Matrix, limit: int = 100) -> Vector:
    """The community of every vertex, named by one of its vertices.

    Every vertex begins as its own community; in each round it shares one vote for its community
    among those it has an edge to, and all join the community with most votes, the smallest of several,
    until nothing changes or for `limit` rounds (Gilbert, Reinhardt and Shah 2007). Who gets no vote
    stays. Weights do not count.

    >>> two = Matrix.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], symmetric=True)
    >>> peer_pressure(two).to_dict()
    {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 3}
    """
    check_graph("peer_pressure", graph)
    check_whole("peer_pressure", "limit", limit, 1)
    communities = Vector.range(graph.nrows, like=graph)
    degrees = plus_pair(graph @ communities)
    votes = graph.scale(rows=(WHOLE / degrees).cast(int), op=second).T
    for _ in range(limit):
        joined = mxm(votes, selection(communities, graph.nrows), plus_first).argmax(by="rows")
        before = communities.copy()
        update(communities, joined)
        if same(communities, before):
            break
    return communities
