"""The command: python -m benchmarks."""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.engines import SEARCHING
from benchmarks.settings import FULL, PARTS, QUICK, Settings

RESULTS = Path(__file__).parent / "results"
THREAD_VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "ANYPAIR_THREADS")


def main() -> int:
    """Run; the exit status is 1 if an engine failed or gave a wrong answer."""
    options = _parser().parse_args()
    if options.threads:
        # Libraries read these when they are imported, so all imports of them come after.
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(options.threads)))
    from benchmarks.graphs import parse
    from benchmarks.report import report
    from benchmarks.suite import run

    settings = _settings(options)
    try:
        for name in settings.graphs:
            parse(name)
    except ValueError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    results = run(settings, options.output)
    print(report(results))
    print(f"Written to {options.output}: {', '.join(sorted(p.name for p in options.output.iterdir()))}")
    return 1 if results.problems else 0


def _settings(options: argparse.Namespace) -> Settings:
    chosen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name in ("graphs", "engines", "parts", "roots", "in_a_row", "seed")
        if (value := getattr(options, name)) is not None
    }
    return replace(QUICK if options.quick else FULL, **chosen)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="BFS on anypair and its peers, in one run, every answer checked.",
    )
    add = parser.add_argument
    add("--graphs", nargs="+", metavar="GRAPH", help="such as kron18 uniform20 grid1000")
    add("--engines", nargs="+", choices=SEARCHING, metavar="ENGINE", help=", ".join(SEARCHING))
    add("--parts", nargs="+", choices=PARTS, metavar="PART", help=", ".join(PARTS))
    add("--roots", type=_positive, help=f"searches of each engine (default {FULL.roots})")
    add(
        "--in-a-row",
        type=_positive,
        metavar="ROOTS",
        help=f"searches of an engine in one turn (default {FULL.in_a_row}); 1: after others each time",
    )
    add("--seed", type=int, help=f"of graphs and roots (default {FULL.seed})")
    add("--threads", type=_positive, help="for every library that has threads (default: its own)")
    add("--quick", action="store_true", help="small graphs, few roots: shows that all works")
    add("--output", type=Path, default=RESULTS, metavar="DIR", help="default: benchmarks/results")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return number


if __name__ == "__main__":
    sys.exit(main())
