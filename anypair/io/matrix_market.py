"""Matrix Market files: a header line, comments, the sizes, then an entry on each line."""

from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array, DType
from anypair.errors import InvalidArgument, option
from anypair.inputs import as_values
from anypair.io.complaints import complaint, shown
from anypair.io.edges import GENERAL, SKEW, SYMMETRIC, Content, Edges
from anypair.io.files import BYTE_ORDER_MARK, HEAD, TextFile, text_file
from anypair.io.formatting import write_lines
from anypair.io.kernels.codes import NO_WEIGHTS, REAL, SIGNED, UNSIGNED
from anypair.io.line_layout import LineLayout
from anypair.io.options import ReadOptions
from anypair.io.parsing import Parser
from anypair.io.ranges import Data, parse_together
from anypair.io.streams import Source
from anypair.memory import require

BANNER = b"%%matrixmarket"
FORMATS = ("coordinate", "array")
MODES = {
    "real": REAL,
    "double": REAL,
    "integer": SIGNED,
    "unsigned-integer": UNSIGNED,
    "pattern": NO_WEIGHTS,
}
SYMMETRIES = (GENERAL, SYMMETRIC, SKEW)
GREATEST_SIZE = 2**63 - 2
LONGEST_SIZE = 20  # digits: one more than the greatest has
LONGEST_LINE = 400  # bytes that an honest entry takes; what a compressed file promises goes by it


@dataclass(frozen=True)
class Header:
    """The lines before the entries."""

    is_array: bool
    mode: int
    symmetry: str
    nrows: int
    ncols: int
    entries: int
    begin: int  # of the entries, in bytes
    lines: int  # before the entries


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """The entries as they stand in the file, counted from 0; each process reads its share."""
    file, header = processes.together(lambda: _begin(path, options), alike=True)
    processes.require_same(f"reading {file.size} bytes, {header}")
    if header.is_array:
        return processes.together(lambda: _read_array(file, options, header), alike=True)
    if file.compressed:
        return processes.together(lambda: _read(file, options, header, Processes()), alike=True)
    return _read(file, options, header, processes)


def header_of(path: Source, options: ReadOptions) -> Header:
    """What the file says of itself before the entries."""
    return _begin(path, options)[1]


def _begin(path: Source, options: ReadOptions) -> tuple[TextFile, Header]:
    file = text_file(path, options.limit)
    options.refuse("mtx", "vertices", "one_based", "delimiter", "header", "columns", "n")
    header = _read_header(file)
    if file.compressed and options.limit is None:
        file = replace(file, limit=header.begin + LONGEST_LINE * header.entries + HEAD)
    if header.is_array:
        options.refuse("mtx", "start", "stop")
    return file, header


def _read(file: TextFile, options: ReadOptions, header: Header, processes: Processes) -> Edges:
    weight = -1 if header.mode == NO_WEIGHTS else 2
    if options.weights and weight < 0:
        raise complaint(
            file.path, f"is a pattern, which has no weights, though {option('weights', 'True')}"
        )
    layout = LineLayout(
        fields=3 if weight > 0 else 2,
        weight=-1 if options.weights is False else weight,
        mode=_mode(header.mode, options.dtype),
        base=1,
        nrows=header.nrows,
        ncols=header.ncols,
        entries=None if options.is_range else header.entries,
        comments="%",
        is_matrix=True,
    )
    least = 4 if weight < 0 else 6
    processes.together(lambda: _check_promise(file, header, least, processes.count), alike=True)
    data = Data(file, layout, header.begin, header.lines)
    parser, total = parse_together(data, options, processes)
    sources, targets = parser.sources, parser.targets
    if layout.entries is not None and total < header.entries:
        raise complaint(
            file.path, f"ends after {total} of the {header.entries} entries that it promises"
        )
    if header.symmetry == SKEW:
        processes.together(lambda: _check_diagonal(file, sources, targets))
    weights = processes.together(lambda: _weights(parser, options))
    shape = (header.nrows, header.ncols)
    return Edges(sources, targets, weights, shape, symmetry=header.symmetry, is_part=processes.count > 1)


def _weights(parser: Parser, options: ReadOptions) -> Array | None:
    weights = parser.weights
    if weights is None:
        return None
    return as_values("read", "weights", weights, options.dtype, len(weights))


def _check_diagonal(file: TextFile, rows: Array, columns: Array) -> None:
    if (rows == columns).any():
        row = int(rows[np.argmax(rows == columns)]) + 1
        raise complaint(file.path, f"is skew-symmetric and has an entry on the diagonal, in row {row}")


def _mode(mode: int, dtype: DType | None) -> int:
    """Numbers are read as they are written, unless floats are asked for."""
    return REAL if mode in (SIGNED, UNSIGNED) and dtype is not None and dtype.kind == "f" else mode


def _read_header(file: TextFile) -> Header:
    text = file.head()
    if not text:
        raise complaint(file.path, "is empty")
    lines = text.split(b"\n")
    kind = _read_banner(file, lines[0].removeprefix(BYTE_ORDER_MARK))
    begin = len(lines[0]) + 1
    for number, line in enumerate(lines[1:], 2):
        begin += len(line) + 1
        stripped = line.strip()
        if stripped.lower().startswith(BANNER):
            raise complaint(file.path, "a second header", number, stripped)
        if stripped and not stripped.startswith(b"%"):
            return _read_sizes(file, kind, stripped, number, begin)
    raise complaint(file.path, "has no line with the sizes")


