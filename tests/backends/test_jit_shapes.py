"""Building on `jit` where rows and columns are far from equally many, against `scipy`."""

from collections.abc import Callable

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector, assign, extract
from anypair.graph500 import kronecker_edges
from anypair.semiring import plus
from tests.support.compare import assert_same

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


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("rows", "columns"), [(64, 128), (3, 100_000), (100_000, 3)])
def test_many_entries_on_several_threads(threads: int, rows: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    i, j = random.integers(0, rows, 400_000), random.integers(0, columns, 400_000)
    ones = np.ones(len(i), np.int64)
    expected = Matrix.from_entries(i, j, ones, (rows, columns), duplicates=plus, backend="scipy")
    with anypair.using("jit", threads=threads):
        for _ in range(4):
            assert_same(Matrix.from_entries(i, j, ones, (rows, columns), duplicates=plus), expected)
