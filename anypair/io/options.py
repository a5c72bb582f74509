"""The options of the readers, each stated once: what it means, what it may be, how a shell spells it.

`anypair.io.read` checks what it is given by this table, and the command has its options from it.
"""

import ast
import csv
import io
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anypair.dtypes import SUPPORTED, DType, as_dtype
from anypair.errors import InvalidArgument, InvalidValue, option
from anypair.inputs import as_size
from anypair.io.formats import FORMATS
from anypair.semiring import BinaryOp, first, maximum, minimum, plus

VERTICES = ("auto", "numbers", "ids", "names")
DUPLICATES: dict[str, BinaryOp] = {"first": first, "plus": plus, "minimum": minimum, "maximum": maximum}


@dataclass(frozen=True)
class Switches:
    """How a shell spells an option that is True or False, each with its meaning."""

    on: tuple[str, str] | None = None
    off: tuple[str, str] | None = None

    def spell(self, name: str, value: str) -> str:
        """The word for this value; the only one there is, if no value is given."""
        chosen = {"True": self.on, "False": self.off}.get(value) or self.on or self.off
        return chosen[0] if chosen else name


@dataclass(frozen=True)
class Value:
    """How a shell spells an option that has a value: the word before it, and the value itself."""

    word: str
    metavar: str
    meaning: str
    parse: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()

    def spell(self, name: str, value: str) -> str:
        """The word and the value, as a shell takes them."""
        if not value:
            return self.word
        try:
            plain = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            plain = value.rpartition(".")[2]  # a name in Python, such as anypair.semiring.plus
        if isinstance(plain, tuple):
            listed = io.StringIO()
            csv.writer(listed, lineterminator="").writerow(plain)
            plain = listed.getvalue()
        return f"{self.word} {shlex.quote(str(plain))}"


@dataclass(frozen=True)
class Option:
    """An option: the check returns what is meant by a value that is not the default."""

    name: str
    default: Any
    check: Callable[[str, str, Any], Any]
    shell: Switches | Value | None = None  # None: the command has no use for it


def _as_switch(operation: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"{operation}: {name}={value!r} is neither True nor False")
    return value


def _as_format(operation: str, name: str, value: Any) -> str:
    if value not in FORMATS:
        raise InvalidValue(f"{operation}: {name}={value!r} is none of {', '.join(FORMATS)}")
    return str(value)


def _as_vertices(operation: str, name: str, value: Any) -> str:
    if value not in VERTICES:
        raise InvalidValue(f"{operation}: {name}={value!r} is none of {', '.join(VERTICES)}")
    return str(value)


def _as_columns(operation: str, name: str, value: Any) -> tuple[int | str, ...]:
    try:
        chosen = () if isinstance(value, str | bytes) else tuple(value)
    except TypeError:
        chosen = ()
    if len(chosen) not in (2, 3) or not all(isinstance(column, int | str) for column in chosen):
        raise InvalidValue(f"{operation}: {name}={value!r} has to be two or three names or numbers")
    return chosen


def as_delimiter(operation: str, name: str, value: Any) -> str:
    """One character that can stand between fields; empty for blanks of any kind."""
    if value in (" ", ""):
        return ""
    usable = isinstance(value, str) and len(value) == 1 and value.isascii()
    if not usable or value in '\n\r\0"#%+-.' or value.isalnum():
        raise InvalidValue(f"{operation}: {name}={value!r} cannot stand between fields")
    return str(value)


def _parse_columns(text: str) -> list[int | str]:
    """Titles or numbers with commas between; a title that has a comma stands in quotes."""
    columns = next(csv.reader([text], skipinitialspace=True), [])
    return [int(column) if column.isdecimal() else column for column in columns]


def _parse_delimiter(text: str) -> str:
    return {"tab": "\t", "\\t": "\t", "blank": " "}.get(text, text)


