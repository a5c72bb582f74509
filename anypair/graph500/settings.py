"""What a run of the benchmark is asked to do."""

from dataclasses import dataclass

from anypair.errors import InvalidValue
from anypair.graph500.kronecker import MAX_SCALE, too_many_edges
from anypair.inputs import as_whole


@dataclass(frozen=True)
class Settings:
    """The graph, how many searches of it, and whether to add kernel 3 and to check the answers.

    Results for submission have the edge factor 16 and 64 roots.

    >>> Settings(scale=10).edges
    16384
    """

    scale: int
    edgefactor: int = 16
    roots: int = 64
    seed: int = 1
    sssp: bool = False
    validate: bool = True

    def __post_init__(self) -> None:
        for name in ("scale", "edgefactor", "roots", "seed"):
            as_whole("Settings", name, getattr(self, name))
        for name in ("edgefactor", "roots"):
            if getattr(self, name) < 1:
                raise InvalidValue(f"Settings: {name}={getattr(self, name)} has to be 1 or more")
        for name in ("sssp", "validate"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidValue(f"Settings: {name}={getattr(self, name)!r} has to be True or False")
        if self.scale > MAX_SCALE:
            raise InvalidValue(f"Settings: scale={self.scale} is too large; give at most {MAX_SCALE}")
        if self.edges >= 2**63:
            raise InvalidValue(too_many_edges("Settings", self.scale, self.edgefactor))

    @property
    def edges(self) -> int:
        """How many edges the generator makes."""
        return self.edgefactor << self.scale
