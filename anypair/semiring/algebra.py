"""Monoids and semirings: which operator adds, which multiplies, and when adding may stop."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from anypair.dtypes import DType, Scalar, as_dtype, caster, holds, largest, smallest
from anypair.errors import InvalidArgument, UnsupportedDType, shown
from anypair.semiring.captures import OfFunction
from anypair.semiring.derivation import keeps_indices_in_order
from anypair.semiring.facts import Selects, Within
from anypair.semiring.operators import BinaryOp, TypedBinary
from anypair.semiring.pickling import Portable


class Extreme(Enum):
    """Ends of whatever dtype a monoid is used with."""

    MAX = "the largest value of the dtype"
    MIN = "the smallest value of the dtype"


class Terminal(Enum):
    """How early adding may stop, when that is not one value."""

    ANYTHING = "every value"


MAX = Extreme.MAX
MIN = Extreme.MIN
ANYTHING = Terminal.ANYTHING

VARIABLE = "ANYPAIR_CHECK"  # of the environment: 1 to try out facts at their first use

Identity: TypeAlias = Scalar | Extreme


@dataclass(frozen=True, eq=False, repr=False)
class Monoid(Portable, OfFunction):
    """An associative, commutative operator with its identity and, if it has one, its terminal.

    Once a sum has reached the terminal it cannot change any more, so backends stop there.
    `terminal=ANYTHING` lets them stop at the first value: one of the values, whichever is cheapest.
    `selects="min"` says that a sum is the least of its values, "max" the greatest, but for NaN.

    >>> from anypair import MAX, MIN, monoid
    >>> @monoid(identity=MAX, terminal=MIN)
    ... def smallest(x, y):
    ...     return x if x < y else y
    >>> smallest(3, 2)
    2
    """

    op: BinaryOp
    identity: Identity
    terminal: Identity | Terminal | None = None
    selects: Selects | None = None

    def __post_init__(self) -> None:
        for law in ("commutes", "associates"):
            if getattr(self.op.declared, law) is False:
                raise InvalidArgument(
                    f"operator {self.name!r} is declared {law}=False; a monoid's commutes and associates"
                )
        if self.terminal is ANYTHING and self.selects is None:
            object.__setattr__(self, "selects", "any")
        if self.selects == "any" and self.terminal is None:
            object.__setattr__(self, "terminal", ANYTHING)
        if (self.selects == "any") != (self.terminal is ANYTHING):
            raise InvalidArgument(
                f"monoid {self.name!r}: selects={self.selects!r} and terminal={_said(self.terminal)}; "
                "a sum that may be any of its values stops at the first: ANYTHING goes with 'any'"
            )
        if self.selects is None:
            object.__setattr__(self, "selects", self.op.selects)
        elif self.selects not in ("any", self.op.selects):
            object.__setattr__(self, "op", self.op.declaring(selects=self.selects))

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def function(self) -> Callable[..., Any]:  # type: ignore[override]
        return self.op.function

    def __call__(self, x: Any, y: Any) -> Any:
        return self.op.function(x, y)

    def __repr__(self) -> str:
        return f"Monoid({self.name})"

    @cached_property
    def _typed(self) -> dict[DType, "TypedMonoid"]:
        return {}

    def typed(self, dtype: DType) -> "TypedMonoid":
        """This monoid for values of `dtype`, which are cast to its domain first."""
        if (found := self._typed.get(dtype)) is None:
            found = self._typed[dtype] = _checked(self._type(dtype))
        return found

    def _type(self, dtype: DType) -> "TypedMonoid":
        # A user's function without a stated result stays within the dtype it is given.
        domain = self.op.rule(dtype, dtype).result if self.op.rule else dtype
        if self.op.rule and self.op.rule(domain, domain).result != domain:
            raise UnsupportedDType(
                f"monoid {self.name!r} has no meaning for {dtype}: "
                f"it takes {domain} to {self.op.rule(domain, domain).result}"
            )
        op = TypedBinary(self.op, domain, domain, domain, domain)
        terminal = self.terminal
        if isinstance(terminal, bool | int | float | Extreme):
            terminal = self._value("terminal", terminal, domain)
        elif terminal is None and op.selects is not None:
            terminal = smallest(domain) if op.selects == "min" else largest(domain)
        return TypedMonoid(self, op, self._value("identity", self.identity, domain), terminal)

    def _value(self, what: str, value: Identity, domain: DType) -> Scalar:
        if isinstance(value, Extreme):
            return largest(domain) if value is MAX else smallest(domain)
        if not holds(domain, value):
            raise UnsupportedDType(
                f"monoid {self.name!r} has no meaning for {domain}, "
                f"which cannot hold its {what} {value!r}; MAX and MIN fit every dtype"
            )
        return caster(domain)(value)


Typed = TypeVar("Typed", "TypedMonoid", "TypedSemiring")


def _checked(typed: Typed) -> Typed:
    """What meets new dtypes, tried out first if the environment asks for it."""
    if os.environ.get(VARIABLE):
        from anypair.semiring.checking import check_at_first_use  # which needs this module

        check_at_first_use(typed)
    return typed


def _said(terminal: Identity | Terminal | None) -> str:
    return terminal.name if isinstance(terminal, Enum) else repr(terminal)


@dataclass(frozen=True, eq=False)
class TypedMonoid:
    """A monoid on one domain; `op` has it on both sides and as its result."""

    monoid: Monoid
    op: TypedBinary
    identity: Scalar
    terminal: Scalar | Terminal | None

    @cached_property
    def domain(self) -> DType:
        return self.op.result

    @property
    def takes_any(self) -> bool:
        """Whether one of the values, any of them, is the sum."""
        return self.terminal is ANYTHING

    @cached_property
    def selects(self) -> Selects | None:
        """Which of its values a sum over this domain is, NaN passed over; None if that is unknown."""
        return "any" if self.takes_any else self.op.selects

    @cached_property
    def is_idempotent(self) -> bool:
        """Whether a sum of equal values is that value."""
        return self.takes_any or self.op.is_idempotent

    @cached_property
    def sums_are_exact(self) -> bool:
        """Whether values may be added in any order: the sum has the same bits, or may be any of them."""
        return self.domain.kind != "f" or self.selects is not None


@dataclass(frozen=True, eq=False, repr=False)
class Semiring(Portable):
    """How a product adds and multiplies: `add` is a monoid, `multiply` a binary operator.

    >>> from anypair.semiring import Semiring, min_monoid, second
    >>> Semiring(min_monoid, second)
    Semiring(min_second)
    """

    add: Monoid
    multiply: BinaryOp
    given_name: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.add, Monoid):
            raise InvalidArgument(
                f"Semiring: add={shown(self.add)} is not a monoid; give one such as plus_monoid, or "
                "make one with @monoid(identity=...)"
            )
        if not isinstance(self.multiply, BinaryOp):
            raise InvalidArgument(
                f"Semiring: multiply={shown(self.multiply)} is not a binary operator; take one from "
                "anypair.semiring or make one with @binary_op"
            )

    @property
    def name(self) -> str:
        return self.given_name or f"{self.add.name}_{self.multiply.name}"

    def __repr__(self) -> str:
        return f"Semiring({self.name})"

    @cached_property
    def _typed(self) -> dict[tuple[DType, DType], "TypedSemiring"]:
        return {}

    @cached_property
    def _returning(self) -> dict[DType, "Semiring"]:
        return {}

    def typed(self, left: DType, right: DType) -> "TypedSemiring":
        """This semiring for edges of dtype `left` and values of dtype `right`."""
        if (found := self._typed.get((left, right))) is None:
            multiply = self.multiply.typed(left, right)
            found = _checked(TypedSemiring(self, multiply, self.add.typed(multiply.result)))
            self._typed[left, right] = found
        return found

    def __call__(self, product: Any, **keywords: Any) -> Any:
        """The product over this semiring, as in `min_plus(x @ A)`; keywords are those of `vxm`.

        >>> from anypair import Matrix, Vector
        >>> from anypair.semiring import min_plus
        >>> roads = Matrix.from_edges([0, 1], [1, 2], [4, 3])
        >>> min_plus(Vector.from_entries([0], [10], size=3) @ roads).to_dict()
        {1: 14}
        """
        if not hasattr(product, "over"):
            raise InvalidArgument(
                f"{self.name}: {shown(product)} is not a product; write {self.name}(x @ A)"
            )
        return product.over(self, **keywords)

    def returning(self, dtype: Any) -> "Semiring":
        """The same semiring with products of another dtype, such as a smaller counter.

        >>> from anypair.semiring import plus_pair
        >>> import numpy as np
        >>> plus_pair.returning(np.uint32).typed(np.dtype(bool), np.dtype(bool)).result
        dtype('uint32')
        """
        wanted = as_dtype(dtype)
        if wanted not in self._returning:
            multiply = self.multiply.returning(wanted)
            self._returning[wanted] = Semiring(self.add, multiply, self.name)
        return self._returning[wanted]


@dataclass(frozen=True, eq=False)
class TypedSemiring:
    """A semiring that knows its dtypes; products are cast to the monoid's domain."""

    semiring: Semiring
    multiply: TypedBinary
    add: TypedMonoid

    @cached_property
    def result(self) -> DType:
        return self.add.domain

    @cached_property
    def first_term_decides(self) -> bool:
        """Whether the first term in the order of k is the sum.

        Any will do, or all are equal, or they are the indices k in order and the least is taken.

        >>> from anypair.dtypes import BOOL, INT64
        >>> from anypair.semiring import min_source
        >>> min_source.typed(BOOL, INT64).first_term_decides
        True
        >>> min_source.returning("int8").typed(BOOL, INT64).first_term_decides  # 128 becomes -128
        False
        """
        return self.any_term_decides or (self.add.selects == "min" and self.terms_are_indices)

    @property
    def any_term_decides(self) -> bool:
        """Whether any term is the sum: `add` takes any, or all are equal."""
        return self.add.takes_any or self.constant is not None

    @cached_property
    def counted_term(self) -> Scalar | None:
        """What every term is, if a sum is their number times it: integers that wrap around alike."""
        constant = self.multiply.constant
        counts = constant is not None and self.add.op.is_addition and self.result.kind in "iu"
        return caster(self.result)(constant) if counts else None

    @cached_property
    def constant(self) -> Scalar | None:
        """What every sum is, whatever it is made of; None if that is not known to be one value.

        >>> from anypair.dtypes import BOOL, INT64
        >>> from anypair.semiring import any_pair, plus_pair
        >>> any_pair.typed(BOOL, INT64).constant, plus_pair.typed(BOOL, INT64).constant
        (True, None)
        """
        term = self.multiply.constant
        return None if term is None or not self.add.is_idempotent else caster(self.result)(term)

    @cached_property
    def terms_are_indices(self) -> bool:
        """Whether terms are in the order of the indices k that they come from."""
        casts = (self.multiply.computed, self.multiply.result, self.add.domain)
        return self.multiply.op.gives == "source" and all(map(keeps_indices_in_order, casts))

    @cached_property
    def over_indices(self) -> "TypedSemiring":
        """The same for a vector whose values are its own indices: a value handed on is the index k.

        >>> from anypair.dtypes import BOOL, INT64
        >>> from anypair.semiring import min_select
        >>> min_select.typed(BOOL, INT64).over_indices.first_term_decides
        True
        """
        if self.multiply.gives != "value":
            return self
        from anypair.semiring.catalogue import source  # which needs this module

        indices = source.typed(self.multiply.left, self.multiply.right)
        return TypedSemiring(self.semiring, indices.into(self.multiply.result), self.add)

    @property
    def sums_are_exact(self) -> bool:
        """Whether terms may be added in any order: the sum has the same bits, or may be any of them."""
        return self.add.sums_are_exact

    @cached_property
    def stops_at(self) -> Scalar | None:
        """The sum that cannot change any more, or None."""
        terminal = self.add.terminal
        return None if isinstance(terminal, Terminal) else terminal

    @cached_property
    def grows(self) -> Within | None:
        """For which edges and values a product is never better to `add` than the value in it."""
        grows = self.multiply.grows
        return None if grows is None else grows.under(self.add.selects)

    @cached_property
    def missing_for_early_stop(self) -> str | None:
        """Which fact would let a sum end before its last term; None if it may."""
        if self.first_term_decides:
            return None
        add = f"add {self.add.monoid.name!r}"
        if self.add.selects is None and self.terms_are_indices:
            return f"no stop at the first term: {add} is not known to select, over {self.add.domain}"
        if self.stops_at is not None:
            return None
        return f"no early stop: {add} is not known to select, and has no terminal"
