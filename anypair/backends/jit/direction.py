"""Push or pull: whichever is expected to look at fewer entries."""

DIRECTIONS = ("auto", "push", "pull")


def cheaper_direction(
    frontier_edges: float, wanted_rows: float, all_edges: int, rows: int, *, first_hit: bool
) -> str:
    """The direction for a vector with so many edges and so many wanted rows of `rows`.

    Pulling, a row with d entries is searched to its end, unless the first hit ends it: that comes
    after all_edges / frontier_edges entries or so, where vertices are numbered at random.
    """
    chances = frontier_edges if first_hit and frontier_edges > rows else rows
    return "pull" if wanted_rows * all_edges < frontier_edges * chances else "push"
