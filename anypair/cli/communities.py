"""`anypair communities`: which communities the vertices of a graph in a file form."""

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from anypair.algorithms import label_propagation, louvain, markov_clustering, peer_pressure
from anypair.cli.answers import Ask, answer, configure
from anypair.cli.command import Command
from anypair.dtypes import Array

METHODS: dict[str, Ask] = {
    "louvain": louvain,
    "label-propagation": label_propagation,
    "peer-pressure": peer_pressure,
    "markov-clustering": markov_clustering,
}


def run(options: Namespace) -> int:
    """Print the community of each vertex."""
    ask = METHODS[options.method]
    undirected = ask is not peer_pressure
    return answer(options, ask, "community", are_vertices=True, undirected=undirected, summarise=_sizes)


def _sizes(communities: Array) -> dict[str, Any]:
    counts = np.unique(communities, return_counts=True)[1]
    return {"communities": len(counts), "largest_community": int(counts.max(initial=0))}


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        default="louvain",
        metavar="NAME",
        help=f"one of {', '.join(METHODS)} (default: %(default)s)",
    )


COMMAND = Command(
    "communities",
    "communities of a graph in a file",
    "Print for each vertex which community it is in; a community is named by one of the vertices. The\n"
    "graph has to be undirected, which --undirected makes it; for peer-pressure it may have directions.",
    [
        "anypair communities friends.csv --undirected",
        "anypair communities web.mtx --method peer-pressure --output found.parquet",
    ],
    _configure,
    run,
)
