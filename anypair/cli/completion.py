"""`anypair completion`: a script for the shell, written from the parser.

Nothing starts Python when somebody presses the tab key, and nothing has to be installed.
"""

from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command
from anypair.cli.grammar import places
from anypair.cli.shells import SHELLS


def run(options: Namespace) -> int:
    """Print the script."""
    from anypair.cli.commands import COMMANDS  # which has this module in its list
    from anypair.cli.parser import build_parser

    print(SHELLS[options.shell](places(build_parser(COMMANDS))), end="")
    return 0


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=list(SHELLS), metavar="SHELL", help=", ".join(SHELLS))


COMMAND = Command(
    "completion",
    "print a script that completes this command in a shell",
    "Print a script for bash, zsh or fish that completes subcommands, options, backends and files.",
    [
        "source <(anypair completion bash)          # in ~/.bashrc",
        "source <(anypair completion zsh)           # in ~/.zshrc, after compinit",
        "anypair completion fish | source           # in ~/.config/fish/config.fish",
    ],
    _configure,
    run,
)
