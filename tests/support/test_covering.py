"""Covering arrays cover."""

from itertools import combinations, product

import pytest

from tests.support import covering
from tests.support.covering import cases, pairwise

FACTORS = [
    [[1, 2]],
    [[1, 2], "abc"],
    [range(14), range(3), range(3), range(3), range(2), range(2)],
    [range(11), range(11), range(20)],
    [range(4), "a", range(5)],
    [range(2)] * 10,
]


@pytest.mark.parametrize("factors", FACTORS, ids=lambda factors: "x".join(str(len(f)) for f in factors))
def test_each_two_values_of_two_factors_meet(factors: list[list[object]]) -> None:
    rows = pairwise(*factors)
    assert set(rows) <= set(product(*factors))
    assert len(set(rows)) == len(rows)
    for i, j in combinations(range(len(factors)), 2):
        assert {(row[i], row[j]) for row in rows} == set(product(factors[i], factors[j]))
    widest = sorted(map(len, factors))[-2:]
    least = widest[0] * widest[-1] if len(factors) > 1 else widest[0]
    assert least <= len(rows) <= 1.5 * least + 8


def test_a_factor_without_values_leaves_no_cases() -> None:
    assert pairwise([1, 2], [], [3]) == cases([1, 2], [], [3]) == []


def test_a_full_run_takes_all_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    factors = ("ab", "cd", "ef")
    monkeypatch.setattr(covering, "FULL", False)
    assert cases(*factors) == pairwise(*factors)
    monkeypatch.setattr(covering, "FULL", True)
    assert cases(*factors) == list(product(*factors))
