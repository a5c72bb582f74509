"""`anypair generate`: graphs of a known kind, into a file."""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import Any

from anypair import generators
from anypair.cli.command import Command, UsageError
from anypair.cli.files import add_output, check_output
from anypair.cli.options import add_quiet, add_seed, positive, says_summary, whole, writes_files
from anypair.cli.progress import Bar
from anypair.errors import InvalidValue
from anypair.io import write


@dataclass(frozen=True)
class Argument:
    """An option for a parameter of a generator; without a default it has to be given."""

    option: str
    parameter: str
    kind: Any
    help: str
    default: Any = None


DEFAULT = "default: %(default)s"
VERTICES = Argument("vertices", "n", whole, "how many vertices")
KINDS = (
    (
        generators.kronecker,
        (
            Argument("scale", "scale", whole, "2**S vertices"),
            Argument(
                "edgefactor", "edgefactor", positive, "edges for each vertex (default: %(default)s)", 16
            ),
        ),
    ),
    (generators.uniform, (VERTICES, Argument("edges", "edges", whole, "how many edges are drawn"))),
    (
        generators.grid,
        (
            Argument("rows", "rows", positive, "how many rows"),
            Argument("columns", "columns", positive, "how many columns"),
        ),
    ),
    (generators.path, (VERTICES,)),
    (generators.star, (VERTICES,)),
    (
        generators.small_world,
        (
            VERTICES,
            Argument(
                "neighbours",
                "neighbours",
                whole,
                "joined to each, on the ring (default: %(default)s)",
                4,
            ),
            Argument(
                "rewired",
                "rewired",
                float,
                "the chance that an edge leads anywhere (default: %(default)s)",
                0.1,
            ),
        ),
    ),
    (
        generators.preferential_attachment,
        (VERTICES, Argument("edges", "edges", whole, "with how many each vertex comes")),
    ),
    (
        generators.planted_partition,
        (
            Argument("communities", "communities", whole, "how many communities"),
            Argument("size", "size", whole, "how many vertices each has"),
            Argument("inside", "inside", whole, "edges that each vertex draws to its community"),
            Argument("outside", "outside", whole, "edges that each vertex draws to others"),
        ),
    ),
)


def run(options: Namespace) -> int:
    """Make the edges, make a graph of them, write it."""
    check_output(options)
    with Bar(quiet=options.quiet) as bar:
        bar(f"generating {options.kind}", 0, 0)
        given = {argument.parameter: getattr(options, argument.option) for argument in options.arguments}
        kinds = {"weights": options.weights, "directed": options.directed}
        try:
            graph = options.generator(**given, seed=options.seed, **kinds)
        except InvalidValue as error:
            raise UsageError(str(error)) from None
        bar(f"writing {options.output.name}", 0, 0)
        if writes_files(graph.backend.processes):
            write(options.output, graph, format=options.to)
    if says_summary(options):
        print(f"{options.output}: {graph.nrows} vertices, {graph.nvals} entries", file=sys.stderr)
    return 0


def _configure(parser: ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for generator, arguments in KINDS:
        name = generator.__name__.replace("_", "-")
        summary = (generator.__doc__ or "").partition("\n")[0].rstrip(".")
        one = kinds.add_parser(name, help=summary)
        one.description = summary
        one.set_defaults(generator=generator, arguments=arguments)
        for argument in arguments:
            one.add_argument(
                f"--{argument.option}", dest=argument.option, type=argument.kind, help=argument.help,
                metavar=argument.option[0].upper(), required=argument.default is None,
                default=argument.default,
            )  # fmt: skip
        add_output(one)
        add_seed(one)
        one.add_argument(
            "--weights", action="store_true", help="give each edge a random weight in [0, 1)"
        )
        one.add_argument(
            "--directed", action="store_true", help="keep each edge in one direction (default: both)"
        )
        add_quiet(one)


COMMAND = Command(
    "generate",
    "write a graph of a known kind to a file",
    "Make a graph and write it to a file. The same seed makes the same graph everywhere.",
    [
        "anypair generate kronecker --scale 16 kron16.mtx",
        "anypair generate uniform --vertices 1000 --edges 8000 --seed 3 --weights random.npz",
        "anypair generate planted-partition --communities 9 --size 30 --inside 8 --outside 1 nine.csv",
        "anypair generate grid --rows 100 --columns 200 mesh.tsv",
    ],
    _configure,
    run,
)
