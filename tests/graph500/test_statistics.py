"""Figures worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.graph500.statistics import line, summary, summary_of_rates


def test_quartiles_mean_and_deviation() -> None:
    found = summary([4.0, 1.0, 3.0, 2.0])
    assert found.quartiles == (1.0, 1.75, 2.5, 3.25, 4.0)
    assert found.mean == 2.5
    assert found.stddev == pytest.approx(math.sqrt((2.25 + 0.25 + 0.25 + 2.25) / 3))


def test_harmonic_mean_and_its_deviation() -> None:
    """1/x are 1, 1/2, 1/4 with the mean 7/12; the deviations from it are 5/12, -1/12, -4/12."""
    found = summary_of_rates([1.0, 2.0, 4.0])
    assert found.mean == pytest.approx(12 / 7)
    assert found.stddev == pytest.approx(math.sqrt(25 + 1 + 16) / 12 / 2 * (12 / 7) ** 2)
    assert found.quartiles == (1.0, 1.5, 2.0, 3.0, 4.0)


def test_one_value_has_no_deviation() -> None:
    assert summary([3.0]).quartiles == (3.0, 3.0, 3.0, 3.0, 3.0)
    assert summary([3.0]).stddev == 0.0
    assert summary_of_rates([3.0]).mean == 3.0
    assert summary_of_rates([3.0]).stddev == 0.0


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=64))
def test_rates_agree_with_the_formula_of_the_reference_code(rates: list[float]) -> None:
    """It takes the mean and deviation of the seconds per edge, and turns those around."""
    seconds = summary([1 / rate for rate in rates])
    found = summary_of_rates(rates)
    assert found.mean == pytest.approx(1 / seconds.mean)
    expected = seconds.stddev / (seconds.mean**2 * math.sqrt(len(rates) - 1))
    assert found.stddev == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_lines_are_those_of_the_specification() -> None:
    assert summary([2, 2]).lines("bfs", "nedge") == [
        "bfs_min_nedge: 2.00000000000000000e+00",
        "bfs_firstquartile_nedge: 2.00000000000000000e+00",
        "bfs_median_nedge: 2.00000000000000000e+00",
        "bfs_thirdquartile_nedge: 2.00000000000000000e+00",
        "bfs_max_nedge: 2.00000000000000000e+00",
        "bfs_mean_nedge: 2.00000000000000000e+00",
        "bfs_stddev_nedge: 0.00000000000000000e+00",
    ]
    assert summary_of_rates([2.0]).lines("sssp", "TEPS", kind="harmonic_")[-2:] == [
        "sssp_harmonic_mean_TEPS: 2.00000000000000000e+00",
        "sssp_harmonic_stddev_TEPS: 0.00000000000000000e+00",
    ]
    assert line("construction_time", 1 / 8) == "construction_time: 1.25000000000000000e-01"
