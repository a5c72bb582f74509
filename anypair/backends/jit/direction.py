"""Push or pull: whichever is expected to look at fewer entries."""

DIRECTIONS = ("auto", "push", "pull")


def cheaper_direction(
    frontier_edges: float, wanted_rows: float, all_edges: int, rows: int, *, first_hit: bool
) -> str:
    """The direction for a vector with so many edges and so many wanted rows of `rows`.

    Pulling, a row with d entries is searched to its end, unless the first hit ends it: that comes
    after all_edges / frontier_edges entries or so, where vertices are numbered at random.
    """
    degree = all_edges / max(rows, 1)
    probes = min(degree, all_edges / max(frontier_edges, 1.0)) if first_hit else degree
    return "pull" if wanted_rows * probes < frontier_edges else "push"
