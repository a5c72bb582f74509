"""What comes through a pipe or from a terminal, kept in a file: readers go back and forth in theirs."""

import os
import select
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anypair.backends.processes import Processes
from anypair.errors import FileUnreadable
from anypair.io.temporary import kept_file

STDIN = Path("/dev/stdin")
STDOUT = Path("/dev/stdout")
PIECE = 1 << 20
PATIENCE = 5.0  # seconds until somebody should have opened the other end of a pipe


@dataclass(frozen=True)
class Stream:
    """What came through a pipe: how it is called, and where it is kept."""

    shown: Path
    kept: Path

    def __str__(self) -> str:
        return str(self.shown)


Source = Path | Stream


@contextmanager
def readable(path: Path, processes: Processes) -> Iterator[Source]:
    """The file itself, or all that comes through the pipe, inside the `with` block."""
    if not processes.together(lambda: _is_stream(path), alike=True):
        yield path
        return
    if processes.count > 1:
        raise FileUnreadable(f"{path}: only one process can read from a pipe; save it to a file first")
    with kept_file() as (kept, place):
        try:
            _copy(path, kept)
            kept.flush()
        except OSError as error:
            if isinstance(error, FileUnreadable):
                raise
            raise FileUnreadable(f"{path}: {error.strerror}") from error
        yield Stream(path, place)


def _is_stream(path: Path) -> bool:
    """Whether this is a pipe, a socket or a terminal; other devices have no end."""
    try:
        mode = os.fstat(0).st_mode if path == STDIN else path.stat().st_mode
    except (OSError, ValueError):
        return False  # whoever opens it says what is wrong
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return False
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or (path == STDIN and os.isatty(0)):
        return True
    raise FileUnreadable(f"{path}: is a device, neither a file nor a pipe")


def _copy(path: Path, kept: BinaryIO) -> None:
    if path == STDIN:
        while piece := os.read(0, PIECE):
            kept.write(piece)
        return
    # Opening a pipe would wait for a writer, maybe for ever.
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        deadline: float | None = time.monotonic() + PATIENCE
        while True:
            try:
                piece = os.read(pipe, PIECE)
            except BlockingIOError:  # there is a writer, who thinks
                deadline = None
                select.select([pipe], [], [])
                continue
            if piece:
                deadline = None
                kept.write(piece)
            elif deadline is None:
                return
            elif time.monotonic() > deadline:
                raise FileUnreadable(f"{path}: is a pipe, and nobody writes to it")
            else:
                time.sleep(0.02)
    finally:
        os.close(pipe)
