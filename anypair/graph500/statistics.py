"""The figures that the specification asks for, and the lines in which it prints them.

Quartiles are interpolated linearly, as in the specification's sample code (Octave's `statistics`);
the C reference takes the mean of two neighbours instead, so that its quartiles differ a little.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

QUARTILES = ("min", "firstquartile", "median", "thirdquartile", "max")


@dataclass(frozen=True)
class Summary:
    """Quartiles, mean and deviation, under the names of the specification."""

    quartiles: tuple[float, float, float, float, float]
    mean: float
    stddev: float

    def lines(self, kernel: str, quantity: str, kind: str = "") -> list[str]:
        """`bfs_min_time: ...` and so on; `kind` goes before mean and deviation.

        >>> summary([2.0, 4.0]).lines("bfs", "time")[0]
        'bfs_min_time: 2.00000000000000000e+00'
        """
        figures = dict(zip(QUARTILES, self.quartiles, strict=True))
        figures |= {f"{kind}mean": self.mean, f"{kind}stddev": self.stddev}
        return [line(f"{kernel}_{name}_{quantity}", value) for name, value in figures.items()]


def line(name: str, value: float) -> str:
    """A line as the specification's sample prints it."""
    return f"{name}: {value:20.17e}"


def summary(values: Sequence[float]) -> Summary:
    """Of times or numbers of edges. The deviation of a single value is 0.

    >>> summary([1, 2, 3, 4, 5]).quartiles
    (1.0, 2.0, 3.0, 4.0, 5.0)
    """
    mean = math.fsum(values) / len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return Summary(_quartiles(values), mean, math.sqrt(squares / max(1, len(values) - 1)))


def summary_of_rates(values: Sequence[float]) -> Summary:
    """Of rates, which are compared by their harmonic mean.

    The deviation is that of Norris, The Standard Errors of the Geometric and Harmonic Means, 1940.

    >>> summary_of_rates([2.0, 6.0]).mean
    3.0
    """
    count = len(values)
    mean = count / math.fsum(1 / value for value in values)
    squares = math.fsum((1 / value - 1 / mean) ** 2 for value in values)
    deviation = math.sqrt(squares) / max(1, count - 1) * mean**2
    return Summary(_quartiles(values), mean, deviation)


def _quartiles(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    return low, first, middle, third, high
