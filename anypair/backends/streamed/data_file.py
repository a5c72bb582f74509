"""Files of bytes with checksums, written once: what is looked at is read, and checked the first time."""

import ctypes
import mmap
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import FileError, FileUnreadable

try:
    import resource
except ImportError:  # Windows, where nothing is asked for ahead either
    resource = None  # type: ignore[assignment]

CHUNK = 1 << 16  # bytes under one checksum: what is read of a file is checked, and not much more
ALIGNMENT = 64
CHECKSUM = np.dtype("<u4")
PAGE = mmap.PAGESIZE
HUGE = 1 << 21  # bytes that the system maps at a time where it can
AT_ONCE = 1 << 23  # bytes that are mapped at a time by who needs no more of them together
# Python's own would not let other threads run meanwhile.
_MADVISE: Any = getattr(ctypes.CDLL(None), "madvise", None) if os.name == "posix" else None


class DataFile:
    """A file of bytes, followed by a checksum of each chunk of them, and one of the checksums."""

    def __init__(self, path: Path, nbytes: int) -> None:
        self.path = path
        self.nbytes = nbytes
        chunks = -(-nbytes // CHUNK)
        self._size = nbytes + (chunks + 1) * CHECKSUM.itemsize
        self._seen = np.zeros(0, np.bool_)  # chunks that are known to be right, of a file that is mapped
        self._checksums: Array | None = None
        self._map: mmap.mmap | None = None
        self._content: Array | None = None

    def map(self) -> Array:
        """All bytes, mapped into memory: what is looked at is read."""
        if self._content is None:
            self._content = self._mapped()
        return self._content

    def _mapped(self) -> Array:
        try:
            size = self.path.stat().st_size
            if size != self._size:
                raise FileError(
                    f"{self.path}: has {size} bytes where the manifest says {self._size}; it is damaged"
                )
            if not self.nbytes:
                return np.empty(0, np.uint8)
            with self.path.open("rb") as file:
                # Private to this process, so that arrays of it are like any others to compiled code.
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            if hasattr(mmap, "MADV_HUGEPAGE"):
                with suppress(OSError):  # of a system that has none
                    # What is read by this map then lies in large pages, of which a pass maps few.
                    self._map.madvise(mmap.MADV_HUGEPAGE)
            whole = np.frombuffer(self._map, np.uint8)
        except OSError as error:
            reason = "is missing" if isinstance(error, FileNotFoundError) else error.strerror
            raise FileUnreadable(f"{self.path}: {reason}; the folder is incomplete") from error
        tail = np.array(whole[self.nbytes :]).view(CHECKSUM)
        if zlib.crc32(tail[:-1].data) != int(tail[-1]):
            raise FileError(f"{self.path}: the checksums are damaged")
        self._checksums, self._seen = tail[:-1], np.zeros(len(tail) - 1, np.bool_)
        return whole[: self.nbytes]

    def fetch(self, begin: int, end: int) -> None:
        """Have these bytes of the mapped content read; other threads run on meanwhile."""
        if self._content is not None and begin < end and _MADVISE is not None:
            begin -= begin % PAGE
            address = ctypes.c_void_p(self._content.ctypes.data + begin)
            _MADVISE(address, ctypes.c_size_t(end - begin), mmap.MADV_WILLNEED)

    def release(self, begin: int, end: int) -> None:
        """Give up the memory of these bytes, of which the system may keep what it likes.

        So goes what lies beside them: it may have been mapped with them, and can be again.
        """
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED") and begin < end:
            first, last = begin // HUGE * HUGE, min(-(-end // HUGE) * HUGE, len(self._map))
            self._map.madvise(mmap.MADV_DONTNEED, first, last - first)

    def check(self, content: Array, begin: int, end: int) -> None:
        """Raise unless these bytes, of the mapped content, are what was written."""
        for chunk in range(begin // CHUNK, -(-end // CHUNK)):
            if not self._seen[chunk]:
                assert self._checksums is not None
                here = content[chunk * CHUNK : (chunk + 1) * CHUNK]
                if zlib.crc32(here.data) != int(self._checksums[chunk]):
                    raise FileError(
                        f"{self.path}: bytes {chunk * CHUNK} to {chunk * CHUNK + len(here)} are damaged"
                    )
                self._seen[chunk] = True


def reads_so_far() -> int:
    """A number that grows when this process reads what the page cache did not have."""
    if resource is None:
        return 0
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_inblock + usage.ru_majflt


def write_data(path: Path, *parts: Array) -> int:
    """Write arrays one after the other, aligned; returns how many bytes they take."""
    sums: list[int] = []
    nbytes = 0
    with path.open("xb", buffering=0) as file:
        for part, begin in zip(parts, _begins(parts), strict=True):
            # A chunk that the part before has begun goes on with the gap and this part.
            content = np.ascontiguousarray(part).data.cast("B")
            started = nbytes % CHUNK
            gap = bytes(begin - nbytes)
            write_all(file, memoryview(gap))
            if started:
                head = CHUNK - started - len(gap)
                sums[-1] = zlib.crc32(content[: max(head, 0)], zlib.crc32(gap, sums[-1]))
                rest = max(head, 0)
            else:
                rest = 0
            sums += [zlib.crc32(content[at : at + CHUNK]) for at in range(rest, len(content), CHUNK)]
            write_all(file, content)
            nbytes = begin + len(content)
        own = np.array(sums, CHECKSUM)
        own_sum = np.array([zlib.crc32(own.data)], CHECKSUM)
        write_all(file, memoryview(own.tobytes() + own_sum.tobytes()))
    return nbytes


def write_all(file: Any, content: memoryview) -> None:
    """Write all: the system may take less at once than it is given, as where the disk gets full."""
    while len(content):
        content = content[file.write(content) :]


def _begins(parts: tuple[Array, ...]) -> list[int]:
    """Where each part begins."""
    begins, end = [], 0
    for part in parts:
        begins.append(aligned(end))
        end = begins[-1] + part.nbytes
    return begins


def aligned(nbytes: int) -> int:
    """Where the next part begins after so many bytes."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT
