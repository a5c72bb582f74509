"""The command: python -m benchmarks.compare REVISION."""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from benchmarks.compare.measuring import measure_session
from benchmarks.compare.tasks import Sizes, tasks
from benchmarks.compare.verdicts import BAR, Timings, Verdict, judge, table
from benchmarks.compare.versions import ROOT, UnknownRevision, unpack, workers
from benchmarks.machine import OtherWork, describe

SESSIONS = 3
LEAST_PAIRS = 15


def main(arguments: list[str] | None = None) -> int:
    """Compare; the exit status is 1 if a task got slower or fails, 2 if the options make no sense."""
    options = _parser().parse_args(arguments)
    sizes = Sizes(options.kronecker, options.grid, options.product)
    titles = [title for title in tasks(sizes) if re.search(options.tasks, title)]
    if not titles:
        print(f"compare: no task matches {options.tasks!r}", file=sys.stderr)
        return 2
    timings = [
        Timings(title, threads)
        for threads in options.threads
        for title in titles
        if threads == options.threads[0] or not title.startswith("small:")
    ]
    other_work = OtherWork()
    with tempfile.TemporaryDirectory(prefix="anypair-compare-") as folder:
        try:
            commit = unpack(options.revision, Path(folder))
        except UnknownRevision as error:
            print(f"compare: {error}", file=sys.stderr)
            return 2
        verdicts = _measured(options, sizes, Path(folder), timings)
    print(table(verdicts))
    slower = [v for v in verdicts if not v.passed]
    busy = other_work.cores()
    print(f"\n{len(slower)} of {len(verdicts)} tasks fail or are slower than {commit}, ", end="")
    print(f"that is below {options.bar} and below the spread.")
    if busy is not None and busy > 0.2:
        print(f"Other work kept {busy:.1f} cores busy: measure again on a quiet machine.")
    if options.json:
        record = {
            "machine": describe(),
            "old": commit,
            "bar": options.bar,
            "backend": options.backend,
            "sizes": vars(sizes),
            "verdicts": [v.as_json() for v in verdicts],
            "timings": [vars(t) for t in timings],
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return 1 if slower else 0


def _measured(
    options: argparse.Namespace, sizes: Sizes, folder: Path, timings: list[Timings]
) -> list[Verdict]:
    """Verdicts on all timings; what seems slower is measured again before it is called so."""
    folders = {"old": folder, "new": ROOT, "again": folder}
    wanted = timings
    for attempt in range(1 + options.again):
        pairs = max(1, -(-options.pairs // options.sessions))
        for session in range(options.sessions):
            said = (
                f"session {session + 1} of {options.sessions}: {len(wanted)} tasks, {pairs} pairs each"
            )
            print(f"{said}{', again' if attempt else ''}", file=sys.stderr, flush=True)
            with workers(folders, options.backend, sizes) as asked:
                measure_session(asked, wanted, pairs)
        wanted = [t for t in wanted if not t.problems and not judge(t, options.bar).passed]
        if not wanted:
            break
    return [judge(t, options.bar) for t in timings]


def _parser() -> argparse.ArgumentParser:
    default = Sizes()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description="This tree against an older revision, in turns: ratios of minima, old to new, "
        "with the old version against itself beside them.",
    )
    add = parser.add_argument
    add("revision", help="what to compare with, as git names it: a commit, a branch, HEAD~1")
    add(
        "--tasks",
        default="",
        metavar="PATTERN",
        help="only tasks whose titles match, as in 'BFS|small:'",
    )
    add("--kronecker", type=int, default=default.kronecker, metavar="SCALE", help="default %(default)s")
    add("--grid", type=int, default=default.grid, metavar="SIDE", help="default %(default)s")
    add(
        "--product",
        type=int,
        default=default.product,
        metavar="SCALE",
        help="of the matrices that are multiplied by each other (default %(default)s)",
    )
    add(
        "--threads",
        type=_thread_counts,
        default=[1, 0],
        metavar="N,M",
        help="numbers of threads, 0 for all cores (default 1,0); small calls run with the first only",
    )
    add("--backend", default="jit", help="default %(default)s")
    add(
        "--pairs",
        type=_positive,
        default=LEAST_PAIRS,
        help="of timings for each task (default %(default)s)",
    )
    add(
        "--sessions",
        type=_positive,
        default=SESSIONS,
        help="each with new processes, among which the pairs are divided (default %(default)s)",
    )
    add(
        "--again", type=int, default=1, metavar="TIMES", help="how often a slower task is measured again"
    )
    add("--bar", type=float, default=BAR, help="the least ratio that passes (default %(default)s)")
    add("--json", type=Path, metavar="FILE", help="every single timing, and the verdicts")
    return parser


def _thread_counts(text: str) -> list[int]:
    counts = [int(part) for part in text.split(",")]
    if min(counts) < 0:
        raise argparse.ArgumentTypeError(f"{text} has a negative number of threads")
    return counts


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return number


if __name__ == "__main__":
    sys.exit(main())
