"""Where compiled kernels are kept on disk: a file for each, checked before anything of it is used.

What a file holds runs with the caller's rights. So it is trusted only if its checksum is right and
if nobody but this user or root can have written it. Whatever is wrong with a file or with the folder
costs time and never an answer: the kernel is compiled anew, and stays in memory if it cannot be
written.
"""

import hashlib
import json
import os
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anypair.errors import AnypairError, InvalidValue

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FOLDER_VARIABLE = "ANYPAIR_CACHE"
LIMIT_VARIABLE = "ANYPAIR_CACHE_LIMIT"
MEGABYTE = 10**6
DEFAULT_LIMIT = 512  # megabytes, some ten thousand kernels

SUFFIX = ".anypair_kernel"
UNFINISHED = ".anypair_unfinished"  # compiled or written, or left by a process that was killed meanwhile
FORMAT = b"anypair kernel 2\n"
USED_LATELY = 3600.0  # seconds in which another use of a file is not noted
ABANDONED = 3600.0  # seconds after which nobody is still writing a file
PATIENCE, PAUSE = 60.0, 0.01  # seconds to wait for another process that compiles, and between two looks
KEPT_OF_FULL = 0.9  # what is left of a full folder: to make room for each file alone takes too long


class CacheRefused(AnypairError, RuntimeWarning):
    """A warning: the folder of compiled kernels is not safe, so they stay in memory."""


@dataclass(frozen=True)
class StoredKernel:
    """A kernel in the folder: what was said of it, its bytes, and when it was used last."""

    name: str
    about: Mapping[str, str]
    nbytes: int
    used: float

    @property
    def number(self) -> str:
        """A short name."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Usage:
    """How many kernels there are, and their bytes."""

    kernels: int
    nbytes: int


class KernelFolder:
    """Files of kernels, of at most so many bytes; without a path there is nothing and stays nothing."""

    def __init__(self, path: Path | None, limit: int) -> None:
        self.path = path
        self.limit = limit
        self._nbytes: int | None = None  # of all files, once somebody wants to write
        self._has_warned = False

    def read(self, name: str) -> bytes | None:
        """What was written under this name, if all of it is still as it was."""
        if self.path is None or self._is_refused():
            return None
        path = self.path / (name + SUFFIX)
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                content = b"" if _why_unsafe(status) else file.read()
        except OSError:
            return None
        head = FORMAT + _checksum(name, memoryview(content)[_HEAD:])
        if content[:_HEAD] != head:
            return None
        about = int.from_bytes(content[_HEAD : _HEAD + _LENGTH], "little")
        if time.time() - status.st_mtime > USED_LATELY:
            with suppress(OSError):
                os.utime(path)  # it was used: others go first where there is no room
        return content[_HEAD + _LENGTH + about :]

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name, which is not looked into."""
        return self.path is not None and (self.path / (name + SUFFIX)).exists()

    def write(self, name: str, content: bytes, about: Mapping[str, str] | None = None) -> None:
        """Keep this under a name, if that can be done; others see the whole file or none.

        What it is about can be read by whoever lists the folder.
        """
        said = zlib.compress(json.dumps(dict(about or {})).encode())
        content = len(said).to_bytes(_LENGTH, "little") + said + content
        if self.path is None or _HEAD + len(content) > self.limit:
            return
        with suppress(OSError):  # no room, no rights, no disk: it stays in memory
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_refused():
                self._make_room(_HEAD + len(content))
                self._write(self.path, name, content)

    @contextmanager
    def turn(self, name: str) -> Iterator[bool]:
        """Inside, others that need this kernel wait for it; False if this process has waited itself.

        Ranks that run in step need a kernel at the same time: one compiles it, the others read what it
        has written. Who has waited and finds nothing compiles at once: it seems that it cannot be kept.
        """
        descriptor = None
        if fcntl is not None and self.path is not None and self.limit and not self._is_refused():
            lock = self.path / (name + UNFINISHED)
            with suppress(OSError):
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        if descriptor is None:
            yield True
            return
        try:
            if is_first := _locked(descriptor):
                yield True
            else:
                end = time.monotonic() + PATIENCE
                while not _locked(descriptor) and time.monotonic() < end:
                    time.sleep(PAUSE)
        finally:
            _removed(str(lock))
            os.close(descriptor)
        if not is_first:
            yield False

    def _write(self, folder: Path, name: str, content: bytes) -> None:
        descriptor, unfinished = tempfile.mkstemp(suffix=UNFINISHED, dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(FORMAT + _checksum(name, memoryview(content)))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # or the name may reach the disk before the content
            os.replace(unfinished, folder / (name + SUFFIX))  # noqa: PTH105
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished)  # noqa: PTH108
            raise

    def why_refused(self) -> str | None:
        """Why nothing in the folder is trusted; None if it is, or if there is no folder."""
        if self.path is None:
            return None
        try:
            reason = _why_unsafe(self.path.stat())
        except OSError:
            return None
        return reason and f"{self.path} {reason}"

    def can_write(self) -> bool:
        """Whether new kernels are kept."""
        if self.path is None or self.why_refused():
            return False
        at = self.path
        while not at.exists() and at != at.parent:
            at = at.parent  # it is made when there is something to keep
        return at.is_dir() and os.access(at, os.W_OK | os.X_OK)

    def kernels(self) -> list[StoredKernel]:
        """What the folder holds, by name; nothing of it is trusted or used here."""
        found = []
        for used, nbytes, path in self._files():
            with suppress(OSError, ValueError, zlib.error), open(path, "rb") as file:  # noqa: PTH123
                if file.read(_HEAD)[: len(FORMAT)] == FORMAT:
                    length = int.from_bytes(file.read(_LENGTH), "little")
                    about = json.loads(zlib.decompress(file.read(min(length, nbytes))))
                    name = os.path.basename(path).removesuffix(SUFFIX)  # noqa: PTH119
                    found.append(StoredKernel(name, about, nbytes, used))
        return sorted(found, key=lambda kernel: kernel.name)

    def usage(self) -> Usage:
        """What the folder holds."""
        sizes = [size for _, size, _ in self._files()]
        return Usage(len(sizes), sum(sizes))

    def clear(self) -> Usage:
        """Remove all kernels, nothing else; returns what was removed."""
        if reason := self.why_refused():
            raise InvalidValue(f"{reason}: nothing is removed from it")
        removed = [size for _, size, path in self._files() if _removed(path)]
        self._nbytes = None
        return Usage(len(removed), sum(removed))

    def _is_refused(self) -> bool:
        """Whether the folder is not safe, with a warning the first time."""
        reason = self.why_refused()
        if reason and not self._has_warned:
            self._has_warned = True
            message = (
                f"{reason}: compiled kernels stay in memory; {FOLDER_VARIABLE} names another folder"
            )
            warnings.warn(message, CacheRefused, stacklevel=2)
        return reason is not None

    def _make_room(self, nbytes: int) -> None:
        """Remove what was not used for longest, if the folder would be too large."""
        if self._nbytes is None or self._nbytes + nbytes > self.limit:
            files = sorted(self._files())
            self._nbytes = sum(size for _, size, _ in files)
            if self._nbytes + nbytes > self.limit:
                for _, size, path in files:
                    if self._nbytes + nbytes <= KEPT_OF_FULL * self.limit:
                        break
                    _removed(path)
                    self._nbytes -= size
        self._nbytes += nbytes

    def _files(self) -> list[tuple[float, int, str]]:
        """When each kernel was used last, its size, and where it is; what was left unfinished goes."""
        found = []
        if self.path is not None:
            with suppress(OSError), os.scandir(self.path) as entries:
                for entry in entries:
                    if not entry.name.endswith((SUFFIX, UNFINISHED)):
                        continue
                    with suppress(OSError):  # another process has removed it
                        status = entry.stat(follow_symlinks=False)
                        if entry.name.endswith(SUFFIX):
                            found.append((status.st_mtime, status.st_size, entry.path))
                        elif time.time() - status.st_mtime > ABANDONED:
                            _removed(entry.path)
        return found


