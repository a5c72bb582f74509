"""Calls in words, for ranks to compare: everything that all of them have to give alike is in the words.

Numbers are written out, arrays and the operators of users stand there as digests after a `#`.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from anypair.backends.base import Applied, Indices, StructuralMask
from anypair.backends.mpi.digests import digest_of_arrays, digest_of_operator
from anypair.backends.mpi.storage import MpiVector, Stored
from anypair.backends.places import Places
from anypair.dtypes import Array, DType
from anypair.semiring import (
    BinaryOp,
    BoundIndexOp,
    BoundOp,
    Monoid,
    NaryOp,
    Semiring,
    TypedBinary,
    TypedMonoid,
    TypedNary,
    TypedSemiring,
    TypedUnary,
    UnaryOp,
    name_in_catalogue,
)

PROBES = 64  # numbers by which two renamings are told apart


def operator_text(op: TypedBinary | TypedNary | Applied | None) -> str:
    """An operator with its dtypes, and the number that is bound to it.

    >>> from anypair.semiring import times
    >>> operator_text(BoundOp(times.typed(np.dtype("int32"), np.dtype("int64")), 3, False))
    'times(int64, int64 3) -> int64'
    """
    if op is None:
        return "none"
    name, result = _name(op.op), dtype_text(op.result)
    if isinstance(op, BoundIndexOp):
        return f"{name}({dtype_text(op.operand)}, {op.number} {op.scalar!r}) -> {result}"
    if isinstance(op, TypedUnary):
        return f"{name}({dtype_text(op.operand)}) -> {result}"
    if isinstance(op, TypedNary):
        return f"{name}({', '.join(map(dtype_text, op.operands))}) -> {result}"
    binary = op if isinstance(op, TypedBinary) else op.binary
    left, right = dtype_text(binary.left), dtype_text(binary.right)
    if isinstance(op, BoundOp):
        if op.scalar_is_left:
            left = f"{left} {op.scalar!r}"
        else:
            right = f"{right} {op.scalar!r}"
    return f"{name}({left}, {right}) -> {result}"


@lru_cache(maxsize=256)
def _name(op: UnaryOp | BinaryOp | NaryOp | Monoid | Semiring) -> str:
    return op.name if name_in_catalogue(op) else f"{op.name}#{digest_of_operator(op)}"


@lru_cache
def dtype_text(dtype: DType) -> str:
    """The name of a dtype, which NumPy puts together anew each time."""
    return str(dtype)


def monoid_text(monoid: TypedMonoid) -> str:
    """A monoid and what it adds."""
    return f"{_name(monoid.monoid)} of {dtype_text(monoid.domain)}"


def semiring_text(semiring: TypedSemiring) -> str:
    """A semiring and what it gives."""
    return f"{_name(semiring.semiring)} -> {dtype_text(semiring.result)}"


def stored_text(x: Stored) -> str:
    """What kind of thing it is, and how large."""
    if isinstance(x, MpiVector):
        return f"a vector of {x.size} places"
    return f"a {x.shape[0]}x{x.shape[1]} matrix"


def indices_text(indices: Indices) -> str:
    """Places, one list or range for each axis."""
    return ", ".join(_places_text(axis) for axis in indices)


def _places_text(places: Places) -> str:
    if places is None:
        return "all"
    if isinstance(places, range):
        return repr(places)
    return f"{len(places)} indices #{digest_of_arrays(places)}"


def mask_text(mask: StructuralMask | None) -> str:
    """Whether there is a mask, and which side of it counts."""
    if mask is None:
        return ""
    return ", complemented mask" if mask.complemented else ", mask"


def renaming_text(rename: Callable[[Array], Array], size: int) -> str:
    """A function from numbers below `size` to others, by what it gives for some of them."""
    probes = np.unique(np.linspace(0, size - 1, min(size, PROBES)).astype(np.int64))
    return f"numbers #{digest_of_arrays(np.asarray(rename(probes)))}"
