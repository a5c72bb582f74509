"""`anypair gap`: the six kernels of the GAP Benchmark Suite."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from anypair.cli.command import Command
from anypair.cli.options import (
    add_backend,
    add_json,
    add_quiet,
    add_seed,
    chosen_backend,
    make_room,
    positive,
    say,
    write_json,
)
from anypair.cli.progress import Bar
from anypair.errors import InvalidValue
from anypair.gap import KERNELS, GraphSpec
from anypair.gap import run as run_benchmark
from anypair.report.numbers import si

COLUMNS = "{:<10} {:<22} {:>7} {:>11} {:>11} {:>11}  {}"


def run(options: Namespace) -> int:
    """Run the kernels and print a line for each graph and kernel."""
    make_room(options.json)
    with chosen_backend(options) as backend, Bar(quiet=options.quiet) as bar:
        result = run_benchmark(
            options.graphs,
            options.kernels,
            trials=options.trials,
            seed=options.seed,
            verify=options.verify,
            progress=bar,
        )
    say(options, COLUMNS.format("graph", "kernel", "trials", "mean", "median", "min", "verified"))
    for row in result.rows:
        figures = [si(seconds, "s") for seconds in (row.mean, row.median, min(row.seconds))]
        title = KERNELS[row.kernel].title
        say(options, COLUMNS.format(row.graph, title, len(row.seconds), *figures, row.verified or "no"))
    write_json(options.json, result.as_json(), backend.processes)
    return 0


def _graphs(text: str) -> list[str]:
    try:
        return [str(GraphSpec.parse(name)) for name in text.split(",")]
    except InvalidValue as error:
        raise ArgumentTypeError(str(error)) from None


def _kernels(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in KERNELS:
            raise ArgumentTypeError(f"{name!r} is not a kernel; there are {', '.join(KERNELS)}")
    return names


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--graphs", type=_graphs, default=["kron14", "urand14", "grid128"], metavar="LIST",
        help="kron and urand with a scale, grid with a side (default: kron14,urand14,grid128)",
    )  # fmt: skip
    add(
        "--kernels", type=_kernels, default=list(KERNELS), metavar="LIST",
        help=f"some of {', '.join(f'{k.name} ({k.title})' for k in KERNELS.values())} (default: all)",
    )  # fmt: skip
    add(
        "--trials", type=positive, metavar="N",
        help="trials of each (default: the suite's, 64 of searches, 16 of others, 3 of triangles)",
    )  # fmt: skip
    add_seed(parser)
    add("--no-verify", dest="verify", action="store_false", help="do not check the answers")
    add_backend(parser)
    add_json(parser)
    add_quiet(parser)


COMMAND = Command(
    "gap",
    "run the six kernels of the GAP Benchmark Suite",
    "Run breadth-first search, shortest paths, PageRank, components, betweenness and triangles by the\n"
    "rules of the GAP Benchmark Suite on generated graphs, check the answers, and print the times.",
    [
        "anypair gap",
        "anypair gap --graphs kron18,grid1000 --kernels bfs,sssp --threads 2",
        "anypair gap --graphs urand16 --trials 3 --json results/gap.json",
    ],
    _configure,
    run,
)
