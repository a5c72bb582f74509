"""`anypair backends`: what there is to compute on."""

from argparse import ArgumentParser, Namespace

from anypair.backends.registry import BACKENDS, load, why_not
from anypair.cli.command import Command
from anypair.config import resolve


def run(options: Namespace) -> int:
    """Print a line for each backend."""
    print(describe_backends())
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
