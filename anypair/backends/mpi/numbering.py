"""Operators that see indices, on blocks whose local numbers are not the global ones.

Global numbers rise with local ones, so the smallest local number is the smallest global one:
`min_source` and its like run on local numbers, first-hit stop included, and their sums are
translated afterwards. Other operators that use only the index get it as a value. What remains is
compiled with the translation inside.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.grid import Side
from anypair.dtypes import INT64, DType
from anypair.semiring import BinaryOp, Semiring, TypedBinary, TypedSemiring, second


@dataclass(frozen=True)
class Numbering:
    """How a semiring runs on a block: what the local backend computes, and what has to travel."""

    semiring: TypedSemiring
    reads_values: bool  # whether the vector's values have to be there
    numbers_after: bool  # whether sums are local numbers, to be translated
    numbers_before: TypedBinary | None  # what makes values of the vector's global numbers
    needs_whole_block: bool
    constant: Any  # the one value that every sum has, or None

    @property
    def result(self) -> DType:
        return self.semiring.result


def numbering_for(local: Backend, semiring: TypedSemiring, side: Side) -> Numbering:
    """The numbering for a semiring whose products are summed over the places of a side."""
    op, add = semiring.multiply.op, semiring.add
    if not op.reads_index:
        return Numbering(semiring, op.reads_right, False, None, False, semiring.constant)
    if semiring.multiply.gives == "source" and add.selects is not None and add.domain == INT64:
        return Numbering(semiring, False, True, None, False, None)
    if not (op.reads_left or op.reads_right):
        given = Semiring(add.monoid, second).typed(semiring.multiply.left, semiring.multiply.result)
        return Numbering(given, False, False, semiring.multiply, False, None)
    translated = _translated(op, _formula(side))
    typed = semiring.multiply
    multiply = TypedBinary(translated, typed.left, typed.right, typed.computed, typed.result)
    return Numbering(
        TypedSemiring(semiring.semiring, multiply, add), op.reads_right, False, None, True, None
    )


def _formula(side: Side) -> tuple[int, int, int]:
    return side.blocks.length, side.step, side.first


@lru_cache(maxsize=256)
def _translated(op: BinaryOp, formula: tuple[int, int, int]) -> BinaryOp:
    """The operator for local indices."""
    function = op.function
    length, step, first = formula

    def translated(x: Any, y: Any, k: Any) -> Any:
        return function(x, y, (k // length * step + first) * length + k % length)

    return BinaryOp(op.name, translated, op.rule, positional=True)
