"""Edge lists: a line for each edge with source, target and perhaps a weight."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anypair.dtypes import FLOAT64, Array
from anypair.errors import InvalidValue
from anypair.inputs import as_values
from anypair.io.complaints import WORDS, complaint
from anypair.io.edges import Edges
from anypair.io.files import BYTE_ORDER_MARK, HEAD, TextFile, text_file
from anypair.io.formats import FORMATS
from anypair.io.formatting import letters_of, write_lines
from anypair.io.kernels import problems
from anypair.io.options import ReadOptions, as_delimiter
from anypair.io.packing import are_sparse, largest, pack
from anypair.io.parsing import (
    IDS,
    NAMES,
    NO_WEIGHTS,
    NUMBERS,
    REAL,
    SIGNED,
    UNBOUNDED,
    UNSIGNED,
    Layout,
    Parser,
    split,
)
from anypair.io.ranges import byte_range, parse_range
from anypair.io.tables import TITLES
from anypair.matrix import Matrix

WHOLE = re.compile(r'"?[+-]?[0-9]+"?')
HEADINGS = {"source", "src", "from", "u", "i", "row", "tail", "node1", "fromnodeid", "start", "id1"}


@dataclass(frozen=True)
class _Head:
    """What the beginning of a file says."""

    begin: int  # of the first line with an edge
    line: int  # lines before
    first: list[str]  # fields of that line
    heading: list[str] | None


def read_file(path: Path, format: str, options: ReadOptions) -> Edges:
    """All edges, or those whose line begins in a range of bytes."""
    file = text_file(path, options.limit)
    delimiter = FORMATS[format].delimiter if options.delimiter is None else options.delimiter
    head = _inspect(file, options, delimiter)
    if head is None:
        if options.n is None:
            raise complaint(file.path, "holds no edges; give n= for a graph without any")
        head = _Head(file.size, 0, ["0", "0"], None)
    layout = _layout(file, options, delimiter, head)
    begin, end = byte_range(file, options, head.begin)
    parser = parse_range(file, layout, head.begin, head.line, begin, end)
    return _edges(file, options, parser)


def _inspect(file: TextFile, options: ReadOptions, delimiter: str) -> _Head | None:
    """Find the first edge, and the row of headings before it if there is one."""
    text = file.head()
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise complaint(file.path, "is UTF-16 text; convert it to UTF-8")
    begin = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
    lines: list[tuple[int, int, bytes]] = []
    number = 0
    while begin < len(text) and len(lines) < 2:
        newline = text.find(b"\n", begin)
        end = len(text) if newline < 0 else newline
        line = text[begin:end].strip(b" \t\r" if delimiter != "\t" else b" \r")
        if b"\0" in line:
            raise complaint(file.path, WORDS[problems.NUL_BYTE], number + 1, line)
        if b"\r" in line:
            raise complaint(file.path, WORDS[problems.LONE_RETURN], number + 1, line)
        if line and line[:1] not in b"#%":
            lines.append((begin, number, line))
        begin = end + 1
        number += 1
    if not lines:
        if len(text) == HEAD:
            raise complaint(file.path, "the first megabyte holds no edge")
        return None
    rows = [split(line.decode("utf-8", "replace"), delimiter) for *_, line in lines]
    if _has_heading(rows, options.header, bool(delimiter)):
        heading = [field.strip('"') for field in rows[0]]
        if len(lines) == 1:
            return None
        return _Head(lines[1][0], lines[1][1], list(rows[1]), heading)
    return _Head(lines[0][0], lines[0][1], list(rows[0]), None)


def _has_heading(rows: Sequence[Sequence[str]], asked: bool | None, delimited: bool) -> bool:
    """Whether the first row holds titles: no numbers there, though there are some below."""
    if asked is not None:
        return asked
    if not delimited:
        return False
    first = [field.strip('"') for field in rows[0]]
    if first[0].casefold().replace("_", "") in HEADINGS:
        return True
    if len(rows) == 1 or len(rows[0]) != len(rows[1]):
        return False
    return not any(map(_is_number, first)) and any(map(_is_number, rows[1]))


def _is_number(field: str) -> bool:
    try:
        float(field.strip('"'))
    except ValueError:
        return False
    return True


def _layout(file: TextFile, options: ReadOptions, delimiter: str, head: _Head) -> Layout:
    fields = len(head.first)
    chosen = _columns(file, options, head)
    source, target = chosen[:2]
    weight = chosen[2] if len(chosen) == 3 else -1
    kind = _kind(options, head, source, target)
    size = UNBOUNDED if options.n is None else options.n
    dtype = options.dtype
    mode, may_widen = NO_WEIGHTS, False
    if weight >= 0:
        if dtype is None:
            may_widen = WHOLE.fullmatch(head.first[weight]) is not None
            mode = SIGNED if may_widen else REAL
        else:
            mode = REAL if dtype.kind in "fb" else UNSIGNED if dtype == "uint64" else SIGNED
    return Layout(
        delimiter, fields, source, target, weight, kind, mode, may_widen,
        base=int(options.one_based and kind == NUMBERS), nrows=size, ncols=size,
    )  # fmt: skip


def _columns(file: TextFile, options: ReadOptions, head: _Head) -> list[int]:
    """Where source, target and weight stand."""
    fields = len(head.first)
    if options.columns is not None:
        return [_column(file, column, head) for column in options.columns]
    text = " ".join(head.first).encode()
    if fields < 2:
        what = "one field where source and target should be; is the delimiter another one?"
        raise complaint(file.path, what, head.line + 1, text)
    if fields > 3:
        what = f"{fields} fields where 2 or 3 should be; say which ones, as in columns=(0, 1, 3)"
        raise complaint(file.path, what, head.line + 1, text)
    if options.weights and fields == 2:
        raise complaint(file.path, "no weight, though weights=True", head.line + 1, text)
    return list(range(2 if options.weights is False else fields))


def _column(file: TextFile, column: int | str, head: _Head) -> int:
    if isinstance(column, str):
        if head.heading is None:
            raise complaint(file.path, f"has no row of headings to find the column {column!r} in")
        if column not in head.heading:
            raise complaint(file.path, f"has no column {column!r}; it has {', '.join(head.heading)}")
        return head.heading.index(column)
    if not 0 <= column < len(head.first):
        raise complaint(file.path, f"has no column {column}; it has {len(head.first)} columns")
    return column


def _kind(options: ReadOptions, head: _Head, source: int, target: int) -> int:
    if options.vertices == "auto":
        ends = (head.first[source], head.first[target])
        return NUMBERS if all(map(WHOLE.fullmatch, ends)) else NAMES
    return {"numbers": NUMBERS, "ids": IDS, "names": NAMES}[options.vertices]


def _edges(file: TextFile, options: ReadOptions, parser: Parser) -> Edges:
    sources, targets, names = parser.sources, parser.targets, None
    kind, n = parser.layout.kind, options.n
    if kind == NUMBERS and n is None and not options.is_range:
        n = 1 + largest(sources, targets)
        if options.vertices == "auto" and are_sparse(n - 1, len(sources)):
            kind = IDS
    if kind != NUMBERS and options.n is not None:
        raise InvalidValue("read: n= is for vertices that are numbers; these have names")
    if kind == NAMES:
        assert parser.names is not None
        unquote = _unquoted if parser.layout.delimiter else None
        names, order = parser.names.finish(unquote)
        sources, targets = order[sources], order[targets]
    elif kind == IDS:
        sources, targets, names = pack(sources + parser.layout.base, targets + parser.layout.base)
    n = n if names is None else len(names)
    shape = None if n is None or (options.is_range and options.n is None) else (n, n)
    return Edges(sources, targets, _weights(options, parser), shape, names)


def _weights(options: ReadOptions, parser: Parser) -> Array | None:
    weights = parser.weights
    if weights is None or options.dtype is None or options.dtype == weights.dtype:
        return weights
    if weights.dtype == FLOAT64 and options.dtype.kind in "iu":
        return weights.astype(options.dtype)
    return as_values("read", "weights", weights, options.dtype, len(weights))


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] == '"':
        return name[1:-1].replace('""', '"')
    return name


def write_file(
    file: BinaryIO, format: str, matrix: Matrix, names: Array | None, delimiter: str | None
) -> None:
    """A line for each entry, with its weight unless all are True; csv has a row of headings."""
    separator = FORMATS[format].delimiter if delimiter is None else as_delimiter("write", delimiter)
    rows, columns, values = matrix.to_entries()
    weights = None if matrix.dtype == bool and values.all() else values
    letters = None
    if names is not None and names.dtype == object:
        letters = letters_of(names, separator)
    elif names is not None:
        rows, columns = names[rows], names[columns]
    if format == "csv":
        titles = TITLES if weights is not None else TITLES[:2]
        file.write(((separator or " ").join(titles) + "\n").encode())
    write_lines(file, rows, columns, weights, separator or " ", letters=letters)
