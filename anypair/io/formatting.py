"""Entries into text: threads format pieces, which are written in their order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np

from anypair.dtypes import Array
from anypair.errors import InvalidValue
from anypair.io.compiled import kernels
from anypair.io.complaints import shown
from anypair.io.edges import texts_of
from anypair.io.kernels.codes import NO_WEIGHTS, REAL, SIGNED, UNSIGNED
from anypair.io.working import threads

PIECE = 1 << 16  # entries
AWKWARD = '#%"\ufeff'  # a comment, a quote, a byte order mark: what a line may begin with but not a name
LONGEST_NUMBER = 27  # bytes, a blank included: -1.2345678901234567e-308 has 24


def _none() -> Array:
    return np.empty(0, np.int64)


@dataclass(frozen=True)
class Letters:
    """Names one after another; name k is text[starts[k]:starts[k + 1]]."""

    text: Array = field(default_factory=lambda: np.empty(0, np.uint8))
    starts: Array = field(default_factory=_none)

    @property
    def longest(self) -> int:
        return int(np.diff(self.starts).max()) if len(self.starts) > 1 else LONGEST_NUMBER


def letters_of(names: Array, delimiter: str) -> Letters:
    """Names as they are written between delimiters; with blanks between, they may hold none."""
    texts = [_written(name, delimiter).encode("utf-8") for name in texts_of("write", names)]
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    return Letters(np.frombuffer(b"".join(texts), np.uint8), starts)


def _written(name: str, delimiter: str) -> str:
    if not name or any(character in name for character in "\n\r\0"):
        raise InvalidValue(f"write: the name {shown(name)} cannot stand on a line")
    awkward = name != name.strip() or name[0] in AWKWARD or (delimiter and delimiter in name)
    if not delimiter:
        if awkward or len(name.split()) != 1:
            raise InvalidValue(
                f"write: the name {shown(name)} cannot stand between blanks; write csv, tsv or parquet"
            )
        return name
    return '"' + name.replace('"', '""') + '"' if awkward else name


def write_lines(
    file: BinaryIO,
    sources: Array,
    targets: Array,
    weights: Array | None,
    delimiter: str,
    base: int = 0,
    letters: Letters | None = None,
) -> None:
    """A line for each entry."""
    letters = letters or Letters()
    team = threads()
    mode, whole, real = _weights(weights)
    line = 2 * (letters.longest + 1) + LONGEST_NUMBER
    piece = max(1, min(PIECE, (1 << 24) // line))
    buffers = [np.empty(piece * line, np.uint8) for _ in range(4 * team.size)]
    bounds = [*range(0, len(sources), piece), len(sources)]
    common = (sources, targets, whole, real, mode, base, ord(delimiter), letters.text, letters.starts)
    ranges = list(pairwise(bounds)) if len(sources) else []
    for first in range(0, len(ranges), len(buffers)):
        some = ranges[first : first + len(buffers)]
        calls = [(*ends, *common, out) for ends, out in zip(some, buffers, strict=False)]
        for call, text in zip(calls, team.run(_format_piece, calls), strict=True):
            file.write(call[-1][:text].data if isinstance(text, int) else text)


def _format_piece(begin: int, end: int, *arguments: Any) -> int | bytes:
    """How much of the buffer is text now; or the text, if Python had to write a part of it."""
    format_lines: Callable[..., tuple[int, int]] = kernels("formatting").format_lines
    *common, out = arguments
    count, size = format_lines(begin, end, *common, out)
    if count == end - begin:
        return size
    sources, targets, _, real, _, base, delimiter, letters, starts = common
    text = []
    while True:
        text.append(out[:size].tobytes())
        begin += count
        if begin == end:
            return b"".join(text)
        # The line without a weight, and then the weight.
        bare = (sources, targets, real, real, NO_WEIGHTS, base, delimiter, letters, starts)
        _, size = format_lines(begin, begin + 1, *bare, out)
        text.append(out[: size - 1].tobytes() + bytes([delimiter]))
        text.append(f"{float(real[begin])!r}\n".encode())
        begin += 1
        count, size = format_lines(begin, end, *common, out)


def _weights(weights: Array | None) -> tuple[int, Array, Array]:
    """How to write them, and the numbers as int64 and as float64, one of which counts."""
    if weights is None:
        return NO_WEIGHTS, _none(), np.empty(0)
    if weights.dtype.kind == "f":
        return REAL, _none(), weights.astype(np.float64, copy=False)
    if weights.dtype == np.uint64:
        return UNSIGNED, weights.view(np.int64), np.empty(0)
    return SIGNED, weights.astype(np.int64, copy=False), np.empty(0)
