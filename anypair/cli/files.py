"""Graphs in files, as the subcommands that read or write one share them."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anypair.cli.options import make_room, path_to_write
from anypair.cli.progress import Bar
from anypair.errors import AnypairError, FileUnreadable, InvalidValue
from anypair.io import FORMATS, Loaded, read
from anypair.io.formats import choose
from anypair.io.options import DUPLICATES, OPTIONS, Option, Switches, Value
from anypair.io.streams import STDIN, STDOUT
from anypair.machine import launched_rank


def endings() -> str:
    """How the files of the known formats end, for help texts."""
    found = [
        f"{suffix}[.gz]" if row.compressible else suffix
        for row in FORMATS.values()
        for suffix in row.suffixes
    ]
    return " ".join(found)


def add_input(parser: ArgumentParser, name: str = "FILE") -> None:
    """A file to read, and how: the options of `anypair.io.read`."""
    parser.add_argument(
        "file",
        type=_path_to_read,
        metavar=name,
        help=f"the graph, - for stdin; the end of its name says how it is written: {endings()}",
    )
    group = parser.add_argument_group("how to read it")
    for row in OPTIONS:
        if isinstance(row.shell, Value):
            _add_value(group.add_argument, row, row.shell)
        elif isinstance(row.shell, Switches):
            for value, switch in ((True, row.shell.on), (False, row.shell.off)):
                if switch is not None:
                    group.add_argument(
                        switch[0], dest=row.name, action="store_const", const=value,
                        default=row.default, help=switch[1],
                    )  # fmt: skip


def _path_to_read(text: str) -> Path:
    return STDIN if text == "-" else Path(text)


def _add_value(add: Callable[..., Any], row: Option, shell: Value) -> None:
    def parse(text: str) -> Any:
        try:
            parsed = shell.parse(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a whole number") from None
        try:
            return parsed if shell.choices else row.check(shell.word, row.name, parsed)
        except AnypairError as error:
            reason = str(error).removeprefix(f"{shell.word}: {row.name}={parsed!r} ")
            raise ArgumentTypeError(f"{text!r} {reason}") from None

    add(
        shell.word, dest=row.name, type=parse, default=row.default, metavar=shell.metavar,
        choices=shell.choices or None, help=shell.meaning,
    )  # fmt: skip


def load(options: Namespace, bar: Bar) -> Loaded:
    """Read the graph of the options."""
    bar(f"reading {options.file.name}", 0, 0)
    return read(options.file, **read_arguments(options))


def read_arguments(options: Namespace) -> dict[str, Any]:
    """The options of `anypair.io.read`."""
    given = {row.name: getattr(options, row.name) for row in OPTIONS if row.shell is not None}
    given["duplicates"] = DUPLICATES.get(given["duplicates"])
    return given


def find_vertex(loaded: Loaded, name: str) -> int:
    """The number of the vertex that the file calls so."""
    try:
        return loaded.vertex(name)
    except AnypairError as error:
        reason = error.marked.partition(": ")[2]
        raise InvalidValue(f"argument --source: {reason}") from None


def add_output(parser: ArgumentParser) -> None:
    """A file to write, and how."""
    parser.add_argument(
        "output", type=path_to_write, metavar="OUT",
        help=f"the file to write, - for stdout; the end of its name says how: {endings()}",
    )  # fmt: skip
    parser.add_argument(
        "--to", choices=list(FORMATS), metavar="NAME",
        help=f"how to write it, if its name does not say: {', '.join(FORMATS)}",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace OUT if it is there already")


def check_output(options: Namespace) -> None:
    """Complain now about what would be in the way of writing in the end."""
    try:
        is_folder = choose("write", options.output, options.to) == "blocks"
    except AnypairError as error:
        raise InvalidValue(error.spelled(lambda name, value: "--to")) from None
    if is_folder:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        is_there = (options.output / "manifest.json").is_file()
    else:
        make_room(options.output)
        is_there = options.output.is_file() and options.output != STDOUT
    if is_there and not options.force and not launched_rank():
        raise FileUnreadable(f"{options.output}: is there already; --force replaces it")
