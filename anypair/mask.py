"""Masks: where a handle has entries, or with `~` where it has none. A view, never a copy."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

    def __repr__(self) -> str:
        has = "has no" if self.complemented else "has an"
        return f"Mask(where {self.handle.kind}({self.handle.described_shape}) {has} entry)"
