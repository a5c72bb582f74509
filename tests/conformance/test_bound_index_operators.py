"""Operators of places that take a number: the number is no part of what is compiled."""

import functools
import math
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, binary_op, ewise_mult, index_unary_op, select, unary_op
from anypair import semiring as s
from anypair.errors import OperatorError
from tests.conformance.cases import move
from tests.support.compare import assert_same, entries
from tests.support.compilations import compilations

NUMBERS = (-1, 0, 2, 1.5, np.int8(1), True)


@index_unary_op(result=bool)
def band(x: Any, i: Any, j: Any, k: Any) -> Any:
    return abs(i - j) <= k and x > 1


@index_unary_op
def mixed(x: Any, i: Any, j: Any, k: Any) -> Any:
    return x * k + i - 10 * j


@index_unary_op(result=np.int64)
def quotient(x: Any, i: Any, j: Any, k: Any) -> Any:
    return (i + j) // k


def samples() -> list[Any]:
    A = Matrix.from_entries(
        [0, 0, 1, 2, 2, 3], [0, 3, 1, 0, 3, 3], [1, 2, 3, 4, 5, 6], (4, 5), backend="reference"
    )
    return [A, A.cast(np.float32), Vector.from_entries([1, 3], [5, 7], 5, backend="reference")]


@pytest.mark.parametrize("name", ["lower", "strict_upper", "diagonal", "column", "band", "mixed"])
def test_numbers_of_operators_of_places(backend: str, name: str) -> None:
    op = {"band": band, "mixed": mixed}.get(name) or getattr(s, name)
    numbers = (2, -1.5) if backend == "cuda" else NUMBERS  # where each one is compiled
    for x in samples():
        moved = move(x, backend)
        for k in numbers:
            assert_same(apply(moved, op, right=k), apply(x, op, right=k))
            assert_same(select(moved, op, right=k), select(x, op, right=k))


@pytest.mark.parametrize("numbers", [(0.0, -0.0), (-0.0, 0.0)], ids=str)
def test_zeros_of_both_signs_are_two_numbers(backend: str, numbers: tuple[float, float]) -> None:
    signed = index_unary_op(result=float)(lambda x, i, j, k: math.copysign(x, k))
    x = Vector.from_entries([1, 3], [5.0, 7.0], 5, backend=backend)
    for k in numbers:
        sign = math.copysign(1.0, k)
        assert apply(x, signed, right=k).to_dict() == {1: 5.0 * sign, 3: 7.0 * sign}


def test_diagonals_are_counted_from_the_main_one(backend: str) -> None:
    A = Matrix.full((4, 5), 1)
    i, j = np.indices((4, 5))
    for k in (-2, 0, 1):
        expected = {
            s.lower: j - i <= k, s.upper: j - i >= k, s.strict_lower: j - i < k,
            s.strict_upper: j - i > k, s.diagonal: j - i == k, s.off_diagonal: j - i != k,
        }  # fmt: skip
        for op, inside in expected.items():
            assert set(entries(select(A, op, right=k))) == set(zip(*np.nonzero(inside), strict=True))
    symmetric = Matrix.from_edges([0, 1], [1, 2], symmetric=True)
    assert select(symmetric, s.diagonal).is_symmetric
    assert not select(symmetric, s.diagonal, right=1).is_symmetric


def test_an_error_says_for_which_number(backend: str) -> None:
    if backend == "cuda":
        pytest.skip("a GPU does not tell")
    A = move(samples()[0], backend)
    assert apply(A, quotient, right=2)[2, 3] == 2
    with pytest.raises(OperatorError, match=r"quotient.*(ZeroDivision|division by zero)"):
        apply(A, quotient, right=0).to_entries()
    assert apply(A, quotient, right=5)[2, 3] == 1


@pytest.mark.parametrize("backend", ["jit", "suitesparse"], indirect=True)
def test_another_number_compiles_nothing(backend: str) -> None:
    x, A = Vector.full(8, 3), move(samples()[0], backend)

    def work(k: int) -> None:
        for operation in (apply, select):
            for y in (x, A):
                for op in (s.lower, s.strict_lower, band):
                    operation(y, op, right=k).to_entries()

    work(1)
    with compilations() as seen:
        for k in range(2, 9):
            work(k)
    assert seen == []


def scaled(x: Any, factor: Any, base: Any = 3) -> Any:
    return factor * x + base


def test_functions_with_arguments_that_are_given_already(backend: str) -> None:
    x = Vector.from_numpy([1.0, 4.0])
    for function, expected in (
        (lambda x, step=2: x + step, [3.0, 6.0]),
        (functools.partial(scaled, 5), [8.0, 23.0]),
        (functools.partial(scaled, factor=2, base=1), [3.0, 9.0]),
        (math.sqrt, [1.0, 2.0]),
        (np.log2, [0.0, 2.0]),
    ):
        assert apply(x, unary_op(function)).to_entries()[1].tolist() == expected
    for two in (np.hypot, math.hypot, lambda x, y, scale=1.0: scale * math.hypot(x, y)):
        assert ewise_mult(x, x, binary_op(two)).to_entries()[1].round(6).tolist() == [1.414214, 5.656854]
