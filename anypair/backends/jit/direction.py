"""Push or pull: the estimated number of entries that each would look at."""

from dataclasses import dataclass

DIRECTIONS = ("auto", "push", "pull")


@dataclass(frozen=True)
class Costs:
    """Entries looked at in each direction."""

    push: float
    pull: float

    @property
    def cheaper(self) -> str:
        return "pull" if self.pull < self.push else "push"


def estimate(
    frontier_edges: float, wanted_rows: float, all_edges: int, rows: int, *, first_hit: bool
) -> Costs:
    """Costs of a product whose vector has so many edges, for so many wanted rows of `rows`.

    Pulling, a row with d entries is searched to its end, unless the first hit ends it: that comes
    after all_edges / frontier_edges entries or so.
    """
    degree = all_edges / max(rows, 1)
    probes = min(degree, all_edges / max(frontier_edges, 1.0)) if first_hit else degree
    return Costs(frontier_edges, wanted_rows * probes)
