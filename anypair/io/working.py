"""The threads that read and write. Numba is imported with them, so only when there is work."""

from functools import cache
from typing import TYPE_CHECKING, Any

from anypair.config import resolve

if TYPE_CHECKING:
    from anypair.backends.jit.threads import Team


@cache
def _all_cores() -> "Team":
    from anypair.backends.jit.threads import Team

    return Team(0)


def threads() -> "Team":
    """Those of the backend in use if it has some, else one for each core."""
    team: Any = getattr(resolve(), "team", None)
    return team if isinstance(team, type(_all_cores())) else _all_cores()


def even_bounds(count: int, team: "Team") -> list[int]:
    """Bounds of ranges of about equal length, some for each thread if there is enough to do."""
    from anypair.backends.jit import threads as jit_threads

    return jit_threads.even_bounds(count, team.pieces_for(count))
