"""Colouring of vertices, by Jones and Plassmann."""

import numpy as np

from anypair import (
    Matrix,
    Semiring,
    Vector,
    apply,
    ewise_mult,
    mxv,
    order,
    scatter,
    select,
    update,
)
from anypair.algorithms.checks import check_undirected, check_whole
from anypair.algorithms.palette import PALETTE, bits_second, first_fit, number
from anypair.semiring import (
    bor,
    eq,
    is_true,
    lt,
    minimum,
    minus,
    plus,
    plus_monoid,
    plus_pair,
    second,
)

plus_lt = Semiring(plus_monoid, lt)


def colouring(graph: Matrix, seed: int = 1) -> Vector:
    """A number from 0 for every vertex, different ones at the two ends of each edge.

    Each vertex takes the first colour that is left by the neighbours that come before it: those of
    larger degree and, of equal ones, as the seed draws (Jones and Plassmann 1993, in the order of
    Welsh and Powell 1967). So the colours are those of the greedy algorithm in this order. Loops do
    not count; a graph that has an edge without its reverse is refused.

    >>> colouring(Matrix.from_edges([0, 1, 1], [1, 2, 3], symmetric=True)).to_dict()
    {0: 1, 1: 0, 2: 1, 3: 1}
    """
    check_undirected("colouring", graph)
    check_whole("colouring", "seed", seed, 0)
    n = graph.nrows
    vertices, draws = Vector.range(n, like=graph), Vector.random(n, seed, np.uint32, like=graph)
    by_degree = order(plus_pair(graph @ vertices) * 2**32 + draws.cast(int))
    places = scatter(vertices, by_degree, n, minimum)
    # at each edge (i, j) the place of i, which comes before all j whose place is smaller
    here = graph.scale(rows=places, op=second)
    colours, left, first = Vector.empty(n, int, like=graph), places, 0
    while left.nvals:
        found = _from_palette(graph, left, mxv(here, left, plus_lt, mask=left.structure))
        update(colours, apply(apply(found, number), plus, right=first))
        left, first = left.where(~found.structure), first + PALETTE
    return colours


def _from_palette(graph: Matrix, left: Vector, waiting: Vector) -> Vector:
    """The colours that one palette gives; each vertex is `waiting` for so many neighbours."""
    taken, found = Vector.full(graph.nrows, 0, like=graph), Vector.empty(graph.nrows, int, like=graph)
    ready = left.where(~waiting.true)
    while ready.nvals:
        chosen = apply(taken, first_fit, mask=ready.structure)
        update(found, chosen)
        bits_second(chosen @ graph, out=taken, mask=~found.structure, accum=bor)
        met = plus_pair(chosen @ graph, mask=~found.structure)
        shorter = ewise_mult(waiting, met, minus)
        update(waiting, shorter)
        ready = select(shorter, eq, right=0)
    return select(found, is_true)
