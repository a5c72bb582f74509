"""Masks: where a handle has entries, or with `~` where it has none. A view, never a copy."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anypair.errors import InvalidArgument

if TYPE_CHECKING:
    from anypair.handle import Handle


@dataclass(slots=True, eq=False)  # not frozen: a search makes two of them at each step
class Mask:
    """The places where `handle` has an entry; `~mask` is the places where it has none.

    >>> from anypair import Vector
    >>> seen = Vector.from_entries([0, 2], [True, True], size=3)
    >>> ~seen.structure
    Mask(where Vector(size=3) has no entry)
    """

    handle: "Handle"
    complemented: bool = False

    def __invert__(self) -> "Mask":
        return Mask(self.handle, not self.complemented)

    def __and__(self, other: "Mask") -> "Mask":
        """The places that are in both masks, as they are now.

        >>> from anypair import Vector
        >>> x, y = Vector.from_entries([0, 1], 7, size=4), Vector.from_entries([1, 2], 7, size=4)
        >>> (x.structure & ~y.structure).handle.to_dict()
        {0: 7}
        """
        from anypair.operations.restriction import both  # which needs handles

        return both(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        """The places that are in one of the two masks, or in both, as they are now."""
        from anypair.operations.restriction import either  # which needs handles

        return either(self, other)

    def __bool__(self) -> bool:
        raise InvalidArgument(
            "a mask is neither true nor false; m & n, m | n and ~m are written for and, or and not"
        )

    def __repr__(self) -> str:
        has = "has no" if self.complemented else "has an"
        return f"Mask(where {self.handle.kind}({self.handle.described_shape}) {has} entry)"
