"""`anypair backends`: what there is to compute on."""

import sys
import warnings
from argparse import ArgumentParser, Namespace
from shutil import get_terminal_size
from textwrap import fill

from anypair.backends.registry import BACKENDS, load, why_not
from anypair.cli.command import Command
from anypair.config import resolve
from anypair.errors import NoDevice


def run(options: Namespace) -> int:
    """Print a line for each backend."""
    print(describe_backends(get_terminal_size().columns if sys.stdout.isatty() else None))
    return 0


def describe_backends(columns: int | None = None) -> str:
    """A line for each backend, the configured one marked; if need be in `columns`."""
    chosen = resolve().name
    width = max(map(len, BACKENDS))
    lines = []
    for name, row in BACKENDS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoDevice)  # which the remark says
            reason = why_not(name)
        mark = "*" if name == chosen else " "
        state = "ready" if reason is None else "not ready"
        lines.append(f"{mark} {name:<{width}}  {state:<9}  {row.summary}")
        if remark := reason or load(name).remark:
            lines.append(f"  {'':<{width}}  {remark}")
    return "\n".join(_broken(line, width + 4, columns) for line in lines)


def _broken(line: str, indent: int, columns: int | None) -> str:
    if columns is None or len(line) <= columns:
        return line
    # So narrow that words would stand alone below each other: then without an indent.
    indent = indent if columns >= 3 * indent else 2
    kept = line[:indent] if line[:indent].strip() else " " * indent
    return fill(
        line[len(kept) :], max(columns, indent + 8), initial_indent=kept, subsequent_indent=" " * indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _configure(parser: ArgumentParser) -> None:
    """No options."""


COMMAND = Command(
    "backends",
    "list the backends: ready, or why not and how to install",
    "List the backends: ready, or why not and how to install.\n"
    "The one marked with * is what new objects are made on here.",
    ["anypair backends"],
    _configure,
    run,
)
