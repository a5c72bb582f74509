"""`anypair pagerank`: how important the vertices of a graph in a file are."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from anypair import Matrix, Vector
from anypair.algorithms import pagerank
from anypair.cli.answers import add_top, answer, configure
from anypair.cli.command import Command


def run(options: Namespace) -> int:
    """Rank and print the ranks."""

    def ranks(graph: Matrix) -> Vector:
        return pagerank(graph, options.damping, options.tolerance, 1000)

    return answer(options, ranks, "rank")


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    parser.add_argument(
        "--damping", type=_share, default=0.85, metavar="D",
        help="how likely a surfer is to follow another edge (default: 0.85)",
    )  # fmt: skip
    parser.add_argument(
        "--tolerance", type=_share, default=1e-6, metavar="T",
        help="stop when ranks change by less, in the mean (default: 1e-6)",
    )  # fmt: skip
    add_top(parser)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not from 0 to 1")
    return number


COMMAND = Command(
    "pagerank",
    "PageRank of a graph in a file",
    "Rank vertices by how often a surfer comes along who follows edges, by their weights, and now and\n"
    "then starts anew anywhere.",
    [
        "anypair pagerank web.tsv.gz --top 10",
        "anypair pagerank roads.mtx --damping 0.9 --output ranks.parquet",
    ],
    _configure,
    run,
)
