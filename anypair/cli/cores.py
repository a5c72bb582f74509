"""`anypair cores`: in which cores the vertices of a graph in a file are."""

from argparse import ArgumentParser, Namespace

from anypair.algorithms import core_numbers
from anypair.cli.answers import add_top, answer, configure
from anypair.cli.command import Command


def run(options: Namespace) -> int:
    """Print the core number of each vertex."""
    return answer(options, core_numbers, "core", undirected=True)


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    add_top(parser)


COMMAND = Command(
    "cores",
    "core numbers of a graph in a file",
    "Print for each vertex the largest k such that it is in the k-core, where all have k neighbours or\n"
    "more. The graph has to be undirected, which --undirected makes it.",
    [
        "anypair cores friends.csv --undirected --top 10",
        "anypair cores roads.mtx --output cores.parquet",
    ],
    _configure,
    run,
)
