"""`anypair triangles`: how many triangles a graph in a file has."""

from argparse import ArgumentParser, Namespace
from typing import Any

from anypair.algorithms import local_clustering, triangles_per_vertex
from anypair.cli.answers import add_top, answer, configure
from anypair.cli.command import Command
from anypair.dtypes import Array


def run(options: Namespace) -> int:
    """Print the triangles, or the clustering, of each vertex."""
    if options.clustering:
        return answer(options, local_clustering, "clustering", undirected=True)
    return answer(options, triangles_per_vertex, "triangles", undirected=True, summarise=_total)


def _total(counts: Array) -> dict[str, Any]:
    return {"triangles": int(counts.sum()) // 3}


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    parser.add_argument(
        "--clustering", action="store_true",
        help="print the share of the pairs of its neighbours that are joined instead",
    )  # fmt: skip
    add_top(parser)


COMMAND = Command(
    "triangles",
    "triangles of a graph in a file",
    "Count the triangles that each vertex is a corner of, and all of them. The graph has to be\n"
    "undirected, which --undirected makes it.",
    [
        "anypair triangles friends.csv --undirected",
        "anypair triangles roads.mtx --clustering --top 20",
    ],
    _configure,
    run,
)
