"""Parts of a text file by bytes: a line belongs to the range in which its first byte lies."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate

from anypair.backends.processes import Processes
from anypair.errors import FileError, InvalidValue
from anypair.io.files import HEAD, TextFile, line_start
from anypair.io.kernels.codes import REAL
from anypair.io.line_layout import LineLayout
from anypair.io.options import ReadOptions
from anypair.io.parsing import Parser


@dataclass(frozen=True)
class Data:
    """Where the entries of a text file are: from byte `begin` on, after so many lines."""

    file: TextFile
    layout: LineLayout
    begin: int
    lines: int

    def range(self, options: ReadOptions, processes: Processes) -> tuple[int, int]:
        """The bytes of the lines that this process reads: its share, or what the options ask for."""
        size = self.file.size
        if options.is_range:
            if self.file.compressed:
                raise InvalidValue(
                    f"read_edges: {self.file.path} is compressed, so it has no ranges of bytes"
                )
            start, stop = options.start or 0, size if options.stop is None else options.stop
            if stop < start:
                raise InvalidValue(f"read_edges: stop={stop} is before start={start}")
        elif processes.count == 1:
            return self.begin, size
        else:
            start, stop = range_of_process(size, processes)
        first, last = (max(self.begin, line_start(self.file.path, at)) for at in (start, stop))
        return first, last

    def parse(self, begin: int, end: int, layout: LineLayout, before: int) -> Parser:
        """The entries in these bytes; before them come so many others."""
        compressed = self.file.compressed
        expected = self.file.inner_size if compressed else end - begin
        parser = Parser(self.file, layout, self.lines, expected, before)
        try:
            parser.parse(begin, None if compressed else end)
        except FileError:
            if begin == self.begin:
                raise
            # Only an error needs to know how many lines come before a range.
            lines = self.lines + _count_lines(self.file, self.begin, begin)
            Parser(self.file, layout, lines, expected, before).parse(begin, end)
            raise
        return parser


def range_of_process(size: int, processes: Processes) -> tuple[int, int]:
    """Where the part of this process begins and ends, of so many bytes or rows.

    >>> range_of_process(10, Processes())
    (0, 10)
    """
    return size * processes.rank // processes.count, size * (processes.rank + 1) // processes.count


def parse_together(data: Data, options: ReadOptions, processes: Processes) -> tuple[Parser, int]:
    """The entries in this process's range, and how many there are in those of all processes.

    What is wrong with the file is what one process would say that reads it from its beginning.
    """

    def attempt_with(layout: LineLayout, before: int = 0) -> _Attempt:
        return _Attempt(lambda: data.parse(*data.range(options, processes), layout, before))

    layout = data.layout
    attempt = attempt_with(layout)
    found = processes.gather(attempt.outcome)
    if layout.may_widen:
        # Weights after the first real one are real, whoever reads it; a rank that did not know it
        # may have failed for that reason alone.
        real = next((rank for rank, each in enumerate(found) if each.is_real), processes.count)
        if any(each.has_failed for each in found[real:]):
            if attempt.outcome.has_failed and processes.rank > real:
                attempt = attempt_with(replace(layout, mode=REAL, may_widen=False))
            found = processes.gather(attempt.outcome)
        if real < processes.count and attempt.parser is not None and not attempt.outcome.is_real:
            attempt.parser.widen()
    counts = [each.count for each in found]
    if layout.entries is not None:
        # Which entry is the first too many depends on how many there are before this range.
        before = [0, *accumulate(counts)]
        is_over = (
            each.has_failed or before[rank + 1] > layout.entries for rank, each in enumerate(found)
        )
        first = next((rank for rank, over in enumerate(is_over) if over), processes.count)
        if first == processes.rank and before[first]:
            attempt = attempt_with(layout, before[first])
    return processes.together(attempt.result), sum(counts)


@dataclass(frozen=True)
class _Outcome:
    """What the other processes hear of an attempt."""

    has_failed: bool = True
    count: int = 0
    is_real: bool = False


class _Attempt:
    """Parsing that may have failed, and says so when the result is asked for."""

    def __init__(self, parse: Callable[[], Parser]) -> None:
        self.parser: Parser | None = None
        self.outcome = _Outcome()
        try:
            self.parser = parse()
            is_real = self.parser.layout.mode == REAL
            self.outcome = _Outcome(False, len(self.parser.sources), is_real)
        except Exception as error:
            self._error = error

    def result(self) -> Parser:
        if self.parser is None:
            raise self._error
        return self.parser


def _count_lines(file: TextFile, begin: int, end: int) -> int:
    count = 0
    buffer = memoryview(bytearray(HEAD))
    with file.open(begin, end) as reader:
        while got := reader.readinto(buffer):
            count += bytes(buffer[:got]).count(b"\n")
    return count
