"""The parser of the whole command, put together from the list of subcommands."""

import argparse
from collections.abc import Sequence

from anypair.cli.command import Command
from anypair.version import __version__

DESCRIPTION = """Graph algorithms as sparse linear algebra: the Graph500 benchmark, searches of graphs in
files, and reports of what was measured, on any backend."""
STATUS = """exit status: 0 done; 1 an error of the data or the run; 2 wrong usage; 130 interrupted"""


def build_parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """The parser; the chosen subcommand is `options.command`, its function `options.run`."""
    parser = argparse.ArgumentParser(
        prog="anypair", description=DESCRIPTION, epilog=STATUS, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"anypair {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands:
        subparser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            epilog="\n  ".join(["examples:", *command.examples]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.configure(subparser)
        subparser.set_defaults(run=command.run, parser=subparser)
    return parser
