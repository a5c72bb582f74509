"""What follows from facts about a user's operators, on every backend."""

import math
from typing import Any

import pytest

import anypair
from anypair import MAX, MIN, Matrix, Semiring, Vector, binary_op, monoid
from anypair.semiring import plus_monoid
from tests.support.compare import assert_same

NAN = math.nan
GRAPH = Matrix.from_entries(
    [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 0], [1.0, NAN, 2.0, NAN, 3.0, NAN], (3, 3), backend="reference"
)
VALUES = Vector.from_entries([0, 1, 2], [NAN, 4.0, -1.0], 3, backend="reference")


@monoid(identity=MAX, selects="min")
def least(x: Any, y: Any) -> Any:
    return x if x < y else y


@monoid(identity=MIN, terminal=MAX, selects="max")
def greatest(x: Any, y: Any) -> Any:
    return max(x, y)


@pytest.mark.parametrize("add", [least, greatest], ids=repr)
def test_a_declared_choice_passes_over_nan(backend: str, add: Any) -> None:
    expected = {"least": [-1.0, -1.0], "greatest": [4.0, 4.0]}[add.name]
    assert [anypair.reduce(x.to(backend), add) for x in (VALUES, VALUES)] == expected
    for multiply in (binary_op(lambda e, v: e), binary_op(lambda e, v: v)):
        semiring = Semiring(add, multiply)
        found = anypair.mxv(GRAPH.to(backend), VALUES.to(backend), semiring)
        assert_same(found.to("reference"), anypair.mxv(GRAPH, VALUES, semiring))
        assert not any(map(math.isnan, [found.to_dict()[0], found.to_dict()[1]]))


def half(x: Any) -> Any:
    return x / 2


def mean(x: Any, y: Any) -> Any:
    return half(x) + half(y)


@binary_op
def nearer(edge: Any, value: Any) -> Any:
    return least(mean(edge, value), greatest(edge, value))


def test_operators_call_helpers_of_helpers_and_other_operators(backend: str) -> None:
    graph = Matrix.from_entries([0, 0, 1], [0, 1, 1], [2.0, 6.0, 4.0], (2, 2), backend=backend)
    u = Vector.from_entries([0, 1], [4.0, 2.0], 2, backend=backend)
    found = anypair.mxv(graph, u, Semiring(plus_monoid, nearer))
    assert found.to_dict() == {0: 3.0 + 4.0, 1: 3.0}
    assert anypair.ewise_mult(u, u, nearer).to_dict() == {0: 4.0, 1: 2.0}
