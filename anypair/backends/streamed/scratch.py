"""Folders for matrices that operations make: they go with the matrix, and with the process."""

import os
import shutil
import signal
import tempfile
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from anypair.errors import FileUnreadable

PREFIX = "anypair-blocks."
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

_roots: dict[tuple[int, str], Path] = {}  # by process, as a fork has its own


class Owner:
    """A folder that is removed when nobody refers to it any more."""

    def __init__(self, parent: str) -> None:
        try:
            self.path = Path(tempfile.mkdtemp(dir=_root(parent)))
        except OSError as error:
            raise FileUnreadable(
                f"{parent or 'folder for temporary files'}: cannot be written: {error.strerror}; "
                "what operations of backend 'streamed' make is kept there, unless "
                "option scratch names another folder"
            ) from error
        weakref.finalize(self, _remove, self.path, os.getpid())


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:  # a fork inherits the folders of its parent, and must leave them
        shutil.rmtree(path, ignore_errors=True)


def _root(parent: str) -> Path:
    """The folder of this process, in which all others are."""
    key = os.getpid(), parent
    if key not in _roots or not _roots[key].is_dir():
        where = Path(parent or tempfile.gettempdir())
        _remove_orphans(where)
        root = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}.", dir=where))
        _roots[key] = root
        weakref.finalize(_lives_as_long_as_the_process, _remove, root, os.getpid())
        _remove_when_told_to_end()
    return _roots[key]


def _lives_as_long_as_the_process() -> None:
    """What finalizers of root folders are tied to."""


def _remove_orphans(where: Path) -> None:
    """What processes left that were killed."""
    for path in where.glob(f"{PREFIX}*"):
        number = path.name.removeprefix(PREFIX).partition(".")[0]
        with suppress(OSError, ValueError):
            if path.stat().st_uid == os.getuid() and not _is_running(int(number)):
                shutil.rmtree(path, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _remove_when_told_to_end() -> None:
    def remove_and_end(number: int, frame: FrameType | None) -> Any:
        for (process, _), root in list(_roots.items()):
            _remove(root, process)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    # Only the main thread can handle signals, and whoever handles them already has reasons.
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, remove_and_end)
