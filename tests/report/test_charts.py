"""Axes and numbers: everything lands inside, ticks are few and round."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.report.axes import Axis, fit
from anypair.report.charts import BOTTOM, TOP, LineChart, Point, Series
from anypair.report.numbers import si

positive = st.floats(1e-9, 1e15)
axes = st.sampled_from([Axis("x"), Axis("x", log=10), Axis("x", log=2), Axis("x", from_zero=True)])


@given(axes, st.lists(positive, min_size=1, max_size=6))
def test_every_value_lies_on_the_axis(axis: Axis, values: list[float]) -> None:
    scale = fit(axis, values, 10, 110)
    assert all(9.9 <= scale.place(value) <= 110.1 for value in values)
    assert all(9.9 <= scale.place(tick) <= 110.1 for tick in scale.ticks())
    assert len(scale.ticks()) <= 8
    assert axis.log == 2 or len(scale.ticks()) >= 2


@given(st.lists(st.integers(0, 40), min_size=1, max_size=6))
def test_whole_axes_have_whole_ticks(values: list[int]) -> None:
    scale = fit(Axis("scale", whole=True), values, 0, 100)
    assert scale.ticks()
    assert all(tick == round(tick) for tick in scale.ticks())


@pytest.mark.parametrize("axis", [Axis("x"), Axis("x", log=10), Axis("x", log=2)])
@pytest.mark.parametrize("values", [[], [0.0], [0.0, 0.0]])
def test_axes_without_values_are_drawn(axis: Axis, values: list[float]) -> None:
    scale = fit(axis, values, 0, 100)
    assert math.isfinite(scale.place(scale.low))
    assert scale.high > scale.low


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_short(value: float) -> None:
    assert len(si(value, "s")) <= 14
    if 1e-9 <= abs(value) < 1e17:
        number, _, unit = si(value, "s").partition(" ")
        factor = {"n": -9, "µ": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}[unit[:-1]]
        assert float(number) * 10.0**factor == pytest.approx(value, rel=0.01)


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=5), st.integers(0, 20))
def test_charts_hold_only_finite_numbers(places: list[tuple[float, float]], style: int) -> None:
    points = [Point(x, y, "here") for x, y in places]
    chart = LineChart("t", "d", Axis("x", log=10), Axis("y", log=10), [Series("s", points, style)])
    drawn = chart.svg("name")
    assert drawn.count("<title>here</title>") == len(points)
    assert not re.search(r"nan|inf\b", drawn)


def test_lines_without_marks_lie_inside_too() -> None:
    marked = Series("measured", [Point(1, 10, "a"), Point(2, 12, "b")], 0)
    ideal = Series("ideal", [Point(1, 10, ""), Point(2, 500, "")], 0, dashed=True, marked=False)
    drawn = LineChart("t", "d", Axis("x", log=2), Axis("y", log=10), [marked, ideal]).svg("name")
    (line,) = re.findall(r'<polyline points="([^"]*)" class="line s0 dashed"', drawn)
    heights = [float(point.partition(",")[2]) for point in line.split()]
    assert all(TOP <= height <= BOTTOM for height in heights)
    assert "ideal" not in [
        name for _, name in LineChart("t", "d", Axis("x"), Axis("y"), [ideal]).legend()
    ]
