"""What the subcommands share that say something of each vertex: read a graph, ask, write a table."""

import csv
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, TextIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.cli.command import UsageError
from anypair.cli.files import add_input, find_vertex, load
from anypair.cli.options import (
    add_backend,
    add_json,
    add_quiet,
    add_trace,
    chosen_backend,
    make_room,
    path_to_write,
    positive,
    traced,
    write_json,
    writes_files,
)
from anypair.cli.progress import Bar
from anypair.dtypes import Array
from anypair.errors import ImprovingCycle, InvalidValue, ResultOverflow
from anypair.io.compiled import without_waiting
from anypair.io.edges import Loaded
from anypair.io.formats import require_library
from anypair.io.streams import STDOUT
from anypair.io.writing import replacing
from anypair.matrix import Matrix
from anypair.report.numbers import si
from anypair.vector import Vector

Ask = Callable[..., Vector]

REHEARSED_FROM = 1 << 12  # edges; to try all ways in which fewer might be asked takes far longer
NAMED = 5  # vertices of a cycle whose names an error tells


def configure(parser: ArgumentParser) -> None:
    """The options that all of them have."""
    add_input(parser)
    parser.add_argument(
        "--output", type=path_to_write, metavar="FILE",
        help="write here instead of to stdout; .csv has commas, .parquet is Parquet, all else has tabs",
    )  # fmt: skip
    add_backend(parser)
    add_json(parser)
    add_trace(parser)
    add_quiet(parser)


def add_source(parser: ArgumentParser) -> None:
    """--source, for searches."""
    parser.add_argument(
        "--source", required=True, metavar="V", help="where to start: a vertex as the file names it"
    )


def add_top(parser: ArgumentParser) -> None:
    """--top, for answers that have an order."""
    parser.add_argument(
        "--top",
        type=positive,
        metavar="N",
        help="only the N vertices with the largest values, those first",
    )


def answer(
    options: Namespace,
    ask: Ask,
    what: str,
    *,
    are_vertices: bool = False,
    undirected: bool = False,
    summarise: Callable[[Array], dict[str, Any]] = lambda values: {},
) -> int:
    """Ask, write the result under the heading `what`, and say how it went.

    With --source the vertex is an argument of `ask`. `undirected` refuses a graph that has an edge
    without its reverse; `summarise` says more of the values.
    """
    for path in (options.json, options.output):
        make_room(path)
    if options.json == options.output == STDOUT:
        raise UsageError("arguments --json and --output: stdout takes one of them")
    name = getattr(options, "source", None)
    with chosen_backend(options) as backend, Bar(quiet=options.quiet) as bar:
        with without_waiting():
            loaded = load(options, bar)
        arguments = [] if name is None else [find_vertex(loaded, name)]
        if undirected:
            _check_undirected(options, loaded.matrix)
        bar("preparing", 0, 0)
        with _naming_vertices(loaded, arguments):
            # What has to be compiled or loaded is no part of the answer.
            at_once = _rehearse(ask, loaded.matrix, arguments, backend.processes)
            bar("searching" if arguments else "computing", 0, 0)
            with (
                without_waiting(math.inf) if at_once else nullcontext(),
                traced(options.trace, backend, graph=options.file.name),
            ):
                begin = perf_counter()
                found = ask(loaded.matrix, *arguments).finish()
                seconds = perf_counter() - begin
        count = found.nvals
    vertices, values = found.to_entries()
    largest = {} if are_vertices else {"largest": max(values.tolist(), default=0)}
    more = summarise(values)
    if top := getattr(options, "top", None):
        first = np.argsort(-values, kind="stable")[:top]
        vertices, values = vertices[first], values[first]
    if loaded.names is not None:
        vertices = loaded.names[vertices]
        values = loaded.names[values] if are_vertices else values
    columns = {"vertex": vertices, what: values}
    if options.output is None:
        if options.json != STDOUT:
            _write_text(sys.stdout, "\t", columns)  # which goes nowhere on all processes but the first
    elif writes_files(backend.processes):
        backend.processes.on_first(lambda: _write_file(options.output, columns))
    facts: dict[str, Any] = {
        "command": options.command,
        "file": str(options.file),
        **({} if name is None else {"source": name}),
        "backend": backend.name,
        "vertices": loaded.matrix.nrows,
        "edges": loaded.matrix.nvals,
        **({} if name is None else {"reached": count}),
        **largest,
        **more,
        "seconds": seconds,
        "columns": list(columns),
    }
    if options.output is None:
        facts["rows"] = _rows(columns)
    else:
        facts["output"] = str(options.output)
    write_json(options.json, facts, backend.processes)
    if not options.quiet:
        said = "".join(f", {key.replace('_', ' ')}: {value}" for key, value in more.items())
        of = f"{options.command} of {loaded.matrix.nrows} vertices{said}"
        if name is not None:
            of = f"{count} of {loaded.matrix.nrows} vertices reached from {name}"
        print(f"{of} in {si(seconds, 's')} on {backend.name}", file=sys.stderr)
    return 0


@contextmanager
def _naming_vertices(loaded: Loaded, sources: list[int]) -> Iterator[None]:
    """Say in errors what the file calls the vertices that they are about."""
    try:
        yield
    except (ImprovingCycle, ResultOverflow) as error:
        found = error.cycle[:NAMED] if isinstance(error, ImprovingCycle) else (error.place,)
        about = dict.fromkeys(vertex for vertex in (*sources, *found) if vertex is not None)
        if loaded.names is None or not about:
            raise
        called = ", ".join(f"vertex {vertex} is {loaded.name(vertex)!r}" for vertex in about)
        raise error.reworded(f"{error.marked} ({called})") from None


def _rehearse(ask: Ask, graph: Matrix, arguments: list[int], processes: Processes) -> bool:
    """Whether Python is to run kernels that have no machine code; else all have it afterwards."""
    if graph.nvals >= REHEARSED_FROM:
        graph.prepare(ask, *(0 for _ in arguments))
        return False
    with without_waiting() as in_time:
        ask(graph, *arguments).finish()
        done = all(processes.gather(in_time()))
    if not done:
        ask(graph, *arguments).finish()  # which compiles what was run by Python until it took too long
    return done


def _check_undirected(options: Namespace, graph: Matrix) -> None:
    if graph.nrows == graph.ncols and not graph.has_symmetric_structure:
        raise InvalidValue(
            f"{options.file}: some edges have no reverse, and {options.command} is asked of undirected "
            "graphs; --undirected adds it"
        )


def _rows(columns: dict[str, Array]) -> Sequence[tuple[Any, ...]]:
    return list(zip(*(column.tolist() for column in columns.values()), strict=True))


def _write_file(path: Path, columns: dict[str, Array]) -> None:
    with replacing(path) as file:
        if path.suffix == ".parquet":
            _write_parquet(file, columns)
            return
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        _write_text(text, "," if path.suffix == ".csv" else "\t", columns)
        text.detach()  # all is written now, and whoever opened the file closes it


def _write_parquet(file: BinaryIO, columns: dict[str, Array]) -> None:
    pyarrow = require_library("pyarrow", "pip install pyarrow", "writing Parquet")
    import_module("pyarrow.parquet").write_table(pyarrow.table(columns), file)


def _write_text(stream: TextIO, between: str, columns: dict[str, Array]) -> None:
    lines = csv.writer(stream, delimiter=between, lineterminator="\n")  # quotes names that need it
    lines.writerow(columns)
    lines.writerows(_rows(columns))
