"""Algorithms that are products of matrices: on jit beside the same text on suitesparse."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anypair import Matrix, Vector, apply, ewise_mult, mxm, reduce, select, update
from anypair.semiring import any_pair, divide, ge, minus, plus_monoid, plus_pair, times
from benchmarks.graphs import make
from benchmarks.operations.rows import OURS, SUITESPARSE, Row

SOURCES = 64
CLOSED = 3  # triangles on each edge of a 5-truss


def composed(name: str, seed: int) -> Iterator[Row]:
    """k-truss, local clustering and a search from 64 vertices on the graph of that name."""
    graph = make(name, seed)
    roots = graph.roots(SOURCES, seed)
    rows, columns = graph.csr.tocoo().coords
    loaded = {
        engine: Matrix.from_entries(rows, columns, True, graph.csr.shape, backend=backend)
        for engine, backend in ((OURS, "jit"), (SUITESPARSE, "suitesparse"))
    }
    for A in loaded.values():
        A.mark_symmetric()

    def row(title: str, run: Callable[[Matrix], Any]) -> Row:
        return Row(name, title, {e: lambda A=A: run(A) for e, A in loaded.items()})  # type: ignore[misc]

    yield row("5-truss", _truss)
    yield row("local clustering", _clustering)
    yield row(f"BFS from {SOURCES} vertices", lambda A: _levels(A, roots))


def _truss(A: Matrix) -> Matrix:
    """The edges that are left when those with fewer than three triangles have gone, again and again."""
    before = -1
    while A.nvals != before:
        before = A.nvals
        A = select(mxm(A, A, plus_pair, mask=A.structure), ge, right=CLOSED)
    return A


def _clustering(A: Matrix) -> Vector:
    """Of each vertex how many pairs of its neighbours are neighbours of each other, as a share."""
    ends = reduce(mxm(A, A, plus_pair, mask=A.structure), plus_monoid, by="rows")
    degrees = reduce(apply(A, times, right=1.0), plus_monoid, by="rows")
    pairs = ewise_mult(degrees, apply(degrees, minus, right=1.0), times)
    return ewise_mult(ends, pairs, divide)


def _levels(A: Matrix, roots: list[int]) -> Matrix:
    """How far each vertex is from each of the roots, a row each."""
    count = len(roots)
    levels = Matrix.from_entries(
        np.arange(count), roots, np.zeros(count, np.int64), (count, A.nrows), like=A
    )
    frontier, depth = select(levels, ge, right=0).cast(bool), 0
    while frontier.nvals:
        depth += 1
        frontier = mxm(frontier, A, any_pair, mask=~levels.structure)
        update(levels, apply(frontier.cast(np.int64), times, right=depth))
    return levels
