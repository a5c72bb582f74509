"""Arithmetic on matrices and vectors, as in `damping * plus_times((ranks / weights) @ graph) + base`.

Each operator is one of the operations, written the short way: `+` and `-` are unions (`ewise_add`), `*`,
`/` and the comparisons are intersections (`ewise_mult`), a number beside a handle is `apply` to its
entries, and `@` waits for its semiring. What comes back is an expression: see `anypair.expression`.
"""

from sys import getrefcount
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anypair import semiring as s
from anypair.dtypes import Scalar

if TYPE_CHECKING:
    from anypair.expression import Product
    from anypair.mask import Mask


Made = TypeVar("Made", bound="Arithmetic")


def _made(how: str, x: Made, *given: Any) -> Made:
    """The expression that a function of `anypair.expression` makes of x; that module needs handles."""
    from anypair import expression

    result: Made = getattr(expression, how)(x, *given)
    return result


class _Temporary:
    """What nobody has a name for."""

    def references(self) -> int:
        return getrefcount(self)


#: How many references to itself a method sees if nobody else has one: `abs(x - y).sum()`.
_REFERENCES = _Temporary().references()


class Arithmetic:
    """What a handle can be calculated with."""

    __slots__ = ()

    def __add__(self, other: Any) -> Self:
        return _made("union", self, other, s.plus)

    def __radd__(self, other: Any) -> Self:
        return _made("after_number", self, other, s.plus)

    def __sub__(self, other: Any) -> Self:
        return _made("union", self, other, s.minus)

    def __rsub__(self, other: Any) -> Self:
        return _made("after_number", self, other, s.minus)

    def __mul__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.times)

    def __rmul__(self, other: Any) -> Self:
        return _made("after_number", self, other, s.times)

    def __truediv__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.divide)

    def __rtruediv__(self, other: Any) -> Self:
        return _made("after_number", self, other, s.divide)

    def __lt__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.lt)

    def __le__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.le)

    def __gt__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.gt)

    def __ge__(self, other: Any) -> Self:
        return _made("intersection", self, other, s.ge)

    def __neg__(self) -> Self:
        return _made("applied", self, s.negate)

    def __abs__(self) -> Self:
        return _made("applied", self, s.absolute)

    def __matmul__(self, other: Any) -> "Product":
        from anypair.expression import product  # which needs handles

        made: Product = product(self, other)
        return made

    def where(self, mask: "Mask") -> Self:
        """The entries inside the mask.

        >>> from anypair import Vector
        >>> x, seen = Vector.full(3, 7), Vector.from_entries([1], [True], size=3)
        >>> x.where(seen.structure).to_dict(), x.where(~seen.structure).to_dict()
        ({1: 7}, {0: 7, 2: 7})
        """
        from anypair.operations.restriction import where  # which needs handles

        return where(self, mask)  # type: ignore[type-var]

    @property
    def true(self) -> "Mask":
        """The mask of the entries that are true, or not zero.

        >>> from anypair import Vector
        >>> x = Vector.from_entries([0, 1, 2], [3, 8, 5], size=4)
        >>> (x > 4).true
        Mask(where Vector(size=4) has an entry)
        """
        from anypair.expression import where_true

        return where_true(self)

    def sum(self) -> Scalar:
        """The sum of all entries; 0 if there are none.

        >>> from anypair import Vector
        >>> Vector.from_entries([0, 2], [3, 4], size=3).sum()
        7
        """
        from anypair.expression import total

        temporary = getrefcount(self) <= _REFERENCES
        return total(self, s.plus_monoid, temporary=temporary)

    def min(self) -> Scalar:
        """The smallest entry; without entries the largest number of the dtype.

        >>> from anypair import Vector
        >>> Vector.from_entries([0, 2], [3, 4], size=3).min()
        3
        """
        from anypair.expression import total

        temporary = getrefcount(self) <= _REFERENCES
        return total(self, s.min_monoid, temporary=temporary)

    def max(self) -> Scalar:
        """The largest entry; without entries the smallest number of the dtype.

        >>> from anypair import Vector
        >>> Vector.from_entries([0, 2], [3, 4], size=3).max()
        4
        """
        from anypair.expression import total

        temporary = getrefcount(self) <= _REFERENCES
        return total(self, s.max_monoid, temporary=temporary)
