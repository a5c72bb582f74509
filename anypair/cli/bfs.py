"""`anypair bfs`: breadth-first search of a graph in a file."""

from argparse import ArgumentParser, Namespace

from anypair.algorithms import bfs_levels, bfs_parents
from anypair.cli.answers import add_source, answer, configure
from anypair.cli.command import Command


def run(options: Namespace) -> int:
    """Search and print the tree or the levels."""
    if options.levels:
        return answer(options, bfs_levels, "level")
    return answer(options, bfs_parents, "parent", are_vertices=True)


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    add_source(parser)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--levels", action="store_true", help="print how many edges each vertex is away from the source"
    )
    kind.add_argument(
        "--parents", action="store_true", help="print the tree: a parent of each vertex (the default)"
    )


COMMAND = Command(
    "bfs",
    "breadth-first search of a graph in a file",
    "Search a graph breadth first from one vertex and print, for each vertex that is reached, its\n"
    "parent in the tree (of several, the first one) or its level.",
    [
        "anypair bfs roads.mtx --source 0",
        "anypair bfs friends.csv --source alice --levels --undirected",
        "anypair bfs web.tsv.gz --source 7 --output tree.tsv --backend suitesparse",
    ],
    _configure,
    run,
)
