"""What is known of the function of any operator."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from anypair.dtypes import DType
from anypair.semiring import raising, rounding, unsigned
from anypair.semiring.symbolic import Tree, tree_of


class FunctionFacts:
    """Facts that follow from what a function does."""

    function: Callable[..., Any]

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the function is called with."""
        raise NotImplementedError

    @cached_property
    def tree(self) -> Tree | None:
        """What the function does, or None if that cannot be told."""
        return tree_of(self.function, len(self.arguments))

    @property
    def canonical(self) -> str | None:
        """The function in a normal form: two that have the same one compute the same.

        Names do not matter, nor the way a choice is written, nor the order of what commutes.

        >>> from anypair import binary_op
        >>> from anypair.semiring import plus
        >>> binary_op(lambda a, b: b + a).canonical == plus.canonical
        True
        """
        return None if self.tree is None else self.tree.text

    @cached_property
    def never_raises(self) -> bool:
        """Whether it is known to return a number for all numbers.

        >>> from anypair import binary_op
        >>> binary_op(lambda x, y: x / y).never_raises, binary_op(lambda x, y: x * y).never_raises
        (False, True)
        """
        return self.tree is not None and raising.never_raises(self.tree)

    def is_same_if_unsigned(self, operands: tuple[DType, ...], computed: DType) -> bool:
        """Whether unsigned arithmetic, which wraps around, gives what that of Python does."""
        return self.tree is not None and unsigned.is_same(self.tree, operands, computed)

    def is_same_in_float32(self, computed: DType) -> bool:
        """Whether arguments of float32 need not be float64, as they are in Python.

        >>> from anypair import binary_op
        >>> from anypair.dtypes import FLOAT32
        >>> once, twice = binary_op(lambda x, y: x * y), binary_op(lambda x, y: x * y + x)
        >>> once.is_same_in_float32(FLOAT32), twice.is_same_in_float32(FLOAT32)
        (True, False)
        """
        return self.tree is not None and rounding.rounds_once(self.tree, computed)
