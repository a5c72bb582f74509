"""Text into arrays: blocks of lines cut into pieces, which threads parse where they belong."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from anypair.dtypes import Array
from anypair.errors import FileError, option
from anypair.io.compiled import kernels
from anypair.io.complaints import WORDS, complaint, shown
from anypair.io.files import TextBlock, TextFile, blocks
from anypair.io.kernels import problems
from anypair.io.kernels.codes import NAMES, REAL, SIGNED, UNSIGNED
from anypair.io.line_layout import UNBOUNDED, LineLayout
from anypair.io.packing import NameTable
from anypair.io.working import threads
from anypair.memory import available, require

# Problems that no column has.
ABOUT_LINES = (
    problems.TOO_FEW_FIELDS,
    problems.TOO_MANY_FIELDS,
    problems.TOO_MANY_LINES,
    problems.LONE_RETURN,
    problems.NUL_BYTE,
    problems.OPEN_QUOTE,
)
PIECE = 1 << 20  # bytes; less than that is not worth a thread


@dataclass(frozen=True)
class _Problem:
    code: int
    place: int  # in the block


class Parser:
    """Takes in blocks of one file; `sources`, `targets` and `weights` grow with them."""

    def __init__(
        self, file: TextFile, layout: LineLayout, line: int, expected_bytes: int, before: int = 0
    ) -> None:
        self.layout = layout
        self.names = NameTable() if layout.kind == NAMES else None
        self._file = file
        self._lines = line  # before the block
        self._expected_bytes = expected_bytes
        self._before = before  # entries that others have read, of those that are promised
        self._team = threads()
        self._count = 0
        self._room = 0
        self._columns = [np.empty(0, np.int64) for _ in range(2 if layout.weight < 0 else 3)]

    @property
    def sources(self) -> Array:
        return self._columns[0][: self._count]

    @property
    def targets(self) -> Array:
        return self._columns[1][: self._count]

    @property
    def weights(self) -> Array | None:
        if self.layout.weight < 0:
            return None
        dtype = {SIGNED: np.int64, UNSIGNED: np.uint64, REAL: np.float64}[self.layout.mode]
        return self._columns[2][: self._count].view(dtype)

    def parse(self, begin: int = 0, end: int | None = None) -> None:
        """Take in the lines from byte `begin` on; afterwards columns have no spare room."""
        with self._file.open(begin, end) as reader:
            for block in blocks(reader, self._file.path):
                self._add(block)
        for column in self._columns:
            column.resize(self._count, refcheck=False)

    def _add(self, block: TextBlock) -> None:
        bounds = self._bounds(block)
        lines = self._team.over(bounds, kernels("lines").count_lines, block.data)
        total = sum(lines)
        self._reserve(total, block.size)
        found = self._parse_pieces(block, bounds, lines)
        self._count += found
        self._complain_about_excess(block, found)
        if self.layout.kind == NAMES:
            self._intern(block, found)
        self._lines += total

    def _bounds(self, block: TextBlock) -> list[int]:
        """Pieces of whole lines, some for each thread."""
        if self._team.size == 1 or block.size < 2 * PIECE:
            return [0, block.size]
        pieces = min(4 * self._team.size, block.size // PIECE)
        text = block.data.data
        bounds = {0, block.size}
        for piece in range(1, pieces):
            wanted = block.size * piece // pieces
            rest = bytes(text[wanted : wanted + (1 << 12)]).find(b"\n")
            if rest >= 0:
                bounds.add(wanted + rest + 1)
        return sorted(bounds)

    def _reserve(self, lines: int, size: int) -> None:
        """Room for so many more entries; for the whole file, if its lines go on as in this block."""
        needed = self._count + lines
        if needed <= self._room:
            return
        expected = needed + int(lines / max(size, 1) * max(self._expected_bytes - size, 0) * 1.02)
        expected = max(expected, self._room + self._room // 2)
        if self.layout.entries is not None:
            expected = min(expected, self.layout.entries + lines)
        size = 8 * len(self._columns)
        require(size * needed, f"{self._file.path}: holding its edges")
        room = max(needed, min(expected, available() // size))
        for number, column in enumerate(self._columns):
            # Memory that is never written to is never taken, so a generous guess costs nothing.
            enlarged = np.empty(room, np.int64)
            enlarged[: self._count] = column[: self._count]
            self._columns[number] = enlarged
        self._room = room

    def _parse_pieces(self, block: TextBlock, bounds: list[int], lines: list[int]) -> int:
        """How many entries came, now one after another behind those that were there."""
        places = np.cumsum([self._count, *lines])
        weights = self._columns[2] if self.layout.weight >= 0 else np.empty(0, np.int64)
        calls = []
        hard = []
        for number, (begin, end) in enumerate(pairwise(bounds)):
            left = [np.empty(lines[number] if self.layout.mode == REAL else 0, np.int64) for _ in "ab"]
            hard.append(left)
            columns = (*self._columns[:2], weights, weights.view(np.float64), *left)
            at = int(places[number])
            calls.append((begin, end, block.data, self.layout.numbers, at, UNBOUNDED, *columns))
        results = self._team.run(kernels("lines").parse_lines, calls)
        for (_, skipped, code, place), (entries, begins) in zip(results, hard, strict=True):
            self._parse_in_python(block, entries[:skipped], begins[:skipped])
            if code == problems.WEIGHT_NOT_WHOLE and self.layout.may_widen:
                self.widen()
                return self._parse_pieces(block, bounds, lines)
            if code:
                raise self._first_complaint(block, _Problem(code, place))
        at = self._count
        for (count, *_), place in zip(results, places, strict=False):
            if place != at:  # comments and empty lines have left a gap
                for column in self._columns:
                    column[at : at + count] = column[place : place + count]
            at += count
        return at - self._count

    def _parse_in_python(self, block: TextBlock, entries: Array, begins: Array) -> None:
        """Weights that compiled code leaves alone: infinities, NaN, very many digits."""
        if not len(entries):
            return
        weights = self._columns[2].view(np.float64)
        for entry, begin in zip(entries.tolist(), begins.tolist(), strict=True):
            token = self._token(block, begin)
            try:
                if b"_" in token:
                    raise ValueError
                weights[entry] = float(token)
            except ValueError:
                raise self._first_complaint(block, _Problem(problems.NOT_A_WEIGHT, begin)) from None

    def widen(self) -> None:
        """From here on weights are real; those that were taken in as whole numbers become so too."""
        self.layout = replace(self.layout, mode=REAL, may_widen=False)
        whole = self._columns[2]
        for begin in range(0, self._count, PIECE):
            part = slice(begin, min(begin + PIECE, self._count))
            whole.view(np.float64)[part] = whole[part].astype(np.float64)

    def _complain_about_excess(self, block: TextBlock, found: int) -> None:
        """Complain if with the entries found in this block there are more than promised."""
        promised = self.layout.entries
        if promised is None or self._before + self._count <= promised:
            return
        left = promised - self._before - (self._count - found)
        problem = self._excess(block, block.size, left)
        assert problem is not None
        raise self._complaint(block, problem)

    def _excess(self, block: TextBlock, end: int, left: int) -> _Problem | None:
        """The first entry before `end` that comes after so many others, if there is one."""
        # Parsed again, in one piece, to see which line it is.
        waste = np.empty(np.count_nonzero(block.data[:end] == 10) + 1, np.int64)
        columns = (waste, waste, waste, waste.view(np.float64), waste, waste)
        *_, code, place = kernels("lines").parse_lines(
            0, end, block.data, self.layout.numbers, 0, left, *columns
        )
        return _Problem(code, place) if code else None

    def _first_complaint(self, block: TextBlock, problem: _Problem) -> FileError:
        """About this problem, or about an earlier line that is wrong in another way."""
        start = self._line_start(block, problem.place)
        if self.layout.kind == NAMES:
            self._check_letters(block, start)
        if self.layout.entries is not None:
            left = self.layout.entries - self._before - self._count
            problem = self._excess(block, start, left) or problem
        return self._complaint(block, problem)

    def _check_letters(self, block: TextBlock, end: int) -> None:
        try:
            block.data[:end].tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._at(block, error.start, "is not UTF-8") from None

    def _intern(self, block: TextBlock, found: int) -> None:
        self._check_letters(block, block.size)
        new = slice(self._count - found, self._count)
        assert self.names is not None
        self.names.intern(block.data, block.size, *(column[new] for column in self._columns[:2]))

    def _token(self, block: TextBlock, begin: int) -> bytes:
        line = self._rest_of_line(block, begin)
        if self.layout.delimiter:
            return line.split(self.layout.delimiter.encode(), 1)[0].strip()
        return (line.split(None, 1) or [b""])[0]

    def _rest_of_line(self, block: TextBlock, begin: int) -> bytes:
        piece = block.data[begin : min(begin + (1 << 12), block.size)].tobytes()
        return piece.split(b"\n", 1)[0]

    def _complaint(self, block: TextBlock, problem: _Problem) -> FileError:
        layout = self.layout
        code = problem.code
        token = self._token(block, problem.place)
        if b"\0" in self._rest_of_line(block, problem.place):
            code = problems.NUL_BYTE
        words = WORDS[code].format(
            token=shown(token),
            fields=layout.fields,
            base=layout.base,
            row="row" if layout.is_matrix else "vertex",
            column="column" if layout.is_matrix else "vertex",
            nrows=layout.nrows - 1 + layout.base,
            ncols=layout.ncols - 1 + layout.base,
            promised=layout.entries,
            integers="the header says integer"
            if layout.is_matrix
            else f"{option('dtype')} asks for whole numbers",
            dtype="uint64" if layout.mode == UNSIGNED else "int64",
            names="" if layout.is_matrix else f"; {option('vertices', repr('names'))} takes any text",
            ids=""
            if layout.is_matrix
            else f"; {option('vertices', repr('ids'))} takes any whole numbers",
            numbers=f", {option('vertices', repr('ids'))} reads numbers",
        )
        if layout.described and code not in ABOUT_LINES:
            words += f" ({layout.described})"
        return self._at(block, problem.place, words)

    def _at(self, block: TextBlock, place: int, words: str) -> FileError:
        line = self._lines + int(np.count_nonzero(block.data[:place] == 10)) + 1
        start = self._line_start(block, place)
        return complaint(self._file.path, words, line, self._rest_of_line(block, start))

    def _line_start(self, block: TextBlock, place: int) -> int:
        newlines = np.flatnonzero(block.data[:place] == 10)
        return int(newlines[-1]) + 1 if len(newlines) else 0
