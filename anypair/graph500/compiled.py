"""The compiled loops of the harness: machine code kept on disk, ranges shared out among threads.

Numba is imported on first use, since it takes longer than all the rest of the package.
"""

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any


@cache
def loops(name: str) -> ModuleType:
    """The compiled functions of one file of the folder `loops`."""
    from anypair.compiling.modules import load_file

    return load_file(Path(__file__).parent / "loops" / f"{name}.py")


def on_threads(threads: int, loop: Any, count: int, *arguments: Any) -> list[Any]:
    """loop(begin, end, *arguments) over 0 to `count`, in pieces; 0 threads stand for all cores."""
    from anypair.threads.team import even_bounds, team_of

    team = team_of(threads)
    return team.over(even_bounds(count, team.pieces_for(count)), loop, *arguments)
