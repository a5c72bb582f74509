"""What is known of a binary operator, and what is left of that on its dtypes, after casts."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from anypair.dtypes import INT64, DType, Scalar
from anypair.errors import OperatorError
from anypair.semiring import derivation
from anypair.semiring.bytecode import reads_argument
from anypair.semiring.facts import EVERYWHERE, Facts, Gives, Grows, Selects, Within
from anypair.semiring.function_facts import FunctionFacts
from anypair.semiring.symbolic import Tree, reads

Fact = TypeVar("Fact")


class BinaryFacts(FunctionFacts):
    """Facts of an operator: as declared, else derived from what its function does, else None."""

    positional: bool
    sees_place: bool
    declared: Facts

    @cached_property
    def reads_left(self) -> bool:
        """Whether the left value matters; where it does not, no backend has to fetch or send it."""
        return self._reads(0)

    @cached_property
    def reads_right(self) -> bool:
        """Whether the right value matters."""
        return self._reads(1)

    @cached_property
    def reads_index(self) -> bool:
        """Whether the index k matters, which a positional operator sees."""
        return self.positional and self._reads(2)

    @cached_property
    def reads_place(self) -> bool:
        """Whether the place (i, j) of the result matters."""
        return self.sees_place and (self._reads(3) or self._reads(4))

    @cached_property
    def _reads_nothing(self) -> bool:
        return not (self.reads_left or self.reads_right or self.reads_index or self.reads_place)

    def _reads(self, argument: int) -> bool:
        if self.tree is None:
            return reads_argument(self.function.__code__, argument)
        return reads(self.tree, argument)

    @cached_property
    def selects(self) -> Selects | None:
        """Whether it takes the less or the greater of two numbers of any dtype, passing over NaN."""
        return self._fact(self.declared.selects, lambda tree: derivation.selects(tree, nan=True))

    @cached_property
    def gives(self) -> Gives | None:
        """What it hands on as it is: the edge, the value, the index, or always the same number."""
        if self.declared.gives is None and self._reads_nothing:
            return "constant"
        return self._fact(self.declared.gives, derivation.gives)

    @cached_property
    def commutes(self) -> bool | None:
        """Whether f(x, y) is f(y, x); None if that is unknown."""
        return self._fact(self.declared.commutes, derivation.commutes)

    @cached_property
    def associates(self) -> bool | None:
        """Whether f(f(x, y), z) is f(x, f(y, z)), but for the rounding of floats."""
        return self._fact(self.declared.associates, derivation.associates)

    @cached_property
    def monotone(self) -> bool | None:
        """Whether x <= y implies f(e, x) <= f(e, y) for all edges e; None if that is unknown."""
        found = self._monotone
        return found == EVERYWHERE if isinstance(found, Within) else found

    @cached_property
    def monotone_within(self) -> Within | None:
        """For which edges and values it is monotone, as far as is known."""
        found = self._monotone
        return EVERYWHERE if found is True else found or None

    @property
    def _monotone(self) -> bool | Within | None:
        said = self.declared.monotone
        return derivation.monotone(self.tree) if said is None and self.tree is not None else said

    @cached_property
    def grows(self) -> Grows | None:
        """For which edges and values f(e, x) is never less than x, and for which never more."""
        return self._fact(self.declared.grows, derivation.grows)

    def _fact(self, declared: Fact | None, derive: Callable[[Tree], Fact | None]) -> Fact | None:
        return derive(self.tree) if declared is None and self.tree is not None else declared


class TypedBinaryFacts:
    """Facts of an operator on its dtypes: a cast may have taken away what holds for the function."""

    op: Any  # a BinaryOp
    left: DType
    right: DType
    computed: DType
    result: DType

    def __call__(self, x: Scalar, y: Scalar, k: int = 0, i: int = 0, j: int = 0) -> Scalar:
        raise NotImplementedError

    @cached_property
    def is_closed(self) -> bool:
        """Whether operands and result are of one dtype, so that nothing is ever cast."""
        return self.left == self.right == self.computed == self.result

    @cached_property
    def is_addition(self) -> bool:
        """Whether it adds two numbers."""
        return bool(self.op.canonical == "+(a0, a1)")

    @cached_property
    def replaces(self) -> bool:
        """Whether, as an accumulator, it puts the new value in place of the old one, cast as any is."""
        return self.op.gives == "value" and self.computed == self.right

    @cached_property
    def truth_table(self) -> tuple[Scalar, ...]:
        """All that it makes of two bools, (0, 0), (0, 1), (1, 0), (1, 1); () for other operands."""
        if self.left.kind != "b" or self.right.kind != "b" or self.op.reads_index or self.op.reads_place:
            return ()
        try:
            return tuple(self(x, y) for x in (False, True) for y in (False, True))
        except OperatorError:
            return ()

    @cached_property
    def selects(self) -> Selects | None:
        """Whether it takes the less or the greater of two values of its dtype, passing over NaN."""
        if not self.is_closed or self.op.positional:
            return None
        if self.op.selects is not None or self.op.tree is None or self.result.kind == "f":
            declared: Selects | None = self.op.selects
            return declared
        tables: dict[tuple[Scalar, ...], Selects] = {(0, 0, 0, 1): "min", (0, 1, 1, 1): "max"}
        return tables.get(self.truth_table) or derivation.selects(self.op.tree, nan=False)

    @cached_property
    def is_idempotent(self) -> bool:
        """Whether f(x, x) is x."""
        if not self.is_closed or self.op.positional:
            return False
        known = self.selects is not None or self.truth_table[::3] == (False, True)
        return known or (self.op.tree is not None and derivation.takes_one(self.op.tree))

    @cached_property
    def constant(self) -> Scalar | None:
        """What it always gives, or None."""
        if self.op.gives != "constant":
            return None
        try:
            return self(0, 0, 0)
        except OperatorError:
            return None  # it raises where it is asked, and nowhere else

    @cached_property
    def gives(self) -> Gives | None:
        """What it hands on, if no cast changes that on the way."""
        given: Gives | None = self.op.gives
        if given == "constant":
            return None if self.constant is None else given
        operand = {"edge": self.left, "value": self.right, "source": INT64}.get(given or "")
        return given if operand and self._keeps(derivation.keeps_values, operand) else None

    @cached_property
    def monotone(self) -> bool | None:
        """Whether x <= y implies f(e, x) <= f(e, y) for all edges of its dtype; None: unknown."""
        if self.truth_table:
            of_no_edge, of_edge = self.truth_table[:2], self.truth_table[2:]
            return of_no_edge[0] <= of_no_edge[1] and of_edge[0] <= of_edge[1]
        if not self.op.reads_right:
            return True
        if not self._operands_keep(derivation.keeps_order):
            return None
        found: bool | None = self.op.monotone
        within: Within | None = self.op.monotone_within
        return found if within is None else within.covers(self._edges)

    @cached_property
    def monotone_within(self) -> Within | None:
        """For which edges and values it is monotone, as long as integers do not wrap around."""
        if self.truth_table or not self.op.reads_right:
            return EVERYWHERE if self.monotone else None
        within: Within | None = self.op.monotone_within
        return within if self._operands_keep(derivation.keeps_order) else None

    @cached_property
    def grows(self) -> Grows | None:
        """Where f(e, x) is never less than x, or never more, as long as integers do not wrap around."""
        if self.truth_table:
            pairs = list(zip(self.truth_table, (False, True) * 2, strict=True))
            up, down = all(x >= y for x, y in pairs), all(x <= y for x, y in pairs)
            return Grows(EVERYWHERE if up else None, EVERYWHERE if down else None)
        grows: Grows | None = self.op.grows
        return grows if self._operands_keep(derivation.keeps_values) else None

    @property
    def _edges(self) -> tuple[int | None, None]:
        """The range of all edges of its dtype, as far as it matters: those below 0 are another case."""
        return (0, None) if self.left.kind in "bu" else (None, None)

    def _operands_keep(self, keep: Callable[[DType, DType], bool]) -> bool:
        """Whether casts keep something of every operand that is read."""
        operands = [self.left] * self.op.reads_left + [self.right] * self.op.reads_right
        return all(self._keeps(keep, operand) for operand in operands)

    def _keeps(self, keep: Callable[[DType, DType], bool], operand: DType) -> bool:
        return keep(operand, self.computed) and keep(self.computed, self.result)
