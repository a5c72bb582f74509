"""The command `anypair`."""

import argparse
import sys
from collections.abc import Sequence

from anypair.backends.registry import BACKENDS, load, why_not
from anypair.config import resolve
from anypair.errors import AnypairError
from anypair.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 for an error, 2 for wrong usage."""
    parser = argparse.ArgumentParser(
        prog="anypair", description="Graph algorithms as sparse linear algebra."
    )
    parser.add_argument("--version", action="version", version=f"anypair {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "backends",
        help="list the backends: ready, or why not and how to install",
        description="List the backends: ready, or why not and how to install. "
        "The one marked with * is what new objects are made on here.",
    )
    parser.parse_args(arguments)
    try:
        print(describe_backends())
    except AnypairError as error:
        print(f"anypair: {error}", file=sys.stderr)
        return 1
    return 0


def describe_backends() -> str:
    """A line for each backend, the configured one marked."""
    chosen = resolve().name
    width = max(map(len, BACKENDS))
    lines = []
    for name, row in BACKENDS.items():
        reason = why_not(name)
        mark = "*" if name == chosen else " "
        state = "ready" if reason is None else "not ready"
        remark = f" ({load(name).remark})" if reason is None and load(name).remark else ""
        lines.append(f"{mark} {name:<{width}}  {state:<9}  {row.summary}{remark}")
        if reason is not None:
            lines.append(f"  {'':<{width}}  {reason}")
    return "\n".join(lines)
