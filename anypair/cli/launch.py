"""`anypair launch`: a command or a script on several ranks."""

import argparse
from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command
from anypair.launch import launch


def run(options: Namespace) -> int:
    """Start the ranks and wait for them; the exit status is theirs."""
    arguments = options.run_on_ranks
    return launch(options.ranks, arguments[arguments[:1] == ["--"] :])


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-n", dest="ranks", type=int, required=True, metavar="RANKS", help="how many ranks"
    )
    parser.add_argument(
        "run_on_ranks",
        nargs=argparse.REMAINDER,
        metavar="COMMAND",
        help="a subcommand with its options, or a Python script with its own, after --",
    )


COMMAND = Command(
    "launch",
    "run a command, or a script, on several MPI ranks",
    "Run a command of anypair, or a Python script, on several MPI ranks.\n"
    "The backend is mpi, unless the command or the environment names another.",
    ["anypair launch -n 4 -- graph500 --scale 18", "anypair launch -n 2 -- search.py"],
    _configure,
    run,
)
