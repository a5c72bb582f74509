"""The one list of subcommands: a new one is a file and a row here."""

from anypair.cli import (
    backends,
    bench,
    bfs,
    communities,
    completion,
    components,
    convert,
    cores,
    gap,
    generate,
    graph500,
    info,
    kernels,
    launch,
    pagerank,
    report,
    sssp,
    triangles,
)
from anypair.cli.command import Command

COMMANDS: tuple[Command, ...] = (
    graph500.COMMAND,
    bench.COMMAND,
    gap.COMMAND,
    report.COMMAND,
    bfs.COMMAND,
    sssp.COMMAND,
    pagerank.COMMAND,
    components.COMMAND,
    communities.COMMAND,
    triangles.COMMAND,
    cores.COMMAND,
    info.COMMAND,
    convert.COMMAND,
    generate.COMMAND,
    launch.COMMAND,
    backends.COMMAND,
    kernels.COMMAND,
    completion.COMMAND,
)
