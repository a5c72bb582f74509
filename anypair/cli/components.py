"""`anypair components`: which vertices of a graph in a file hang together."""

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from anypair.algorithms import connected_components, strongly_connected_components
from anypair.cli.answers import answer, configure
from anypair.cli.command import Command
from anypair.dtypes import Array


def run(options: Namespace) -> int:
    """Print the component of each vertex."""
    ask = strongly_connected_components if options.strong else connected_components
    return answer(options, ask, "component", are_vertices=True, summarise=_sizes)


def _sizes(components: Array) -> dict[str, Any]:
    counts = np.unique(components, return_counts=True)[1]
    return {"components": len(counts), "largest_component": int(counts.max(initial=0))}


def _configure(parser: ArgumentParser) -> None:
    configure(parser)
    parser.add_argument(
        "--strong", action="store_true", help="those within which paths lead both ways along the edges"
    )


COMMAND = Command(
    "components",
    "connected components of a graph in a file",
    "Print for each vertex which component it is in; a component is named by its first vertex. Without\n"
    "--strong directions do not count.",
    ["anypair components friends.csv", "anypair components web.tsv.gz --strong --output found.csv"],
    _configure,
    run,
)
