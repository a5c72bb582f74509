"""Files as blocks of whole lines, plain or through gzip, the next one read while this one is parsed."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import numpy as np

from anypair.dtypes import Array
from anypair.errors import FileUnreadable
from anypair.handle import readable_bytes
from anypair.io.complaints import complaint
from anypair.io.gzipped import Unpacked
from anypair.io.streams import Source, Stream

BLOCK = 1 << 24
PADDING = 16  # bytes after a block that compiled code may look at
HEAD = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
ALWAYS_ALLOWED = 1 << 28  # of decompressed bytes
ALLOWED_RATIO = 100  # edge lists shrink to a quarter or a tenth; nothing honest to a hundredth


class Reader(Protocol):
    """What blocks are made of."""

    def readinto(self, buffer: memoryview, /) -> int: ...


@dataclass(frozen=True)
class TextFile:
    """A file to read text from, and how much it may decompress to."""

    path: Source
    compressed: bool
    size: int  # on disk
    limit: int

    @property
    def inner_size(self) -> int:
        """How long the text in a gzip file is if the last four bytes tell the truth, up to 4 GiB."""
        with opened(self.path) as file:
            file.seek(max(self.size - 4, 0))
            return min(int.from_bytes(file.read(4), "little"), self.limit)

    def head(self) -> bytes:
        """The beginning, decompressed."""
        with self.open() as reader:
            buffer = bytearray(min(HEAD, BLOCK))
            return bytes(buffer[: _fill(reader, memoryview(buffer))])

    @contextmanager
    def open(self, begin: int = 0, end: int | None = None) -> Iterator[Reader]:
        """The bytes from `begin` to `end`, of what is inside if it is compressed."""
        with opened(self.path) as file:
            if self.compressed:
                unpacked = Unpacked(file, self.path, self.size, self.limit)
                unpacked.skip(begin)
                yield unpacked
            else:
                file.seek(begin)
                yield FilePart(file, (self.size if end is None else end) - begin)


def text_file(path: Source, limit: int | None = None) -> TextFile:
    """The file at this path, which is compressed if it begins as gzip files do."""
    with opened(path) as file:
        compressed = file.read(2) == b"\x1f\x8b"
        size = os.fstat(file.fileno()).st_size
    return TextFile(path, compressed, size, allowed_bytes(size, limit))


def allowed_bytes(size: int, limit: int | None) -> int:
    """How much a compressed file of this size may hold, unless somebody says so."""
    return max(ALWAYS_ALLOWED, ALLOWED_RATIO * size) if limit is None else limit


@contextmanager
def opened(path: Source) -> Iterator[BinaryIO]:
    """The file for reading; what the system says against it becomes our error."""
    place = path.kept if isinstance(path, Stream) else path
    try:
        if place.is_dir():
            raise FileUnreadable(f"{path}: is a folder, not a file")
        file = place.open("rb", buffering=0)
    except (OSError, ValueError) as error:
        if isinstance(error, FileUnreadable):
            raise
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else _reason(error)
        raise FileUnreadable(f"{path}: {reason}") from error
    with file:
        try:
            yield file
        except OSError as error:
            if isinstance(error, FileUnreadable):
                raise
            raise FileUnreadable(f"{path}: {_reason(error)}") from error


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


class FilePart:
    """Some bytes of a file and no more."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = max(size, 0)

    def readinto(self, buffer: memoryview, /) -> int:
        count: int = self._file.readinto(buffer[: self._left])  # type: ignore[attr-defined]
        self._left -= count
        return count


@dataclass(frozen=True)
class TextBlock:
    """Whole lines, the last one with its newline, and padding; `size` counts without it."""

    data: Array
    size: int
    is_last: bool


def blocks(reader: Reader, path: Source, block: int | None = None) -> Iterator[TextBlock]:
    """The text block by block; while one is used, the next is read."""
    made = _blocks(reader, path, block or BLOCK)
    current = next(made)
    if current.is_last:
        yield current
        return
    with ThreadPoolExecutor(1) as background:
        while not current.is_last:
            following = background.submit(next, made)
            yield current
            current = following.result()
        yield current


def _blocks(reader: Reader, path: Source, size: int) -> Iterator[TextBlock]:
    """Two buffers in turn: the consumer looks at one while the other is filled."""
    buffers = [bytearray(size + PADDING), bytearray(0)]
    filled, turn = 0, 0
    while True:
        buffer = buffers[turn]
        read = _fill(reader, memoryview(buffer)[filled:size])
        filled += read
        if filled < size:
            if filled and buffer[filled - 1] != 10:
                buffer[filled] = 10
                filled += 1
            yield TextBlock(np.frombuffer(buffer, np.uint8, filled + PADDING), filled, is_last=True)
            return
        end = buffer.rfind(b"\n", 0, filled) + 1
        if not end:
            start = bytes(buffer[:80])
            raise complaint(path, f"a line is longer than {readable_bytes(size)}", text=start)
        yield TextBlock(np.frombuffer(buffer, np.uint8, end + PADDING), end, is_last=False)
        # Only now is the consumer done with the other buffer.
        turn = 1 - turn
        if not buffers[turn]:
            buffers[turn] = bytearray(size + PADDING)
        buffers[turn][: filled - end] = buffer[end:filled]
        filled -= end


def _fill(reader: Reader, buffer: memoryview) -> int:
    filled = 0
    while filled < len(buffer) and (count := reader.readinto(buffer[filled:])):
        filled += count
    return filled


def line_start(path: Source, offset: int) -> int:
    """Where the first line begins that does not begin before `offset`."""
    if offset <= 0:
        return 0
    with opened(path) as file:
        file.seek(offset - 1)
        place = offset - 1
        while piece := file.read(1 << 16):
            if (found := piece.find(b"\n")) >= 0:
                return place + found + 1
            place += len(piece)
        return place
