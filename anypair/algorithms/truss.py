"""Trusses: what is left when edges of few triangles are taken away."""

from anypair import Matrix, ewise_add, mxm, select
from anypair.algorithms.checks import check_undirected, check_whole
from anypair.algorithms.oriented import oriented
from anypair.semiring import any_of, ge, plus, plus_pair


def k_truss(graph: Matrix, k: int) -> Matrix:
    """The edges of the k-truss, each in k - 2 triangles or more of it, with how many it is in.

    Edges of fewer triangles are taken away until there are none left (Cohen 2008). For L the edges
    from smaller to larger degrees (`oriented`) and U = L.T, L U counts triangles by the edge from
    their first corner to the middle one, U U and U L by those from the last one back to the first
    and the middle one.

    >>> k_truss(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetric=True), 3).to_entries()
    (array([0, 0, 1, 1, 2, 2]), array([1, 2, 0, 2, 0, 1]), array([1, 1, 1, 1, 1, 1]))
    """
    check_undirected("k_truss", graph)
    check_whole("k_truss", "k", k, 3)
    L = oriented(graph)
    while True:
        U = L.T
        support = mxm(L, U, plus_pair, mask=L.structure)
        others = mxm(U, U, plus_pair, mask=U.structure)
        ewise_add(others, mxm(U, L, plus_pair, mask=U.structure), plus, out=others)
        ewise_add(support, others.T, plus, out=support)
        truss = select(support, ge, right=k - 2)
        if truss.nvals == L.nvals:
            return ewise_add(truss, truss.T, any_of)
        L = truss
