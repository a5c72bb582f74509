"""Lengths of paths: their dtype, and sums that stop at its end where they could go beyond.

Integers wrap around, so a sum beyond the end would look like a short path. Where weights are too large
to rule that out, sums saturate: they stay at the end, as those of floats do at infinity. A vertex that
is still there when all is done raises `ResultOverflow`.
"""

import math
import sys
from typing import Any

import numpy as np

from anypair import Matrix, Vector, reduce, select, update, vxm
from anypair.algorithms import saturating as s
from anypair.errors import ResultOverflow
from anypair.semiring import eq, lt, min_monoid, min_plus


class PathLengths:
    """How lengths of paths are added: `semiring` over `graph`; saturating anyway if `careful`."""

    def __init__(self, graph: Matrix, *, careful: bool = False) -> None:
        is_unsigned = graph.dtype == np.uint64
        #: Of the lengths; the widest of the weights' kind, and True counts as 1.
        self.dtype: Any = graph.dtype if is_unsigned else np.promote_types(graph.dtype, np.int64)
        self.end = math.inf if self.dtype.kind == "f" else 2**64 - 1 if is_unsigned else s.END
        least, greatest = (0, 1) if graph.dtype.kind == "b" else graph.value_range
        self.greatest_weight, self.has_negative = max(abs(least), abs(greatest)), least < 0
        #: Whether no sum can go beyond the end: one of as many weights as there are vertices.
        self.fit = self.takes(self.greatest_weight * graph.nrows)
        self.semiring, self.graph, self.zero = min_plus, graph, 0
        self._end_is_reached = s.end_is_reached
        if self.dtype.kind == "f" or (self.fit and not careful):
            return
        self.end, self.semiring = s.END, s.min_saturating_plus
        if is_unsigned:
            self.zero, self.semiring = s.SHIFT, s.min_shifted_plus
            self._end_is_reached = s.shifted_end_is_reached
        self.graph = self.inward(graph)

    def takes(self, length: float) -> bool:
        """Whether a length is surely below the end; floats may be rounded up on the way to it."""
        return length < min(self.end, sys.float_info.max / 2)

    def inward(self, x: Any) -> Any:
        """Lengths or weights as the semiring takes them."""
        return s.shifted(x) if self.zero else x if x.dtype == self.dtype else x.cast(self.dtype)

    def from_source(self, source: int) -> Vector:
        """Nothing but the source, at length 0."""
        n, dtype = self.graph.nrows, np.int64 if self.zero else self.dtype
        return Vector.from_entries([source], [self.zero], n, dtype=dtype, like=self.graph)

    def outward(self, algorithm: str, lengths: Vector) -> Vector:
        """The lengths as they are, if none of them saturated."""
        remedy = "give smaller weights or, of integers, graph.cast(float)"
        if not self.fit and self.has_negative and reduce(lengths, min_monoid) <= -self.end:
            raise ResultOverflow(
                f"{algorithm}: a length is below what {self.dtype} holds, or falls for ever; {remedy}"
            )
        if not self.fit and (beyond := self._saturated(lengths)).nvals:
            place = int(beyond.to_entries()[0][0])
            raise ResultOverflow(
                f"{algorithm}: the path to vertex {place} is longer than {self.dtype} holds; {remedy}",
                place=place,
            )
        return s.shifted_back(lengths) if self.zero else lengths

    def _saturated(self, lengths: Vector) -> Vector:
        """The vertices at the end that no path of exactly that length leads to."""
        at_end = select(lengths, eq, right=self.end)
        if not at_end.nvals or self.has_negative or self.dtype.kind == "f":
            return at_end  # what is beyond might have come back, and nothing is at infinity
        frontier = exact = select(lengths, lt, right=self.end)
        while frontier.nvals:
            reached = vxm(frontier, self.graph, self._end_is_reached, mask=~exact.structure)
            frontier = at_end.where(reached.true)
            update(exact, frontier)
        return at_end.where(~exact.structure)
