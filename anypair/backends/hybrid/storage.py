"""An object with two sides: what the CPU's backend keeps, what the GPU's keeps, or both."""

from typing import Any, Literal, Self, TypeAlias
from weakref import ref

from anypair.backends.base import Shape, Storage
from anypair.backends.hybrid.states import State

Side: TypeAlias = Literal["cpu", "device"]
SIDES: tuple[Side, Side] = ("cpu", "device")


class TwoSided:
    """A vector or a matrix, on one side at least; the other one is made where it is asked for, and kept.

    Both sides have the same entries at any time: a write drops the one that it does not write to before
    it begins. Of a vector, `state` and `before` are how the product that made it ran, and how many
    entries that began with.
    """

    __slots__ = ("__weakref__", "_origin", "_sides", "_written", "before", "shape", "state", "symmetric")

    def __init__(self, shape: Shape, side: Side, storage: Storage) -> None:
        self.shape = shape
        self._sides: dict[Side, Storage] = {side: storage}
        self.state: State = "device" if side == "device" else "queue"
        self.before = 0
        #: Whether it is known to be its own transpose.
        self.symmetric = False
        self._origin: ref[Self] | None = None
        self._written = False

    @property
    def sides(self) -> tuple[Side, ...]:
        """Where it is."""
        return tuple(self._sides)

    def on(self, side: Side) -> Storage | None:
        """Its storage there; None if it is not there."""
        return self._sides.get(side)

    def put(self, side: Side, storage: Storage) -> None:
        """Have an equal storage there, too."""
        self._sides[side] = storage

    def all(self) -> list[tuple[Side, Storage]]:
        """What there is, side by side."""
        return list(self._sides.items())

    def begin_write(self, side: Side) -> Storage:
        """Its storage there, which is about to be changed, so that nothing else may be told of it."""
        self._written = True
        self._sides = {side: self._sides[side]}
        return self._sides[side]

    def set_origin(self, a: Self) -> None:
        """Remember whose transpose this is."""
        self._origin = ref(a)

    @property
    def origin(self) -> Self | None:
        """The matrix whose transpose this is, if it is there, and neither has been written to."""
        origin: Any = None if self._origin is None or self._written else self._origin()
        return None if origin is None or origin._written else origin
