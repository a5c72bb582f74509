"""Element-wise work as a tree, which `Backend.evaluate` does in one loop or step by step."""

from typing import Any, Literal, NamedTuple

Operation = Literal[
    "ewise_add", "ewise_mult", "ewise_all", "apply", "select", "restrict", "cast", "reduce"
]


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

    def storages(self) -> list[Any]:
        """The storages in it, those of masks included."""
        found = [y for x in self.operands for y in (x.storages() if isinstance(x, Step) else [x])]
        return [*found, self.given.storage] if self.operation == "restrict" else found

    def with_storages(self, other: dict[int, Any]) -> "Step":
        """The same tree of other storages, by the `id` of those in whose place they come."""
        operands = [
            x.with_storages(other) if isinstance(x, Step) else other[id(x)] for x in self.operands
        ]
        given = self.given
        if self.operation == "restrict":
            given = type(given)(other[id(given.storage)], given.complemented)
        return Step(self.operation, tuple(operands), given)

    @property
    def depth(self) -> int:
        """How many operations are on top of each other."""
        return 1 + max((x.depth for x in self.operands if isinstance(x, Step)), default=0)