def _read_banner(file: TextFile, line: bytes) -> tuple[bool, int, str]:
    words = line.decode("utf-8", "replace").lower().split()
    expected = "should be: %%MatrixMarket matrix coordinate real general, or the like"
    if not words or words[0].encode() != BANNER or len(words) != 5 or words[1] != "matrix":
        if b"\r" in line.rstrip(b"\r"):
            expected = "a carriage return without a newline; convert the line ends to newlines"
        raise complaint(file.path, expected, 1, line.rstrip(b"\r"))
    *_, format, field, symmetry = words
    if format not in FORMATS:
        raise complaint(file.path, f"{shown(format)} is none of {', '.join(FORMATS)}", 1, line)
    if field == "complex" or symmetry == "hermitian":
        raise complaint(file.path, "complex numbers are not supported", 1, line)
    if field not in MODES:
        raise complaint(file.path, f"{shown(field)} is none of {', '.join(MODES)}", 1, line)
    if symmetry not in SYMMETRIES:
        raise complaint(file.path, f"{shown(symmetry)} is none of {', '.join(SYMMETRIES)}", 1, line)
    if field == "pattern" and (format == "array" or symmetry == SKEW):
        what = "array" if format == "array" else symmetry
        raise complaint(file.path, f"a pattern cannot be {what}", 1, line)
    return format == "array", MODES[field], symmetry


def _read_sizes(
    file: TextFile, kind: tuple[bool, int, str], line: bytes, number: int, begin: int
) -> Header:
    is_array, mode, symmetry = kind
    words = line.split()
    wanted = "rows and columns" if is_array else "rows, columns and entries"
    if len(words) != (2 if is_array else 3) or not all(word.isdigit() for word in words):
        raise complaint(file.path, f"should be {wanted}, as whole numbers", number, line)
    # Python reads no number of thousands of digits.
    sizes = [int(word.lstrip(b"0")[:LONGEST_SIZE] or b"0") for word in words]
    if max(sizes) > GREATEST_SIZE:
        raise complaint(file.path, "a size too large for 64 bits", number, line)
    nrows, ncols = sizes[:2]
    if symmetry != GENERAL and nrows != ncols:
        raise complaint(file.path, f"{nrows}x{ncols} cannot be {symmetry}", number, line)
    if is_array:
        triangle = {SYMMETRIC: nrows * (nrows + 1) // 2, SKEW: nrows * (nrows - 1) // 2}
        sizes.append(triangle.get(symmetry, nrows * ncols))
    elif sizes[2] > nrows * ncols:
        what = f"promises {sizes[2]} entries in {nrows}x{ncols} places"
        raise complaint(file.path, what, number, line)
    return Header(is_array, mode, symmetry, nrows, ncols, sizes[2], begin, number)


def _check_promise(file: TextFile, header: Header, least: int, processes: int = 1) -> None:
    """Refuse at once what cannot be: more entries than there are bytes for, or than fit into memory."""
    follow = file.size - header.begin
    if not file.compressed and header.entries * least - 1 > max(follow, 0):
        raise complaint(
            file.path, f"promises {header.entries} entries, and only {max(follow, 0)} bytes follow"
        )
    held = 16 * header.entries // processes
    require(held, f"{file.path}: holding the {header.entries} entries it promises")


def _read_array(file: TextFile, options: ReadOptions, header: Header) -> Edges:
    """A dense matrix, column after column; a zero is no entry."""
    layout = LineLayout(
        fields=1, source=-1, target=-1, weight=0, mode=_mode(header.mode, options.dtype),
        entries=header.entries, comments="%", is_matrix=True,
    )  # fmt: skip
    _check_promise(file, header, 2)
    data = Data(file, layout, header.begin, header.lines)
    values = data.parse(header.begin, file.size, layout, before=0).weights
    assert values is not None
    if len(values) < header.entries:
        what = f"ends after {len(values)} of the {header.entries} values that it promises"
        raise complaint(file.path, what)
    rows, columns = _array_places(header)
    present = values != 0
    weights = as_values("read", "weights", values[present], options.dtype, None)
    shape = (header.nrows, header.ncols)
    return Edges(rows[present], columns[present], weights, shape, symmetry=header.symmetry)


def _array_places(header: Header) -> tuple[Array, Array]:
    if header.symmetry == GENERAL:
        places = np.arange(header.entries)
        return places % max(header.nrows, 1), places // max(header.nrows, 1)
    # The lower triangle column by column is the upper one row by row, transposed.
    columns, rows = np.triu_indices(header.nrows, 1 if header.symmetry == SKEW else 0)
    return rows, columns


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """Coordinates; of a matrix that is marked symmetric the lower triangle only."""
    if content.names is not None:
        raise InvalidArgument(
            "write: Matrix Market files hold no names; choose csv, tsv, npz or parquet, "
            f"or {option('names', 'None')}"
        )
    if delimiter is not None:
        raise InvalidArgument(f"write: {option('delimiter')} means nothing for the format 'mtx'")
    symmetry = SYMMETRIC if content.is_symmetric else GENERAL
    is_pattern, dtype = content.is_pattern, content.values.dtype
    held = content.lower() if content.is_symmetric else content
    field = "real" if dtype.kind == "f" else "integer"
    if dtype == np.uint64:
        field = "unsigned-integer"
    header = f"%%MatrixMarket matrix coordinate {'pattern' if is_pattern else field} {symmetry}"
    nrows, ncols = content.shape
    file.write(f"{header}\n{nrows} {ncols} {len(held.rows)}\n".encode())
    write_lines(file, held.rows, held.columns, None if is_pattern else held.values, " ", base=1)
