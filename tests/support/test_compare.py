"""The comparisons that the other tests rest on are able to fail."""

import math

import pytest

from anypair import Vector
from tests.support.compare import assert_entries, assert_same

TRUTH = {(0,): 1, (2,): 2.5, (3,): math.nan}


@pytest.mark.parametrize(
    "spoiled",
    [
        {(0,): 1, (2,): 2.5},
        {**TRUTH, (1,): 1},
        {**TRUTH, (0,): 2},
        {**TRUTH, (2,): math.nan},
        {**TRUTH, (3,): 1.0},
    ],
    ids=["missing entry", "extra entry", "wrong value", "NaN for a number", "number for NaN"],
)
def test_a_spoiled_answer_is_noticed(spoiled: dict[tuple[int, ...], float]) -> None:
    assert_entries(TRUTH, TRUTH)
    for rounding in (0.0, 1e-9):
        with pytest.raises(AssertionError):
            assert_entries(spoiled, TRUTH, rounding=rounding)


@pytest.mark.parametrize(
    "other",
    [
        Vector.from_entries([1], [5], size=4, backend="reference"),
        Vector.from_entries([1], [5.0], size=3, backend="reference"),
        Vector.from_entries([1], [6], size=3, backend="reference"),
        Vector.empty(3, int, backend="reference"),
    ],
    ids=["size", "dtype", "value", "places"],
)
def test_handles_that_differ_are_noticed(other: Vector) -> None:
    truth = Vector.from_entries([1], [5], size=3, backend="reference")
    assert_same(truth, truth.copy())
    with pytest.raises(AssertionError):
        assert_same(other, truth)


def test_rounding_is_forgiven_only_when_asked_for() -> None:
    assert_entries({(0,): 0.1 + 0.2}, {(0,): 0.3}, rounding=1e-9)
    with pytest.raises(AssertionError):
        assert_entries({(0,): 0.1 + 0.2}, {(0,): 0.3})
