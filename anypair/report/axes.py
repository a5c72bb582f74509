"""Where values lie along an axis, and which of them get a label."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from anypair.report.numbers import si

MANTISSAS = (1.0, 2.0, 5.0)
MOST_TICKS = 8


@dataclass(frozen=True)
class Axis:
    """What an axis shows; `log` is the base of a logarithmic one, 0 of a linear one."""

    label: str
    unit: str = ""
    log: int = 0
    whole: bool = False
    from_zero: bool = False


@dataclass(frozen=True)
class Scale:
    """An axis with a range, drawn from pixel `start` to pixel `end`."""

    axis: Axis
    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """The pixel of a value."""
        low, high = self._bend(self.low), self._bend(self.high)
        return self.start + (self._bend(value) - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The values that get a label, some two to eight of them."""
        if self.axis.log == 2:
            found = [2.0**k for k in _between(math.log2(self.low), math.log2(self.high))]
        elif self.axis.log:
            found = _log_ticks(self.low, self.high)
        else:
            step = _step(self.high - self.low, self.axis.whole)
            found = [k * step for k in _between(self.low / step, self.high / step)]
        return found[:: math.ceil(len(found) / MOST_TICKS)] if found else []

    def text(self, value: float) -> str:
        """The label of a tick."""
        return f"{value:g}" if self.axis.whole else si(value, self.axis.unit)

    def _bend(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self.axis.log else value


def fit(axis: Axis, values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that has room for all values.

    >>> fit(Axis("scale", whole=True), [10, 14], 0, 100).ticks()
    [10.0, 11.0, 12.0, 13.0, 14.0]
    >>> fit(Axis("time", "s", log=10), [0.003, 0.4], 0, 100).ticks()
    [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    """
    known = [value for value in values if value > 0] if axis.log else list(values)
    low, high = (min(known), max(known)) if known else (1.0, 10.0)
    if axis.log == 2:
        return Scale(axis, low / 2**0.25, high * 2**0.25, start, end)
    if axis.log:
        low, high = _round(low, up=False), _round(high, up=True)
        return Scale(axis, low, high if high > low else 10 * low, start, end)
    if axis.whole:
        return Scale(axis, low - 0.5, high + 0.5, start, end)
    low = 0.0 if axis.from_zero else low
    step = _step(high - low or abs(high) or 1.0, whole=False)
    bottom = step * math.floor(low / step)
    return Scale(axis, bottom, max(step * math.ceil(high / step), bottom + step), start, end)


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten, with 2 and 5 times them where there are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside = [m * 10.0**p for p in powers for m in MANTISSAS]
    inside = [float(f"{v:.6g}") for v in inside if low * 0.999 <= v <= high * 1.001]
    tens = [v for v in inside if f"{v:e}".startswith("1.000")]
    return inside if len(inside) <= MOST_TICKS else tens


def _round(value: float, *, up: bool) -> float:
    """The nearest 1, 2 or 5 times a power of ten above or below."""
    power = math.floor(math.log10(value))
    steps = [m * 10.0**p for p in (power, power + 1) for m in MANTISSAS]
    if up:
        return min(step for step in steps if step >= value * 0.999)
    return max(step for step in steps if step <= value * 1.001)


def _step(span: float, whole: bool) -> float:
    """A round distance of ticks, four to eight of them over the span."""
    rough = max(span, 1e-300) / 6
    power = math.floor(math.log10(rough))
    step = next(m * 10.0**power for m in (*MANTISSAS, 10.0) if m * 10.0**power >= rough * 0.999)
    return max(step, 1.0) if whole else step


def _between(low: float, high: float) -> range:
    return range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
