"""Maximal matchings of rows and columns, of matrices of any shape."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair import Matrix, Vector
from anypair.algorithms import maximal_bipartite_matching
from anypair.errors import InvalidArgument
from tests.algorithms.verifiers import refused

Places = set[tuple[int, int]]


def check_matching(places: Places, shape: tuple[int, int], found: Any) -> None:
    assert isinstance(found, Vector)
    assert (found.size, str(found.dtype)) == (shape[0], "int64")
    mates = found.to_dict()
    assert len(set(mates.values())) == len(mates), "a column is taken twice"
    assert set(mates.items()) <= places, "no such entry"
    taken = set(mates.values())
    assert not [(i, j) for i, j in places if i not in mates and j not in taken], "not maximal"


@st.composite
def matrices(draw: Any) -> tuple[Places, tuple[int, int]]:
    shape = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    return draw(st.sets(st.tuples(*(st.integers(0, n - 1) for n in shape)))), shape


def made(places: Places, shape: tuple[int, int]) -> Matrix:
    return Matrix.from_entries([i for i, _ in places], [j for _, j in places], 0.0, shape)


@given(case=matrices())
def test_random_matrices(backend: str, case: Any) -> None:
    check_matching(*case, maximal_bipartite_matching(made(*case)))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 40), (40, 1), (7, 30), (30, 7)])
def test_shapes(backend: str, shape: tuple[int, int]) -> None:
    places = {(i, j) for i in range(shape[0]) for j in range(shape[1]) if (i * 3 + j) % 5 < 2}
    check_matching(places, shape, maximal_bipartite_matching(made(places, shape)))


def test_refuses_what_is_no_matrix(backend: str) -> None:
    for wrong in (None, [[1]], Vector):
        with refused(
            maximal_bipartite_matching, InvalidArgument, f"A has to be a Matrix, not {wrong!r}"
        ):
            maximal_bipartite_matching(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("mates", [{0: 0}, {0: 0, 1: 0}, {0: 1, 1: 1}, {0: 0, 2: 1}])
def test_check_notices_a_spoiled_answer(mates: dict[int, int]) -> None:
    places = {(0, 0), (0, 1), (1, 1), (2, 0)}
    with pytest.raises(AssertionError):
        check_matching(places, (3, 2), Vector.from_entries(list(mates), list(mates.values()), 3))
