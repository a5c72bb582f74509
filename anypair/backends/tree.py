"""Element-wise work as a tree, which `Backend.evaluate` does in one loop or step by step."""

from typing import Any, Literal, NamedTuple

Operation = Literal["ewise_add", "ewise_mult", "apply", "select", "restrict", "cast", "reduce"]


class Step(NamedTuple):
    """One operation of a tree, by the name of the method that computes it.

    Its operands are storages or steps; `given` is the last argument of the method: a typed operator, a
    mask, a dtype or a monoid. `reduce` comes at the top only.

    >>> from anypair.dtypes import INT64
    >>> Step("cast", (Step("cast", ("some storage",), INT64),), INT64).depth
    2
    """

    operation: Operation
    operands: tuple[Any, ...]
    given: Any

    @property
    def depth(self) -> int:
        """How many operations are on top of each other."""
        return 1 + max((x.depth for x in self.operands if isinstance(x, Step)), default=0)
