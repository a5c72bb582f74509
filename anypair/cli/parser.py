"""The parser of the whole command, put together from the list of subcommands."""

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from anypair.cli.command import Command
from anypair.version import __version__

DESCRIPTION = """Graph algorithms as sparse linear algebra: the Graph500 benchmark, searches of graphs in
files, and reports of what was measured, on any backend."""
STATUS = """exit status: 0 done; 1 an error of the data or the run; 2 wrong usage; 130 interrupted"""


class Parser(argparse.ArgumentParser):
    """One that complains about unknown options itself, with its own usage and what may be meant."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

    def parse_known_args(self, *arguments: Any, **more: Any) -> tuple[Any, list[str]]:
        """What argparse understands; of a subcommand that has to be everything."""
        found, unknown = super().parse_known_args(*arguments, **more)
        if unknown:
            self._refuse(unknown)
        return found, []

    def _refuse(self, unknown: Sequence[str]) -> NoReturn:
        words = [word for action in self._actions for word in action.option_strings]
        options = {word.lstrip("-"): word for word in words}  # dashes make any two alike
        meant = [
            options[match]
            for word in unknown
            for match in get_close_matches(word.partition("=")[0].lstrip("-"), options, 1)
            if word.startswith("-")
        ]
        advice = f"; did you mean {', '.join(meant)}?" if meant else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{advice}")


def build_parser(commands: Sequence[Command]) -> argparse.ArgumentParser:
    """The parser; the chosen subcommand is `options.command`, its function `options.run`."""
    parser = Parser(prog="anypair", description=DESCRIPTION, epilog=STATUS)
    parser.add_argument("--version", action="version", version=f"anypair {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands:
        subparser = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.description,
            epilog="\n  ".join(["examples:", *command.examples]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.configure(subparser)
        subparser.set_defaults(run=command.run, parser=subparser)
    return parser
