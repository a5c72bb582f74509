"""Edge lists: a line for each edge with source, target and perhaps a weight."""

import re
from typing import BinaryIO

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import InvalidArgument, InvalidValue, option
from anypair.inputs import as_values
from anypair.io.columns import TITLES, Columns, choose_columns
from anypair.io.complaints import complaint
from anypair.io.edges import Content, Edges
from anypair.io.files import TextFile, text_file
from anypair.io.formats import FORMATS
from anypair.io.formatting import letters_of, write_lines
from anypair.io.headings import Head, has_heading, inspect, sample_columns
from anypair.io.kernels.codes import IDS, NAMES, NO_WEIGHTS, NUMBERS, REAL, SIGNED, UNSIGNED
from anypair.io.line_layout import UNBOUNDED, LineLayout
from anypair.io.options import ReadOptions, as_delimiter
from anypair.io.packing import are_sparse, largest, merge_names, pack
from anypair.io.parsing import Parser
from anypair.io.ranges import Data, parse_together
from anypair.io.streams import Source

WHOLE = re.compile(r'"?[+-]?[0-9]+"?')
CANONICAL = re.compile(r'"?-?(0|[1-9][0-9]*)"?')  # a number as it is always written


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """All edges, or those whose line begins in a range of bytes or in the share of this process."""
    data = processes.together(lambda: _find(path, format, options), alike=True)
    processes.require_same(f"reading {data.file.size} bytes, {data.layout}")
    if data.file.compressed:
        return processes.together(lambda: _read(data, options, Processes()), alike=True)
    return _read(data, options, processes)


def _find(path: Source, format: str, options: ReadOptions) -> Data:
    """Where the edges are, and what a line consists of."""
    file = text_file(path, options.limit)
    delimiter = FORMATS[format].delimiter if options.delimiter is None else options.delimiter
    head = inspect(file, options, delimiter)
    if head is None:
        if options.n is None:
            raise complaint(file.path, f"holds no edges; give {option('n')} for a graph without any")
        head = Head(file.size, 0, ["0", "0"], None)
    return Data(file, _layout(file, options, delimiter, head), head.begin, head.line)


def _layout(file: TextFile, options: ReadOptions, delimiter: str, head: Head) -> LineLayout:
    fields = len(head.first)
    columns = _columns(file, options, delimiter, head)
    source, target = columns.places[:2]
    weight = columns.places[2] if len(columns.places) == 3 else -1
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
    return LineLayout(
        delimiter, fields, source, target, weight, kind, mode, may_widen,
        base=int(options.one_based and kind == NUMBERS), nrows=size, ncols=size,
        is_canonical=options.vertices == "auto" and kind == NUMBERS, columns=columns.taken,
        described=columns.described() if columns.titles or options.columns else "",
    )  # fmt: skip


def _columns(file: TextFile, options: ReadOptions, delimiter: str, head: Head) -> Columns:
    """Where source, target and weight stand."""
    fields = len(head.first)
    text = " ".join(head.first).encode()
    if fields < 2 and options.columns is None:
        what = "one field where source and target should be; is the delimiter another one?"
        raise complaint(file.path, what, head.line + 1, text)
    titles = head.heading
    if titles is not None and len(titles) != fields:
        if options.columns is None or any(isinstance(column, str) for column in options.columns):
            what = f"has {fields} fields, and the row of headings {len(titles)}"
            raise complaint(file.path, what, head.line + 1, text)
        titles = None
    try:
        return choose_columns(titles, fields, options, lambda: sample_columns(file, head, delimiter))
    except InvalidArgument as error:
        what = error.marked
        if head.heading is not None and options.header is None and options.columns is None:
            what += f"; or {option('header', 'False')} if that is the first edge"
        if head.heading is not None or options.columns is not None:
            raise complaint(file.path, what) from None
        raise complaint(file.path, what, head.line + 1, text) from None


def _kind(options: ReadOptions, head: Head, source: int, target: int) -> int:
    if options.vertices == "auto":
        ends = (head.first[source], head.first[target])
        return NUMBERS if all(map(CANONICAL.fullmatch, ends)) else NAMES
    return {"numbers": NUMBERS, "ids": IDS, "names": NAMES}[options.vertices]


def _read(data: Data, options: ReadOptions, processes: Processes) -> Edges:
    parser, total = parse_together(data, options, processes)
    sources, targets, names = parser.sources, parser.targets, None
    kind, n = parser.layout.kind, options.n
    if kind == NUMBERS and n is None and not options.is_range:
        n = 1 + max(processes.gather(largest(sources, targets)))
        if options.vertices == "auto" and are_sparse(n - 1, total):
            kind = IDS
    if kind != NUMBERS and options.n is not None:
        raise InvalidValue(f"read: {option('n')} is for vertices that are numbers; these have names")
    if kind == NAMES:
        names, order = merge_names(*processes.together(lambda: _names(parser)), processes)
        sources, targets = order[sources], order[targets]
    elif kind == IDS:
        base = parser.layout.base
        sources, targets, names = pack(sources + base, targets + base, processes)
    n = n if names is None else len(names)
    shape = None if n is None or (options.is_range and options.n is None) else (n, n)
    weights = processes.together(lambda: _weights(options, parser))
    return Edges(
        sources, targets, weights, shape, names, is_part=processes.count > 1,
        columns=parser.layout.columns,
    )  # fmt: skip


def _names(parser: Parser) -> tuple[Array, Array]:
    """The sorted names, and the place there of each number that the parser gave out."""
    assert parser.names is not None
    return parser.names.finish(_unquoted if parser.layout.delimiter else None)


def _weights(options: ReadOptions, parser: Parser) -> Array | None:
    weights = parser.weights
    if weights is None or options.dtype is None or options.dtype == weights.dtype:
        return weights
    return as_values("read", "weights", weights, options.dtype, len(weights))


def _unquoted(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] == '"':
        return name[1:-1].replace('""', '"')
    return name


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """A line for each entry, with its weight unless all are True.

    A row of headings stands above in csv files, and wherever the first edge could be taken for one.
    """
    chosen = delimiter if delimiter is None else as_delimiter("write", "delimiter", delimiter)
    separator = FORMATS[format].delimiter if chosen is None else chosen
    rows, columns, names = content.rows, content.columns, content.names
    weights = None if content.is_pattern else content.values
    letters = None
    if names is not None and names.dtype == object:
        letters = letters_of(names, separator)
    elif names is not None:
        rows, columns = names[rows], names[columns]
    if format == "csv" or (letters is not None and _looks_headed(content, weights)):
        titles = TITLES if weights is not None else TITLES[:2]
        file.write(((separator or " ").join(titles) + "\n").encode())
    write_lines(file, rows, columns, weights, separator or " ", letters=letters)


def _looks_headed(content: Content, weights: Array | None) -> bool:
    """Whether a reader would take the first edge for a row of headings."""
    first = [array[:2].tolist() for array in (content.rows, content.columns)]
    if not first[0] or weights is not None:  # a weight is a number, and no title
        return False
    assert content.names is not None
    names = content.names
    return has_heading([[str(names[i]), str(names[j])] for i, j in zip(*first, strict=True)])
