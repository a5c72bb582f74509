"""The threads that read and write. Numba is imported with them, so only when there is work."""

from typing import TYPE_CHECKING, Any

from anypair.config import resolve

if TYPE_CHECKING:
    from anypair.threads.team import Team


def threads() -> "Team":
    """Those of the backend in use if it has some; else one for each core, or one of each process."""
    from anypair.threads.team import Team, team_of

    engine = resolve()
    team: Any = getattr(engine, "team", None)
    if isinstance(team, Team):
        return team
    return team_of(1 if engine.processes.count > 1 else 0)


def even_bounds(count: int, team: "Team") -> list[int]:
    """Bounds of ranges of about equal length, some for each thread if there is enough to do."""
    from anypair.threads import team as teams

    return teams.even_bounds(count, team.pieces_for(count))
