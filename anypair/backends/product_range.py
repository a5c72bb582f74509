"""Where products of edges and values lie, judged at the ends of their ranges.

An operator that is called as the Python function it is neither wraps integers around nor rounds them: so
what it gives at the ends shows whether a product may leave its dtype, before one has.
"""

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from anypair.dtypes import Scalar, caster, largest, smallest
from anypair.errors import ResultOverflow
from anypair.semiring import TypedSemiring

if TYPE_CHECKING:
    from anypair.backends.base import Backend, Storage

Range: TypeAlias = tuple[Scalar, Scalar]  # the least and the greatest


FOLLOWED = 64  # steps that are taken one by one


class Product(NamedTuple):
    """An edge, a value, and what the multiply makes of them."""

    edge: Scalar
    value: Scalar
    product: Scalar


class ProductRange:
    """Products over a semiring of edges from a range, among `n` vertices."""

    def __init__(self, semiring: TypedSemiring, edges: Range, n: int) -> None:
        self._semiring = semiring
        self._edges = _ends(edges)
        self._sources = (0, n - 1) if semiring.multiply.op.positional else (0,)
        self._ends_of_dtype = smallest(semiring.result), largest(semiring.result)

    def at_the_ends(self, values: Range) -> Iterator[Product]:
        """The products of the least, the greatest and zero, where it lies between."""
        for edge, value, k in product(self._edges, _ends(values), self._sources):
            try:
                found = self._exactly(edge, value, k)
            except (ArithmeticError, ValueError):  # a user's, and no such edge and value need meet
                continue
            yield Product(edge, value, found)

    def _exactly(self, edge: Scalar, value: Scalar, k: int) -> Any:
        """The product, which is not cast."""
        multiply = self._semiring.multiply
        operands = caster(multiply.left)(edge), caster(multiply.right)(value)
        return multiply.op(*operands, k) if multiply.op.positional else multiply.op(*operands)

    def of(self, values: Range) -> Range:
        """The least and the greatest product of an edge and one of these values."""
        found = [end.product for end in self.at_the_ends(values)]
        return (min(found), max(found)) if found else values

    def within_dtype(self, products: Range) -> bool:
        """Whether all numbers between are numbers of the semiring's dtype."""
        least, greatest = self._ends_of_dtype
        return least <= products[0] and products[1] <= greatest

    def not_a_number(self, values: Range) -> Product | None:
        """An edge and a value whose product is NaN, if there may be such; infinities are ends."""
        return next((end for end in self.at_the_ends(values) if math.isnan(end.product)), None)

    def ever(self, values: Range) -> Range | None:
        """Where these values lie and their products, and those of these in turn, if one step tells."""
        once = _hull(values, self.of(values))
        return once if self.within_dtype(once) and _hull(once, self.of(once)) == once else None

    def stays_within_dtype(self, values: Range, steps: int) -> bool:
        """Whether products of these values, and so on for so many steps, surely fit the dtype."""
        if self.ever(values) is not None or self.within_dtype(self.of(self._ends_of_dtype)):
            return True
        if self._semiring.multiply.is_addition:
            edges = tuple(map(caster(self._semiring.multiply.left), self._edges))
            least, greatest = min(0, *edges), max(0, *edges)
            return self.within_dtype((values[0] + steps * least, values[1] + steps * greatest))
        if steps > FOLLOWED:
            return False
        for _ in range(steps):
            values = _hull(values, self.of(values))
        return self.within_dtype(values)

    def require(self, backend: "Backend", frontier: "Storage", a: "Storage") -> None:
        """Raise `ResultOverflow` unless all products of the frontier and edges of `a` fit the dtype."""
        places, values = (column.tolist() for column in backend.entries(frontier))
        large = {
            k: value
            for k, value in zip(places, values, strict=True)
            if not self.within_dtype(self.of((value, value)))
        }
        if not large:
            return
        sources = list(large)
        edges = backend.entries(backend.extract(a, (np.array(sources), None)))
        for row, target, edge in zip(*(column.tolist() for column in edges), strict=True):
            k = sources[row]
            found = self._exactly(edge, large[k], k)
            if not self.within_dtype((found, found)):
                name, dtype = self._semiring.semiring.name, self._semiring.result
                raise ResultOverflow(
                    f"closure: {name} of {large[k]} at {k} and {edge} on the edge to {target} is "
                    f"{found}, which {dtype} cannot hold; give smaller numbers, or A.cast(float)"
                )


def _ends(numbers: Range) -> tuple[Scalar, ...]:
    least, greatest = numbers
    ends = (least,) if least == greatest else (least, greatest)
    return (*ends, 0) if least < 0 < greatest else ends


def _hull(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])
