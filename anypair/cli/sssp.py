"""`anypair sssp`: shortest paths in a graph in a file."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from anypair.algorithms import bellman_ford, delta_stepping
from anypair.cli.answers import add_source, answer, configure
from anypair.cli.command import Command


def run(options: Namespace) -> int:
    """Search and print the distances."""
    if options.delta is None:
        return answer(options, bellman_ford, "distance")
    return answer(
        options, lambda graph, source: delta_stepping(graph, source, options.delta), "distance"
    )


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    add_source(parser)
    parser.add_argument(
        "--delta", type=_above_zero, metavar="D",
        help="take delta-stepping with buckets of this width; weights may not be negative then "
        "(default: Bellman-Ford)",
    )  # fmt: skip


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a finite number above 0")
    return number


COMMAND = Command(
    "sssp",
    "shortest paths from a vertex of a graph in a file",
    "Find the distance of every vertex from one vertex, the sum of the weights along a shortest path.\n"
    "Edges without weights count 1.",
    [
        "anypair sssp roads.mtx --source 0",
        "anypair sssp roads.wel --source 17 --delta 2.5 --output distances.csv",
    ],
    _configure,
    run,
)
