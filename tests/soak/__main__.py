"""The command: python -m tests.soak run, or replay FILE."""

import argparse
import itertools
import json
import secrets
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import monotonic

from tests.mpi.jobs import ROOT, Job
from tests.soak.checking import LOCALS, WAYS, problem_with
from tests.soak.programs import read, save
from tests.soak.session import CURRENT, Tally, as_line, soak

LONGEST = 180.0  # seconds of a session
GRACE = 240.0  # seconds that a session may take longer: it compiles, and shrinks what it has found
RANKS = (3, 4)
FOUND = ROOT / "results" / "soak"


def main(arguments: list[str] | None = None) -> int:
    """Run; the exit status is 1 if backends differ."""
    options = _parser().parse_args(arguments)
    if options.command == "replay":
        return _replay(options.file)
    if options.command == "session":
        check = partial(problem_with, ways=options.ways)
        print(as_line(soak(options.seed, options.seconds, options.folder, check)))
        return 0
    return _run(options)


def _replay(file: Path) -> int:
    """Where it was found: on the backends of one process, or on so many ranks."""
    program = read(file)
    if "ranks" in program:
        job = _job(program["ranks"], program["local"], str(file.resolve()))
        problem = job.printed.strip() if job.status == 0 else job.printed + job.said
    else:
        problem = problem_with(program)
    print(problem or f"{file}: no difference")
    return 1 if problem else 0


def _job(ranks: int, *arguments: str, limit: float = GRACE) -> Job:
    return Job(ranks, str(Path(__file__).parent / "ranks.py"), *arguments, limit=limit)


def _run(options: argparse.Namespace) -> int:
    """Sessions in turn, on one process and on ranks, until the time is over or something is found."""
    end = monotonic() + 60 * options.minutes
    length = min(LONGEST, max(10.0, 60 * options.minutes / 2))
    places = [*itertools.product(RANKS, LOCALS)]
    start = secrets.randbelow(len(places)) if options.seed is None else options.seed % len(places)
    total, sessions = Tally(), 0
    while (left := end - monotonic()) > 5 or not sessions:
        seed = secrets.randbits(32) if options.seed is None else options.seed + sessions
        place = (
            places[(start + sessions // 2) % len(places)] if sessions % 2 and not options.alone else None
        )
        with tempfile.TemporaryDirectory(prefix="anypair-soak-") as folder:
            tally = _session(seed, min(length, left), Path(folder), place)
            if tally.problem:
                return _report(tally, seed, place, options.output)
        sessions += 1
        total.programs += tally.programs
        total.steps += tally.steps
        where = f"on {place[0]} ranks with {place[1]}" if place else "on one process"
        grown = f"memory {tally.grown_bytes / 1e6:+.1f} MB in {tally.repeated} repeated ones"
        print(f"seed {seed}: {tally.programs} programs {where}, {grown}", flush=True)
    print(f"{total.programs} programs with {total.steps} steps in {sessions} sessions, no difference")
    return 0


def _session(seed: int, seconds: float, folder: Path, place: tuple[int, str] | None) -> Tally:
    """What a session in a process or job of its own says; a crash or a hang is a problem like others."""
    if place is None:
        here = ["--seed", str(seed), "--seconds", str(seconds), "--folder", str(folder)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak", "session", *here],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            printed, said, status = (
                process.communicate(timeout=seconds + GRACE)[0],
                "",
                process.returncode,
            )
        except subprocess.TimeoutExpired:
            process.kill()
            printed, said, status = "", f"it did not end within {seconds + GRACE:.0f} s", -signal.SIGALRM
    else:
        ranks, local = place
        try:
            arguments = (local, str(seed), str(seconds), str(folder))
            job = _job(ranks, *arguments, limit=seconds + GRACE)
            printed, said, status = job.printed, job.said, job.status
        except subprocess.TimeoutExpired:
            printed, said, status = "", f"it did not end within {seconds + GRACE:.0f} s", -signal.SIGALRM
    if status == 0 and printed.strip():
        return Tally(**json.loads(printed.strip().splitlines()[-1]))
    cause = signal.Signals(-status).name if status < 0 else f"status {status}"
    return Tally(problem=f"the process ended with {cause}: {said[-2000:]}", file=str(folder / CURRENT))


def _report(tally: Tally, seed: int, place: tuple[int, str] | None, output: Path) -> int:
    """Say what was found, and keep it as a file that replays."""
    file = Path(tally.file)
    where = f"{place[0]} ranks, {place[1]}" if place else "one process"
    print(f"seed {seed}, {where}, after {tally.programs} programs: {tally.problem}")
    if file.exists():
        kept = output / f"program-{seed}.json"
        found_on = {"ranks": place[0], "local": place[1]} if place else {}
        save({"problem": tally.problem, **found_on, **read(file)}, kept)
        print(kept.read_text("utf-8"))
        print(f"replay it with: python -m tests.soak replay {kept}")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description="Random programs of operations on all CPU backends and on ranks, against reference.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="draw and check programs, other ones each time")
    run.add_argument("--minutes", type=float, default=30, help="default %(default)s")
    run.add_argument("--seed", type=int, help="of the first session (default: a new one each time)")
    run.add_argument("--alone", action="store_true", help="on one process only, no ranks")
    run.add_argument("--output", type=Path, default=FOUND, metavar="DIR", help="for programs that fail")
    replay = commands.add_parser("replay", help="run a program that was found, on all backends")
    replay.add_argument("file", type=Path)
    session = commands.add_parser("session", help="one session, in this process; used by run")
    session.add_argument("--seed", type=int, required=True)
    session.add_argument("--seconds", type=float, required=True)
    session.add_argument("--folder", type=Path, required=True)
    session.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    return parser


if __name__ == "__main__":
    sys.exit(main())
