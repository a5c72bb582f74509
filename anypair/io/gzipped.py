"""Text inside gzip files, with a limit to what they may hold."""

import zlib
from typing import Any, BinaryIO

from anypair.io.complaints import complaint, holds_too_much, reason_of

COMPRESSED_PIECE = 1 << 18


class Unpacked:
    """What is inside a gzip file, up to the limit; a file of several parts is one text."""

    def __init__(self, file: BinaryIO, path: object, size: int, limit: int) -> None:
        self._file = file
        self._path = path
        self._size = size
        self._limit = limit
        self._engine: Any = zlib.decompressobj(31)
        self._compressed = b""
        self._done = 0

    def skip(self, count: int) -> None:
        waste = memoryview(bytearray(min(count, COMPRESSED_PIECE)))
        while count and (got := self.readinto(waste[:count])):
            count -= got

    def readinto(self, buffer: memoryview, /) -> int:
        while True:
            if not self._compressed:
                self._compressed = self._file.read(COMPRESSED_PIECE)
            if self._engine.eof:
                # Zeros may fill up the end of a file; anything else is another part.
                self._compressed = self._compressed.lstrip(b"\0")
                if not self._compressed:
                    return 0
                self._engine = zlib.decompressobj(31)
            is_over = not self._compressed
            try:
                text = self._engine.decompress(self._compressed, len(buffer))
            except zlib.error as error:
                raise complaint(self._path, f"the gzip file is damaged ({reason_of(error)})") from error
            rest = self._engine.unused_data if self._engine.eof else self._engine.unconsumed_tail
            self._compressed = rest
            if text:
                self._check(len(text))
                buffer[: len(text)] = text
                return len(text)
            if is_over and not self._engine.eof:
                raise complaint(self._path, "the gzip file is truncated")

    def _check(self, count: int) -> None:
        self._done += count
        if self._done > self._limit:
            raise holds_too_much(self._path, "gzip file", self._size, self._limit)
