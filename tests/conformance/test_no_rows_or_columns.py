"""Matrices without rows or columns, of one value for all the entries that they do not have."""

import pytest

from anypair import Matrix, Vector, apply, ewise_add, extract, mxm, mxv, reduce, select, vxm
from anypair.semiring import gt, min_plus, pair, plus, plus_monoid, plus_times
from tests.support.compare import assert_same


def results(backend: str, rows: int, columns: int) -> list[Matrix | Vector]:
    empty = Matrix.from_entries([], [], [], (rows, columns), dtype="int16", backend=backend)
    A = apply(empty, pair, right=-9)
    u, w = Vector.full(columns, 3, backend=backend), Vector.full(rows, 3, backend=backend)
    return [
        A,
        A.T,
        mxv(A, u, plus_times),
        mxv(A, u, min_plus),
        vxm(w, A, plus_times),
        mxm(A, A.T, plus_times),
        mxm(A.T, A, plus_times),
        reduce(A, plus_monoid, by="rows"),
        reduce(A, plus_monoid, by="columns"),
        ewise_add(A, empty, plus),
        select(A, gt, right=0),
        extract(A, slice(None), slice(None)),
    ]


@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (1, 0), (5, 0), (0, 1), (0, 5), (5, 64)])
def test_nothing_comes_of_nothing(backend: str, rows: int, columns: int) -> None:
    found, expected = (results(each, rows, columns) for each in (backend, "reference"))
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other)
