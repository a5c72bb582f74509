"""The command `anypair`: a file for each subcommand, listed in `commands.py`."""

from anypair.cli.entry import main

__all__ = ["main"]
