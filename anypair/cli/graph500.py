"""`anypair graph500`: the benchmark, on any backend."""

from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command
from anypair.cli.options import (
    add_backend,
    add_json,
    add_quiet,
    add_seed,
    add_trace,
    chosen_backend,
    make_room,
    positive,
    say,
    traced,
    whole,
    write_json,
)
from anypair.cli.progress import Bar
from anypair.graph500 import Settings
from anypair.graph500 import run as run_benchmark


def run(options: Namespace) -> int:
    """Run the benchmark and print the specification's block."""
    settings = Settings(
        scale=options.scale,
        edgefactor=options.edgefactor,
        roots=options.roots,
        seed=options.seed,
        sssp=options.sssp,
        validate=options.validate,
    )
    make_room(options.json)
    graph = f"Kronecker, scale {options.scale}, edge factor {options.edgefactor}, seed {options.seed}"
    with (
        chosen_backend(options) as backend,
        traced(options.trace, backend, graph=graph),
        Bar(quiet=options.quiet) as bar,
    ):
        result = run_benchmark(settings, progress=bar)
    say(options, result.block())
    write_json(options.json, result.as_json(), backend.processes)
    return 0


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--scale", type=whole, required=True, metavar="S", help="the graph has 2**S vertices")
    add_graph_options(parser, roots=64)
    add("--sssp", action="store_true", help="also run kernel 3, shortest paths with weights in [0, 1)")
    add_backend(parser)
    add_json(parser)
    add_trace(parser)
    add_quiet(parser)


def add_graph_options(parser: ArgumentParser, roots: int) -> None:
    """What `graph500` and `bench` have in common."""
    add = parser.add_argument
    add(
        "--edgefactor", type=positive, default=16, metavar="E",
        help="edges for each vertex, each undirected one counted once (default: %(default)s)",
    )  # fmt: skip
    add(
        "--roots", type=positive, default=roots, metavar="N",
        help="how many searches, from different roots (default: %(default)s)",
    )  # fmt: skip
    add_seed(parser)
    add(
        "--no-validate", dest="validate", action="store_false",
        help="do not check the trees by the five rules of the specification",
    )  # fmt: skip


COMMAND = Command(
    "graph500",
    "run the Graph500 benchmark and print its output block",
    "Run the Graph500 benchmark: generate a Kronecker graph, build it (kernel 1), search it from\n"
    "random roots (kernel 2), validate every tree, and print the figures as the specification has it.",
    [
        "anypair graph500 --scale 16",
        "anypair graph500 --scale 20 --backend suitesparse --threads 2",
        "anypair graph500 --scale 18 --sssp --json results/18.json --trace results/18-trace.json",
    ],
    _configure,
    run,
)
