"""Options that several subcommands share, and what they do."""

import errno
import json
import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.processes import Processes
from anypair.backends.registry import BACKENDS, default_options
from anypair.cli.command import UsageError
from anypair.config import resolve, using
from anypair.graph500.machine import describe_machine, versions
from anypair.io.streams import STDOUT
from anypair.io.writing import replacing
from anypair.machine import launched_rank
from anypair.trace import Trace, trace


def add_backend(parser: ArgumentParser) -> None:
    """--backend and --threads."""
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        metavar="NAME",
        help=f"where to compute: {', '.join(BACKENDS)} (default: as configured, see `anypair backends`)",
    )
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="threads of the backend (default: all cores)"
    )


@contextmanager
def chosen_backend(options: Namespace) -> Iterator[Backend]:
    """New objects are made on the backend of the options inside the `with` block."""
    name = options.backend or resolve().name
    with using(name, **thread_options(name, options.threads)) as backend:
        if backend.processes.rank:
            options.quiet = True
        yield backend


def writes_files(processes: Processes) -> bool:
    """Whether this process takes part in writing files.

    Those that share the data all do; of several that each have all of it, only the first one.
    """
    return processes.count > 1 or not launched_rank()


def says_summary(options: Namespace) -> bool:
    """Whether this process says in the end what it has done: of several, the first one does."""
    return not options.quiet and not launched_rank()


def thread_options(name: str, threads: int | None) -> dict[str, int]:
    """Threads as an option of the backend."""
    if threads is None:
        return {}
    if "threads" not in default_options(name):
        raise UsageError(f"argument --threads: backend {name!r} works with one thread only")
    return {"threads": threads}


def add_seed(parser: ArgumentParser) -> None:
    """--seed."""
    parser.add_argument(
        "--seed", type=whole, default=1, metavar="N", help="of the random numbers (default: %(default)s)"
    )


def add_json(parser: ArgumentParser) -> None:
    """--json."""
    parser.add_argument(
        "--json", type=path_to_write, metavar="FILE",
        help="also write the result as JSON; - writes it to stdout, and nothing else there",
    )  # fmt: skip


def add_trace(parser: ArgumentParser) -> None:
    """--trace."""
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="record every operation, with direction, sizes and seconds, as JSON for `anypair report`",
    )


def add_quiet(parser: ArgumentParser) -> None:
    """--quiet."""
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no summary on stderr")


@contextmanager
def traced(path: Path | None, backend: Backend, **about: Any) -> Iterator[Trace | None]:
    """Record what happens on the backend inside the `with` block into a file, if one is given."""
    if path is None:
        yield None
        return
    make_room(path)
    with trace() as seen:
        yield seen
    together = seen.gathered(backend.processes)
    if writes_files(backend.processes):
        facts = {**describe_run(backend), **about}
        backend.processes.on_first(lambda: together.to_json(path, facts))


def describe_run(backend: Backend) -> dict[str, Any]:
    """On what, with which options and versions a figure was obtained."""
    return {
        "backend": backend.name,
        "options": dict(backend.options),
        "threads": backend.threads,
        "ranks": backend.processes.count,
        "grid": backend.processes.grid,
        "machine": describe_machine(),
        "versions": versions(),
    }


def path_to_write(text: str) -> Path:
    """The path; - stands for stdout."""
    return STDOUT if text == "-" else Path(text)


def say(options: Namespace, text: str) -> None:
    """A line of the result for people, on stdout unless that is for JSON."""
    if options.json != STDOUT:
        print(text, flush=True)


def make_room(path: Path | None) -> None:
    """Make the folder of a file to come, so that a long run does not fail at its end."""
    if path is None or path == STDOUT:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a file to write")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def write_json(path: Path | None, content: dict[str, Any], processes: Processes) -> None:
    """Write a result that all of these processes have, if a file is given."""
    if path is None or not writes_files(processes):
        return

    def write() -> None:
        with replacing(path) as file:  # an interrupt leaves the old content or the new
            text = json.dumps(_in_json(content), indent=1, allow_nan=False)
            file.write((text + "\n").encode())

    processes.on_first(write)


def _in_json(content: Any) -> Any:
    """The same with text in place of numbers that JSON does not have: Infinity, -Infinity and NaN."""
    if isinstance(content, dict):
        return {name: _in_json(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_in_json(value) for value in content]
    if isinstance(content, float) and not isfinite(content):
        return json.dumps(content)
    return content


def positive(text: str) -> int:
    """A whole number of 1 or more.

    >>> positive("12")
    12
    """
    number = whole(text)
    if number < 1:
        raise ArgumentTypeError(f"{text!r} is not 1 or more")
    return number


def whole(text: str) -> int:
    """A whole number of 0 or more."""
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 0:
        raise ArgumentTypeError(f"{text!r} is negative")
    return number


def numbers(text: str) -> list[int]:
    """Whole numbers and ranges of them.

    >>> numbers("8,10-12")
    [8, 10, 11, 12]
    """
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = whole(first)
        high = whole(last) if dash else low
        if high < low:
            raise ArgumentTypeError(f"{part!r} goes down; write {last}-{first}")
        found += range(low, high + 1)
    return found
