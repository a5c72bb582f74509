"""Cores: what is left when vertices of few edges are taken away."""

from typing import Any

from anypair import Matrix, Vector, apply, assign, ewise_add, select, unary_op, vxm
from anypair.algorithms.checks import check_undirected
from anypair.semiring import le, minus, off_diagonal, plus, plus_pair

#: More than any degree. A vertex that is taken away has its core and one, times this, for a degree, and
#: so stays what it is whatever is still taken away around it.
FAR = 2**32


@unary_op(result=int)
def core_of(degree: Any) -> Any:
    """The core of a vertex that was taken away."""
    return (degree - 1) // 4294967296


def core_numbers(graph: Matrix) -> Vector:
    """The largest k such that the vertex is in the k-core, where all have k neighbours or more.

    Vertices with the fewest neighbours are taken away, again and again (Matula and Beck 1983).
    Self-loops do not count.

    >>> core_numbers(Matrix.from_edges([0, 1, 2, 2], [1, 2, 0, 3], n=5, symmetric=True)).to_dict()
    {0: 2, 1: 2, 2: 2, 3: 1, 4: 0}
    """
    check_undirected("core_numbers", graph)
    graph = select(graph, off_diagonal)
    none = Vector.full(graph.nrows, 0, like=graph)
    degrees = ewise_add(none, plus_pair(graph @ none), plus)
    while (k := int(degrees.min())) < FAR // 2:
        while (peeled := select(degrees, le, right=k)).nvals:
            assign(degrees, (k + 1) * FAR, mask=peeled.structure)
            vxm(peeled, graph, plus_pair, out=degrees, accum=minus)
    cores: Vector = apply(degrees, core_of)
    return cores
