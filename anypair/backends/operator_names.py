"""The operators at work in a call, by name, for messages."""

from typing import TypeAlias

from anypair.backends.base import Applied
from anypair.semiring import BoundOp, TypedBinary, TypedMonoid, TypedNary, TypedSemiring, TypedUnary

Operators: TypeAlias = Applied | TypedBinary | TypedNary | TypedMonoid | TypedSemiring


def parts_of(op: Operators) -> list[TypedBinary | TypedUnary | TypedNary]:
    """The operators at work."""
    if isinstance(op, TypedSemiring):
        return [op.multiply, op.add.op]
    if isinstance(op, TypedMonoid):
        return [op.op]
    return [op.binary if isinstance(op, BoundOp) else op]


def names_of(op: Operators) -> str:
    """The operators at work, by name."""
    return " or ".join(part.op.name for part in reversed(parts_of(op)))


def quoted(op: Operators) -> str:
    """The operators at work, for messages."""
    return " or ".join(repr(part.op.name) for part in reversed(parts_of(op)))
