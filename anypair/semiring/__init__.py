"""The algebra: operators, monoids, semirings, and how a Python function becomes one.

No arrays and no backends here; each backend makes its own compiled form of what it is asked for.
"""

from anypair.semiring import catalogue
from anypair.semiring.algebra import (
    ANYTHING,
    MAX,
    MIN,
    Monoid,
    Semiring,
    TypedMonoid,
    TypedSemiring,
)
from anypair.semiring.catalogue import *  # noqa: F403
from anypair.semiring.catalogue import monoid_of, name_in_catalogue
from anypair.semiring.checking import check
from anypair.semiring.decorators import binary_op, index_unary_op, monoid, nary_op, unary_op
from anypair.semiring.derivation import keeps_values
from anypair.semiring.facts import Facts, Grows, Within
from anypair.semiring.operators import (
    BinaryOp,
    BoundIndexOp,
    BoundOp,
    IndexUnaryOp,
    NaryOp,
    TypedBinary,
    TypedNary,
    TypedUnary,
    UnaryOp,
)

__all__ = [
    "ANYTHING",
    "MAX",
    "MIN",
    "BinaryOp",
    "BoundIndexOp",
    "BoundOp",
    "Facts",
    "Grows",
    "IndexUnaryOp",
    "Monoid",
    "NaryOp",
    "Semiring",
    "TypedBinary",
    "TypedMonoid",
    "TypedNary",
    "TypedSemiring",
    "TypedUnary",
    "UnaryOp",
    "Within",
    "binary_op",
    "check",
    "index_unary_op",
    "keeps_values",
    "monoid",
    "monoid_of",
    "name_in_catalogue",
    "nary_op",
    "unary_op",
]
__all__ += catalogue.__all__
