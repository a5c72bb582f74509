"""Parts of a text file by bytes: a line belongs to the range in which its first byte lies."""

from anypair.errors import FileError, InvalidValue
from anypair.io.files import HEAD, TextFile, line_start
from anypair.io.layout import Layout
from anypair.io.options import ReadOptions
from anypair.io.parsing import Parser


def byte_range(file: TextFile, options: ReadOptions, begin: int) -> tuple[int, int]:
    """The bytes of the lines that begin in the range asked for, none of them before `begin`."""
    if not options.is_range:
        return begin, file.size
    if file.compressed:
        raise InvalidValue(f"read_edges: {file.path} is compressed, so it has no ranges of bytes")
    start, stop = options.start or 0, file.size if options.stop is None else options.stop
    if stop < start:
        raise InvalidValue(f"read_edges: stop={stop} is before start={start}")
    first, last = (max(begin, line_start(file.path, at)) for at in (start, stop))
    return first, last


def parse_range(file: TextFile, layout: Layout, data: int, lines: int, begin: int, end: int) -> Parser:
    """The entries in these bytes; data begin at byte `data`, after so many lines."""
    parser = Parser(file, layout, lines, _expected(file, begin, end))
    try:
        parser.parse(begin, None if file.compressed else end)
    except FileError:
        if begin == data:
            raise
        # Only an error needs to know how many lines come before a range.
        Parser(file, layout, lines + _count_lines(file, data, begin), end - begin).parse(begin, end)
        raise
    return parser


def _expected(file: TextFile, begin: int, end: int) -> int:
    """About how many bytes of text there are."""
    return file.inner_size if file.compressed else end - begin


def _count_lines(file: TextFile, begin: int, end: int) -> int:
    count = 0
    buffer = memoryview(bytearray(HEAD))
    with file.open(begin, end) as reader:
        while got := reader.readinto(buffer):
            count += bytes(buffer[:got]).count(b"\n")
    return count
