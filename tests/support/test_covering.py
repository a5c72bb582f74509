"""Covering arrays cover."""

from itertools import combinations, product
from math import prod

import pytest

from tests.support import covering
from tests.support.covering import cases, covering_array

FACTORS = [
    [[1, 2]],
    [[1, 2], "abc"],
    [range(14), range(3), range(3), range(3), range(2), range(2)],
    [range(11), range(11), range(20)],
    [range(4), "a", range(5)],
    [range(2)] * 10,
]


@pytest.mark.parametrize("strength", [1, 2, 3])
@pytest.mark.parametrize("factors", FACTORS, ids=lambda factors: "x".join(str(len(f)) for f in factors))
def test_each_so_many_values_meet(factors: list[list[object]], strength: int) -> None:
    rows = covering_array(*factors, strength=strength)
    assert set(rows) <= set(product(*factors))
    assert len(set(rows)) == len(rows)
    for chosen in combinations(range(len(factors)), min(strength, len(factors))):
        met = {tuple(row[f] for f in chosen) for row in rows}
        assert met == set(product(*(factors[f] for f in chosen)))
    least = prod(sorted(map(len, factors))[-strength:])
    assert least <= len(rows) <= 1.5 * least + 16


def test_a_factor_without_values_leaves_no_cases() -> None:
    assert covering_array([1, 2], [], [3]) == cases([1, 2], [], [3]) == []


def test_a_full_run_takes_all_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    factors = ("ab", "cd", "ef")
    monkeypatch.setattr(covering, "FULL", False)
    assert cases(*factors) == covering_array(*factors)
    monkeypatch.setattr(covering, "FULL", True)
    assert cases(*factors) == list(product(*factors))
