"""What is known of the function of any operator."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

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
