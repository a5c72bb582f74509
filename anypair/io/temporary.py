"""Temporary files that no process leaves behind, whether it ends by itself or is ended."""

import os
import secrets
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
OPEN_FILES = Path("/proc/self/fd")


@contextmanager
def new_file(path: Path, permissions: int) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when the `with` block ends without an error."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    file = _without_name(path.parent)
    if file is None:
        with beside.open("xb") as named, removed_at_the_end(beside):
            yield named
            named.flush()
            beside.chmod(permissions)
            beside.replace(path)
        return
    with file, removed_at_the_end(beside):
        yield file
        file.flush()
        os.fchmod(file.fileno(), permissions)
        # With a descriptor Python calls linkat, which follows the link to the file without a name.
        os.link(OPEN_FILES / str(file.fileno()), beside, src_dir_fd=file.fileno())
        beside.replace(path)


def _without_name(folder: Path) -> BinaryIO | None:
    """A file that goes with the process, if the system and the file system have such; else None."""
    if not hasattr(os, "O_TMPFILE") or not OPEN_FILES.exists():
        return None
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600), "w+b")
    except OSError:
        return None


@contextmanager
def kept_file() -> Iterator[tuple[BinaryIO, Path]]:
    """A file for what comes from elsewhere, and its path, until the `with` block ends."""
    number, name = tempfile.mkstemp(prefix="anypair.")
    with removed_at_the_end(Path(name)), os.fdopen(number, "wb") as file:
        yield file, Path(name)


@contextmanager
def removed_at_the_end(path: Path) -> Iterator[None]:
    """Remove a file, if it is there, when the `with` block ends, or the process is told to end."""

    def remove_and_end(number: int, frame: FrameType | None) -> None:
        path.unlink(missing_ok=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    # Only the main thread can handle signals, and whoever handles them already has reasons.
    is_main = threading.current_thread() is threading.main_thread()
    heeded = [each for each in ENDING if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for number in heeded:
        signal.signal(number, remove_and_end)
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, signal.SIG_DFL)
        path.unlink(missing_ok=True)
