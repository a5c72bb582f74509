"""Sets of colours as the bits of a number."""

from typing import Any

from anypair import Semiring, unary_op
from anypair.semiring import bor_monoid, second

PALETTE = 62  # colours that are tried at a time, a bit each


@unary_op(result=int)
def first_fit(taken: Any) -> Any:
    """The first colour that is not taken, as a set of one; of none if all are."""
    return ~taken & (taken + 1) & 0x3FFFFFFFFFFFFFFF


@unary_op(result=int)
def number(colour: Any) -> Any:
    """The place of the only bit."""
    place = 0
    while colour > 1:
        colour >>= 1
        place += 1
    return place


bits_second = Semiring(bor_monoid, second)
