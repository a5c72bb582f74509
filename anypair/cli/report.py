"""`anypair report`: measurements as a page."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from anypair.backends.processes import Processes
from anypair.cli.command import Command
from anypair.cli.options import make_room, writes_files
from anypair.report import write_report


def run(options: Namespace) -> int:
    """Write the page and say where it is; files that were left out are named on stderr."""
    if not writes_files(Processes()):
        return 0
    make_room(options.output)
    written = write_report(options.folder, options.output)
    for warning in written.warnings:
        print(f"anypair: left out: {warning}", file=sys.stderr)
    print(f"{written.path}: runs {written.runs}, traces {written.traces}")
    return 0


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="folder with JSON results and traces, subfolders included",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the page to write (default: DIR/report.html)"
    )


COMMAND = Command(
    "report",
    "make one HTML page with charts of results and traces",
    "Make one self-contained HTML page of the results and traces in a folder: TEPS and kernel 1 time\n"
    "against scale, frontier, time and bytes per level, scaling, lines of code, the machine.",
    ["anypair report results", "anypair report results -o report.html"],
    _configure,
    run,
)
