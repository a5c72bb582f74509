"""`anypair launch`: a command or a script on several ranks."""

import argparse
import shlex
from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command, UsageError
from anypair.cli.options import positive
from anypair.errors import InvalidValue
from anypair.launch import is_script, launch


def run(options: Namespace) -> int:
    """Start the ranks and wait for them; the exit status is theirs."""
    arguments = options.run_on_ranks
    arguments = arguments[arguments[:1] == ["--"] :]
    if arguments and not is_script(arguments):
        from anypair.cli.commands import COMMANDS  # of which this is one
        from anypair.cli.parser import build_parser

        build_parser(COMMANDS).parse_args(arguments)  # once here, not on every rank
    try:
        return launch(options.ranks, arguments, options.mpiexec)
    except InvalidValue as error:
        raise UsageError(str(error)) from error


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-n", dest="ranks", type=positive, required=True, metavar="RANKS", help="how many ranks"
    )
    parser.add_argument(
        "--mpiexec", type=_words, default=[], metavar="OPTIONS",
        help="options for mpiexec, in quotes: hosts, mapping, binding (else ranks are not bound)",
    )  # fmt: skip
    parser.add_argument(
        "run_on_ranks",
        nargs=argparse.REMAINDER,
        metavar="COMMAND",
        help="a subcommand with its options, or a Python script with its own, after --",
    )


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} has {error}".lower()) from None


COMMAND = Command(
    "launch",
    "run a command, or a script, on several MPI ranks",
    "Run a command of anypair, or a Python script, on several MPI ranks.\n"
    "The backend is mpi, unless the command or the environment names another.",
    [
        "anypair launch -n 4 -- graph500 --scale 18",
        "anypair launch -n 2 -- search.py",
        'anypair launch -n 64 --mpiexec="--hostfile hosts --map-by node" -- search.py',
    ],
    _configure,
    run,
)
