"""Sums of path lengths that stop at the end of int64. The end is spelled out in each operator.

Operators see integers as int64, so lengths of uint64 are shifted by 2**63 while they are added.
"""

from typing import Any

import numpy as np

from anypair import Matrix, Semiring, Vector, apply, binary_op
from anypair.semiring import Grows, Within, lor_monoid, min_monoid, plus

INT64 = np.dtype(np.int64)
END = 2**63 - 1
SHIFT = -(2**63)


@binary_op(result=INT64, monotone=True, grows=Grows(up=Within(edges=(0, None))))
def saturating_plus(weight: Any, length: Any) -> Any:
    """What is at either end stays there: nobody knows how far beyond it was."""
    if length == 9223372036854775807 or length == -9223372036854775807:
        return length
    if weight > 0 and length > 9223372036854775807 - weight:
        return 9223372036854775807
    if weight < 0 and length < -9223372036854775807 - weight:
        return -9223372036854775807
    return weight + length


@binary_op(result=INT64, monotone=True, grows=Grows(up=Within()))
def shifted_plus(weight: Any, length: Any) -> Any:
    """The same for two shifted numbers and a shifted sum; no step on the way leaves int64."""
    if length > -1 - weight:
        return 9223372036854775807
    if length < 0:
        return (length + 9223372036854775807 + 1) + weight
    return (weight + 9223372036854775807 + 1) + length


@binary_op(result=bool)
def reaches_end(weight: Any, length: Any) -> Any:
    """Whether the sum is the end itself, and no more."""
    return weight >= 0 and length == 9223372036854775807 - weight


@binary_op(result=bool)
def shifted_reaches_end(weight: Any, length: Any) -> Any:
    """The same for two shifted numbers."""
    return length == -1 - weight


@binary_op(result=np.int8)
def compared(offer: Any, distance: Any) -> Any:
    """The sign of the difference, which itself might not fit."""
    return 1 if offer > distance else 0 if offer == distance else -1


min_saturating_plus = Semiring(min_monoid, saturating_plus)
min_shifted_plus = Semiring(min_monoid, shifted_plus)
end_is_reached = Semiring(lor_monoid, reaches_end)
shifted_end_is_reached = Semiring(lor_monoid, shifted_reaches_end)
min_compared = Semiring(min_monoid, compared)


def shifted(x: Any) -> Any:
    """Numbers of uint64 as int64, in the same order: each is 2**63 less."""
    return apply(x.cast(INT64), plus, right=SHIFT)


def shifted_back(lengths: Vector | Matrix) -> Any:
    """What `shifted` was given."""
    return apply(lengths, plus, right=SHIFT).cast(np.uint64)
