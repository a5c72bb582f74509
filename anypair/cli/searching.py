"""What `bfs` and `sssp` share: read a graph, search it, write a line for each vertex reached."""

import csv
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from anypair.cli.files import add_input, find_vertex, load
from anypair.cli.options import (
    add_backend,
    add_json,
    add_quiet,
    add_trace,
    chosen_backend,
    make_room,
    path_to_write,
    traced,
    write_json,
    writes_files,
)
from anypair.cli.progress import Bar
from anypair.io.streams import STDOUT
from anypair.io.writing import replacing
from anypair.matrix import Matrix
from anypair.report.numbers import si
from anypair.vector import Vector

Search = Callable[[Matrix, int], Vector]


def configure(parser: ArgumentParser) -> None:
    """The options that both have."""
    add_input(parser)
    parser.add_argument(
        "--source", required=True, metavar="V", help="where to start: a vertex as the file names it"
    )
    parser.add_argument(
        "--output", type=path_to_write, metavar="FILE",
        help="write here instead of to stdout; .csv has commas, anything else tabs",
    )  # fmt: skip
    add_backend(parser)
    add_json(parser)
    add_trace(parser)
    add_quiet(parser)


def run_search(options: Namespace, search: Search, what: str, *, are_vertices: bool = False) -> int:
    """Search, write the result under the heading `what`, and say how it went."""
    for path in (options.json, options.output):
        make_room(path)
    with chosen_backend(options) as backend, Bar(quiet=options.quiet) as bar:
        loaded = load(options, bar)
        source = find_vertex(loaded, options.source)
        bar("preparing", 0, 0)
        # What has to be compiled or loaded is no part of the search.
        loaded.matrix.prepare(search, 0)
        bar("searching", 0, 0)
        with traced(options.trace, backend, graph=options.file.name):
            begin = perf_counter()
            found = search(loaded.matrix, source).finish()
            seconds = perf_counter() - begin
        reached = found.nvals
    vertices, values = found.to_entries()
    largest = {} if are_vertices else {"largest": max(values.tolist(), default=0)}
    if loaded.names is not None:
        vertices = loaded.names[vertices]
        values = loaded.names[values] if are_vertices else values
    rows = list(zip(vertices.tolist(), values.tolist(), strict=True))
    if options.output is None:
        if options.json != STDOUT:
            _write(sys.stdout, "\t", what, rows)  # which goes nowhere on all processes but the first
    elif writes_files(backend.processes):
        backend.processes.on_first(lambda: _write_file(options.output, what, rows))
    facts: dict[str, Any] = {
        "command": options.command,
        "file": str(options.file),
        "source": options.source,
        "backend": backend.name,
        "vertices": loaded.matrix.nrows,
        "edges": loaded.matrix.nvals,
        "reached": reached,
        **largest,
        "seconds": seconds,
        "columns": ["vertex", what],
    }
    if options.output is None:
        facts["rows"] = rows
    else:
        facts["output"] = str(options.output)
    write_json(options.json, facts, backend.processes)
    if not options.quiet:
        print(
            f"{reached} of {loaded.matrix.nrows} vertices reached from {options.source} "
            f"in {si(seconds, 's')} on {backend.name}",
            file=sys.stderr,
        )
    return 0


def _write_file(path: Path, what: str, rows: Iterable[tuple[Any, Any]]) -> None:
    with replacing(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        _write(text, "," if path.suffix == ".csv" else "\t", what, rows)
        text.detach()  # all is written now, and whoever opened the file closes it


def _write(stream: TextIO, between: str, what: str, rows: Iterable[tuple[Any, Any]]) -> None:
    lines = csv.writer(stream, delimiter=between, lineterminator="\n")  # quotes names that need it
    lines.writerow(("vertex", what))
    lines.writerows(rows)
