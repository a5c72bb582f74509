"""`anypair bench`: the Graph500 benchmark over scales, backends and threads, in one table.

How anypair compares with other libraries is measured by `python -m benchmarks` in the source
folder, which needs those libraries; this one runs wherever anypair is installed.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from itertools import product
from typing import Any

from anypair.backends.registry import BACKENDS, default_options, why_not
from anypair.cli.command import Command
from anypair.cli.graph500 import add_graph_options
from anypair.cli.options import add_json, add_quiet, make_room, numbers, positive, say, write_json
from anypair.cli.progress import Bar
from anypair.config import using
from anypair.errors import BackendUnavailable
from anypair.graph500 import Progress, Settings
from anypair.graph500 import run as run_benchmark
from anypair.io.streams import STDOUT
from anypair.report.numbers import si
from anypair.version import __version__

COLUMNS = "{:<12} {:>7} {:>5} {:>11} {:>17} {:>17}  {}"


def run(options: Namespace) -> int:
    """Run all combinations, a line for each as it is done."""
    combinations = _combinations(options)
    make_room(options.json)
    results: list[dict[str, Any]] = []
    titles = ("backend", "threads", "scale", "kernel 1", "harmonic mean", "median", "validated")
    say(options, COLUMNS.format(*titles))
    for number, (name, given, scale) in enumerate(combinations, 1):
        settings = Settings(
            scale, options.edgefactor, options.roots, options.seed, validate=options.validate
        )
        with using(name, **given) as backend, Bar(quiet=options.quiet) as bar:
            tell = _with_prefix(bar, f"{number}/{len(combinations)} {name}")
            result = run_benchmark(settings, progress=tell).as_json()
        results.append(result)
        say(options, _row(result))
        # After each, so that an interrupted sweep leaves what it has measured; but only once to stdout.
        if options.json != STDOUT or number == len(combinations):
            write_json(options.json, {"anypair": __version__, "results": results}, backend.processes)
    return 0


def _combinations(options: Namespace) -> list[tuple[str, dict[str, int], int]]:
    """Backend, its options, scale: scales go up, so that the quick ones come first."""
    names = options.backends or _measured()
    found: list[tuple[str, dict[str, int]]] = []
    for name in names:
        if reason := why_not(name):
            if options.backends:
                raise BackendUnavailable(reason)
            print(f"anypair: {name} is left out: {reason}", file=sys.stderr)
        elif options.threads and "threads" in default_options(name):
            found += [(name, {"threads": count}) for count in options.threads]
        else:
            found.append((name, {}))
    return [(name, given, scale) for scale, (name, given) in product(options.scales, found)]


def _measured() -> list[str]:
    """Those that are worth a comparison."""
    return [name for name, row in BACKENDS.items() if row.is_measured]


def _with_prefix(bar: Bar, prefix: str) -> Progress:
    """The bar, with each stage named as part of something larger."""

    def tell(stage: str, done: int, total: int) -> None:
        bar(f"{prefix}: {stage}", done, total)

    return tell


def _row(result: dict[str, Any]) -> str:
    return COLUMNS.format(
        result["backend"],
        result["threads"],
        result["scale"],
        si(result["construction_time"], "s"),
        si(result["harmonic_mean_TEPS"], "TEPS"),
        si(result["median_TEPS"], "TEPS"),
        "yes" if result["validated"] else "no",
    )


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--scales", type=numbers, default=[10, 12, 14], metavar="LIST",
        help="scales, such as 10,12 or 10-14 (default: 10,12,14)",
    )  # fmt: skip
    measured = ", ".join(_measured())
    add(
        "--backends", type=_backends, metavar="LIST",
        help=f"backends, with commas between (default: those that are ready of {measured})",
    )  # fmt: skip
    add(
        "--threads", type=_thread_counts, metavar="LIST",
        help="numbers of threads, such as 1,2,4, for backends that have them (default: all cores)",
    )  # fmt: skip
    add_graph_options(parser, roots=16)
    add_json(parser)
    add_quiet(parser)


def _backends(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in BACKENDS:
            raise ArgumentTypeError(f"unknown backend {name!r}; there are {', '.join(BACKENDS)}")
    return names


def _thread_counts(text: str) -> list[int]:
    return [positive(str(count)) for count in numbers(text)]


COMMAND = Command(
    "bench",
    "compare backends, scales and threads on this machine",
    "Run the Graph500 benchmark on several backends, scales and numbers of threads, one after another,\n"
    "and print a line for each. Its JSON is what `anypair report` draws charts of.",
    [
        "anypair bench",
        "anypair bench --scales 10-16 --json results/bench.json",
        "anypair bench --scales 16 --backends jit,suitesparse --threads 1,2,4",
    ],
    _configure,
    run,
)
