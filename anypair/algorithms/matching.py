"""Maximal matchings, by handshakes."""

import numpy as np

from anypair import Matrix, Vector, order, scatter, select, update, vxm
from anypair.algorithms.checks import check_matrix, check_undirected, check_whole
from anypair.semiring import any_pair, min_select, min_source, minimum, off_diagonal, plus_pair


def maximal_bipartite_matching(A: Matrix) -> Vector:
    """The column of each matched row; no two rows share one, and no free row has a free column.

    Each free column asks its first free row, and each row that is asked says yes to its first column,
    until no free column has anybody to ask (Israeli and Itai 1986, with the first in place of chance).

    >>> A = Matrix.from_entries([0, 0, 1, 2], [0, 1, 0, 1], True, (3, 2))
    >>> maximal_bipartite_matching(A).to_dict()
    {0: 0, 2: 1}
    """
    check_matrix("maximal_bipartite_matching", A)
    m, n = A.shape
    mates, partners = Vector.empty(m, int, like=A), Vector.empty(n, int, like=A)
    rows, columns = Vector.range(m, like=A), Vector.range(n, like=A)
    while True:
        free = rows.where(~mates.structure)
        asked = vxm(free, A, min_source, mask=~partners.structure)
        if not asked.nvals:
            return mates
        taken = scatter(columns, asked, m, minimum)
        update(mates, taken)
        update(partners, scatter(rows, taken, n, minimum))


def maximal_matching(graph: Matrix, seed: int = 1) -> Vector:
    """The mate of each matched vertex, joined to it by an edge; no edge joins two without a mate.

    In each round coins make half of the free vertices ask their free neighbours in the other half for
    a handshake. Of several, the one of smallest degree is taken, on both sides: who has few neighbours
    cannot wait (Israeli and Itai 1986, in the order of Karp and Sipser 1981). Loops do not count; a
    graph that has an edge without its reverse is refused.

    >>> maximal_matching(Matrix.from_edges([0, 1, 2], [1, 2, 3], symmetric=True)).to_dict()
    {0: 1, 1: 0, 2: 3, 3: 2}
    """
    check_undirected("maximal_matching", graph)
    check_whole("maximal_matching", "seed", seed, 0)
    graph, n = select(graph, off_diagonal), graph.nrows
    vertices, draws = Vector.range(n, like=graph), Vector.random(n, seed, np.uint32, like=graph)
    by_degree = order(plus_pair(graph @ vertices) * 2**32 + draws.cast(int))
    free = ranks = scatter(vertices, by_degree, n, minimum)
    mates, turn = Vector.empty(n, int, like=graph), 0
    while (left := vxm(free, graph, any_pair, mask=free.structure)).nvals:
        free = free.where(left.structure)  # and has free neighbours
        askers = free.where(Vector.random(n, seed + turn, bool, like=graph).true)
        others = free.structure & ~askers.structure
        asked = by_degree[vxm(askers, graph, min_select, mask=others)]
        taken = by_degree[scatter(ranks, asked, n, minimum)]
        update(mates, taken)
        update(mates, scatter(vertices, taken, n, minimum))
        free, turn = free.where(~mates.structure), turn + 1
    return mates
