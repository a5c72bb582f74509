"""One process that draws and checks programs for some time; what it finds, it shrinks and saves."""

import json
import os
import random
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from tests.soak.checking import problem_with, still
from tests.soak.drawing import draw_pool, draw_program
from tests.soak.programs import Program, save
from tests.soak.shrinking import shrink

POOL_SECONDS = 60.0
REPEATED, REPEATS = 20, 4  # programs that run again at the end of a pool, and how often
ALLOWED_BYTES = 50_000_000  # by which memory may grow meanwhile in a session
CURRENT = "current.json"  # what is run right now, in case the process does not survive it


@dataclass
class Tally:
    """What a session has done."""

    programs: int = 0
    steps: int = 0
    grown_bytes: int = 0  # of memory, while programs ran that had run before
    repeated: int = 0  # programs that ran meanwhile
    problem: str = ""
    file: str = ""


def resident_bytes() -> int:
    """The memory of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def soak(
    seed: int,
    seconds: float,
    folder: Path,
    check: Callable[[Program], str] = problem_with,
    *,
    users: bool = True,
    agree: Callable[[bool], bool] = bool,
    alone: bool = True,
) -> Tally:
    """Draw and check programs for so long, or until one fails.

    `agree` makes one answer of those that several ranks give to a question; `alone` says that this
    process writes files.
    """
    rng = random.Random(seed)
    begin, tally = monotonic(), Tally()
    while agree(monotonic() - begin < seconds):
        pool = draw_pool(rng, users and rng.random() < 0.5)
        pool_begin, last = monotonic(), deque[Program](maxlen=REPEATED)
        while agree(monotonic() - begin < seconds and monotonic() - pool_begin < POOL_SECONDS):
            program = draw_program(rng, pool)
            program["seed"] = seed
            if alone:
                (folder / CURRENT).write_text(json.dumps(program), "utf-8")
            if agree(bool(problem := check(program))):
                tally.problem = problem or "another rank differs"
                small = shrink(program, lambda p: agree(still(check)(p)), _time_left(agree))
                tally.problem = check(small) or tally.problem
                tally.file = str(folder / f"program-{seed}-{tally.programs}.json")
                if alone:
                    save({"problem": tally.problem, **small}, Path(tally.file))
                return tally
            tally.programs += 1
            tally.steps += len(program["steps"])
            last.append(program)
        tally.grown_bytes += _growth(list(last), check)
        tally.repeated += REPEATS * len(last)
        if agree(tally.grown_bytes > ALLOWED_BYTES):
            tally.problem = (
                f"memory grew by {tally.grown_bytes / 1e6:.1f} MB in {tally.repeated} programs"
            )
            return tally
    return tally


def _growth(programs: list[Program], check: Callable[[Program], str]) -> int:
    """How many bytes it takes to run programs again that have run, so that all is compiled."""
    before = 0
    for repeat in range(1 + REPEATS):
        for program in programs:
            check(program)
        if not repeat:
            before = resident_bytes()
    return resident_bytes() - before


def _time_left(agree: Callable[[bool], bool], seconds: float = 90.0) -> Callable[[], bool]:
    end = monotonic() + seconds
    return lambda: agree(monotonic() < end)


def as_line(tally: Tally) -> str:
    """For the process that started this one."""
    return json.dumps(asdict(tally))
