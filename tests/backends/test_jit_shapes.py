"""`jit` where rows and columns are far from equally many, against `scipy`.

`make bounds` runs this with Numba's bounds checks, too.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, apply, assign, ewise_add, extract, mxm, mxv, reduce, select, vxm
from anypair.graph500 import kronecker_edges
from anypair.semiring import min_plus, plus, plus_monoid, plus_times, position, strict_lower
from tests.support.compare import assert_same
from tests.support.covering import FULL, cases

pytestmark = pytest.mark.each_backend

WIDE = 10_000_000


def unsorted_vector(backend: str) -> Vector:
    return Vector.from_entries([WIDE - 1, 5], [1, 2], size=WIDE, backend=backend)


def one_row(backend: str) -> Matrix:
    return Matrix.from_entries([0, 0], [WIDE - 1, 0], [1, 2], (1, WIDE), backend=backend)


def two_rows(backend: str) -> Matrix:
    return Matrix.from_entries([0, 1], [5_000_000, WIDE - 1], [1, 2], (2, WIDE), backend=backend)


def one_column(backend: str) -> Matrix:
    return Matrix.from_entries([WIDE - 1, 5], [0, 0], [1, 2], (WIDE, 1), backend=backend)


def scattered(backend: str) -> Vector:
    some = Vector.full(2, 1.0, backend=backend)
    out = Vector.empty(WIDE, backend=backend)
    assign(out, some, [WIDE - 1, 5])
    return out


def half_of_the_rows(backend: str) -> Matrix:
    n = 1 << 12
    sources, targets = kronecker_edges(12, 16, 1)
    graph = Matrix.from_edges(sources, targets, n=n, symmetric=True, backend=backend)
    rows = np.sort(np.random.default_rng(1).choice(n, n // 2, replace=False))
    return extract(graph, rows, slice(None))


@pytest.mark.parametrize(
    "make", [unsorted_vector, one_row, two_rows, one_column, scattered, half_of_the_rows]
)
def test_shapes_far_from_square(make: Callable[[str], Matrix | Vector]) -> None:
    assert_same(make("jit"), make("scipy"))


SHAPES = [(64, 128), (3, 100_000), (100_000, 3)]


@pytest.mark.parametrize(
    ("threads", "shape"),
    cases([1, 2, 5], SHAPES)
    if FULL
    else [(1, SHAPES[0]), (2, SHAPES[1]), (5, SHAPES[2]), (5, SHAPES[1])],
)
def test_many_entries_on_several_threads(threads: int, shape: tuple[int, int]) -> None:
    rows, columns = shape
    random = np.random.default_rng(rows)
    i, j = random.integers(0, rows, 400_000), random.integers(0, columns, 400_000)
    ones = np.ones(len(i), np.int64)
    expected = Matrix.from_entries(i, j, ones, (rows, columns), duplicates=plus, backend="scipy")
    with anypair.using("jit", threads=threads):
        for _ in range(4 if FULL else 2):
            assert_same(Matrix.from_entries(i, j, ones, (rows, columns), duplicates=plus), expected)


def random_entries(rows: int, columns: int, backend: str | None) -> Matrix:
    random = np.random.default_rng(columns)
    i, j = random.integers(0, rows, 3_000), random.integers(0, columns, 3_000)
    return Matrix.from_entries(i, j, np.arange(3_000), (rows, columns), duplicates=plus, backend=backend)


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize(("rows", "columns"), [(1, WIDE), (WIDE, 1), (2, WIDE), (WIDE, 2)])
def test_operations_on_shapes_far_from_square(threads: int, rows: int, columns: int) -> None:
    with anypair.using("jit", threads=threads):
        found = list(results(random_entries(rows, columns, None)))
    for ours, theirs in zip(found, results(random_entries(rows, columns, "scipy")), strict=True):
        assert_same(ours, theirs)


def results(A: Matrix) -> Iterator[Matrix | Vector]:
    """Products in both directions, with masks, and what changes the shape or the entries."""
    u = Vector.from_entries([A.nrows - 1, 0], 3, A.nrows, duplicates=plus, backend=A.backend)
    v = Vector.from_entries([A.ncols - 1, 0], 5, A.ncols, duplicates=plus, backend=A.backend)
    yield vxm(u, A, plus_times)
    yield vxm(u, A, min_plus, mask=~v.structure)
    yield mxv(A, v, plus_times)
    yield mxv(A, v, min_plus, mask=u.structure)
    yield (mxm(A, A.T, plus_times) if A.nrows < A.ncols else mxm(A.T, A, plus_times))
    yield apply(A, position)
    yield ewise_add(A, A, plus, mask=~select(A, strict_lower).structure)
    yield reduce(A, plus_monoid, by="rows")
    yield reduce(A, plus_monoid, by="columns")
    yield extract(A, [A.nrows - 1, 0], [A.ncols - 1, 0, A.ncols // 2])
    yield assign(A.copy(), 7, [A.nrows - 1], [A.ncols - 1])
    yield A.T