OPTIONS = (
    Option("format", None, _as_format, Value(
        "--format", "NAME", "how the graph is written, if its name does not say: " + ", ".join(FORMATS),
        choices=tuple(FORMATS),
    )),
    Option("symmetric", None, _as_switch, Switches(
        ("--undirected", "take every edge in both directions"),
        ("--directed", "take only the edges of the file, also if it says that each has its reverse"),
    )),
    Option("weights", None, _as_switch, Switches(
        ("--weights", "insist on weights"), ("--no-weights", "leave weights out"),
    )),
    Option("vertices", "auto", _as_vertices, Value(
        "--vertices", "KIND",
        "what stands for a vertex: numbers, ids (numbers with gaps, to be packed), names, "
        "or auto to find out (the default)",
        choices=VERTICES,
    )),
    Option("one_based", False, _as_switch, Switches(
        ("--one-based", "numbers of vertices begin with 1"),
    )),
    Option("n", None, as_size, Value(
        "--n", "N", "how many vertices there are, if not only those with an edge", int,
    )),
    Option("delimiter", None, as_delimiter, Value(
        "--delimiter", "C", "what stands between fields: a character, tab, or blank (for any blanks)",
        _parse_delimiter,
    )),
    Option("header", None, _as_switch, Switches(
        ("--header", "the first line holds titles"), ("--no-header", "the first line is an edge"),
    )),
    Option("columns", None, _as_columns, Value(
        "--columns", "LIST",
        "the columns of source, target and perhaps weight, by title or by number from 0: 0,1,3",
        _parse_columns,
    )),
    Option("dtype", None, lambda operation, name, value: as_dtype(value), Value(
        "--dtype", "NAME", "of the weights: " + ", ".join(map(str, SUPPORTED)),
        choices=(*map(str, SUPPORTED), "int", "float"),
    )),
    Option("duplicates", None, lambda operation, name, value: value, Value(
        "--duplicates", "OPERATOR",
        "what becomes of the weights of an edge that is given twice: "
        f"{', '.join(DUPLICATES)} (default: that is an error)",
        choices=tuple(DUPLICATES),
    )),
    Option("self_loops", True, _as_switch, Switches(
        off=("--no-self-loops", "leave out edges from a vertex to itself"),
    )),
    Option("limit", None, as_size, Value(
        "--limit", "BYTES", "what may be in a compressed file (default: 256 MB, or 100 times its size)",
        int,
    )),
    Option("start", None, as_size),
    Option("stop", None, as_size),
)  # fmt: skip
TABLE: Mapping[str, Option] = {row.name: row for row in OPTIONS}


def spell_for_shell(name: str, value: str) -> str:
    """An option of an error as the command has it; in Python's way if the command does not.

    >>> spell_for_shell("columns", "('from', 'to')"), spell_for_shell("header", "True")
    ('--columns from,to', '--header')
    """
    if name == "names":  # of `write`
        return "--no-names"
    row = TABLE.get(name)
    return f"{name}={value}" if row is None or row.shell is None else row.shell.spell(name, value)


def checked(operation: str, **given: Any) -> dict[str, Any]:
    """The options as they are meant, or an error that names the one that is wrong."""
    return {
        name: value if value is TABLE[name].default else TABLE[name].check(operation, name, value)
        for name, value in given.items()
    }


@dataclass(frozen=True)
class ReadOptions:
    """The options that say how a file or a table is to be understood."""

    weights: bool | None = None
    vertices: str = "auto"
    one_based: bool = False
    n: int | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: tuple[int | str, ...] | None = None
    dtype: DType | None = None
    limit: int | None = None
    start: int | None = None
    stop: int | None = None

    @property
    def is_range(self) -> bool:
        return self.start is not None or self.stop is not None

    def refuse(self, format: str, *names: str) -> None:
        """Complain about options that mean nothing for a format."""
        for name in names:
            if getattr(self, name) != TABLE[name].default:
                raise InvalidArgument(f"read: {option(name)} means nothing for the format {format!r}")


def read_options(operation: str, **given: Any) -> ReadOptions:
    """These options, checked; the others have their defaults."""
    return ReadOptions(**checked(operation, **given))