_HEAD = len(FORMAT) + hashlib.sha256().digest_size
_LENGTH = 4  # bytes of the length of what is said of a kernel, which comes before its content


def _checksum(name: str, content: memoryview) -> bytes:
    """Of the name too: the right content under another name is another kernel."""
    summed = hashlib.sha256(f"{name}\n".encode())
    summed.update(content)
    return summed.digest()


def _why_unsafe(status: os.stat_result) -> str | None:
    """Why others than this user and root may have written a file or folder."""
    if not hasattr(os, "geteuid"):  # Windows keeps users apart in their own folders
        return None
    if status.st_uid not in (os.geteuid(), 0):
        return f"belongs to another user (uid {status.st_uid})"
    if status.st_mode & 0o022:
        return "can be written by others (`chmod go-w` mends that)"
    return None


def _locked(descriptor: int) -> bool:
    """Whether this process has the lock of an open file, now or before; it ends with the process."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _removed(path: str) -> bool:
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        return False
    return True


@cache
def kernel_folder() -> KernelFolder:
    """The folder of this process: ANYPAIR_CACHE, or `anypair` in the user's cache."""
    return KernelFolder(_path(), _limit())


def _path() -> Path | None:
    given = os.environ.get(FOLDER_VARIABLE)
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    path = os.path.expanduser(given or os.path.join(base, "anypair"))  # noqa: PTH111, PTH118
    # Absolute now, whereto the process may change later; somebody without a home has no cache.
    return None if path.startswith("~") else Path(os.path.abspath(path))  # noqa: PTH100


def _limit() -> int:
    """The bytes that all kernels may take."""
    text = os.environ.get(LIMIT_VARIABLE) or str(DEFAULT_LIMIT)
    try:
        megabytes = float(text)
        if 0 <= megabytes < float("inf"):
            return int(megabytes * MEGABYTE)
    except ValueError:
        pass
    raise InvalidValue(
        f"{LIMIT_VARIABLE}={text!r} is not a number of megabytes, such as {DEFAULT_LIMIT}"
    )
