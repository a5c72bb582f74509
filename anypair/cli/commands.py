"""The one list of subcommands: a new one is a file and a row here."""

from anypair.cli import (
    backends,
    bench,
    bfs,
    completion,
    convert,
    gap,
    generate,
    graph500,
    info,
    kernels,
    launch,
    report,
    sssp,
)
from anypair.cli.command import Command

COMMANDS: tuple[Command, ...] = (
    graph500.COMMAND,
    bench.COMMAND,
    gap.COMMAND,
    report.COMMAND,
    bfs.COMMAND,
    sssp.COMMAND,
    info.COMMAND,
    convert.COMMAND,
    generate.COMMAND,
    launch.COMMAND,
    backends.COMMAND,
    kernels.COMMAND,
    completion.COMMAND,
)
