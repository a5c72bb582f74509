"""`anypair convert`: a graph from one file format into another."""

import sys
from argparse import ArgumentParser, Namespace

from anypair.cli.command import Command, UsageError
from anypair.cli.files import add_input, add_output, check_output, load, read_arguments
from anypair.cli.options import add_quiet, says_summary, writes_files
from anypair.cli.progress import Bar
from anypair.config import resolve
from anypair.io import write
from anypair.io.formats import choose


def run(options: Namespace) -> int:
    """Read, then write."""
    if options.output.is_file() and options.file.is_file() and options.output.samefile(options.file):
        raise UsageError(f"OUT is the same file as IN: {options.output}")
    check_output(options)
    if choose("write", options.output, options.to) == "blocks":
        return _to_blocks(options)
    with Bar(quiet=options.quiet) as bar:
        loaded = load(options, bar)
        bar(f"writing {options.output.name}", 0, 0)
        if writes_files(loaded.matrix.backend.processes):
            names = loaded.names if options.names else None
            write(options.output, loaded.matrix, names, options.to)
    _say_summary(options, (loaded.matrix.nrows, loaded.matrix.ncols), loaded.matrix.nvals)
    return 0


def _to_blocks(options: Namespace) -> int:
    """Without ever holding the whole graph in memory; of several processes the first one does it."""
    from anypair.io.blocks import convert  # which imports a backend

    def converted() -> None:
        with Bar(quiet=options.quiet) as bar:
            bar(f"converting {options.file.name}", 0, 0)
            folder = convert(
                options.file, options.output, names=options.names, **read_arguments(options)
            )
        _say_summary(options, folder.shape, folder.nvals)

    processes = resolve().processes
    if writes_files(processes):
        processes.on_first(converted)
    return 0


def _say_summary(options: Namespace, shape: tuple[int, int], nvals: int) -> None:
    if says_summary(options):
        print(f"{options.output}: {shape[0]}x{shape[1]}, {nvals} entries", file=sys.stderr)


def _configure(parser: ArgumentParser) -> None:
    add_input(parser, "IN")
    add_output(parser)
    parser.add_argument(
        "--no-names", dest="names", action="store_false",
        help="leave out the names of vertices; they are called 0 to n - 1 then",
    )  # fmt: skip
    add_quiet(parser)


COMMAND = Command(
    "convert",
    "turn a graph file into another format",
    "Read a graph in one format and write it in another. Names of vertices are kept where the format\n"
    "has room for them.",
    [
        "anypair convert roads.mtx roads.npz",
        "anypair convert friends.csv friends.mtx.gz --undirected --no-names",
        "anypair convert friends.csv - --columns 0,1 --to tsv",
        "anypair convert web.tsv web.blocks --undirected",
    ],
    _configure,
    run,
)
