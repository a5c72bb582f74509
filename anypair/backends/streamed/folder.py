"""The format of a folder of blocks, version 1; docs/streamed.md specifies it.

Data files are written once and never changed; the manifest, which names them, is replaced in one step.
So whoever opens the folder sees the old matrix or the new one; what a killed writer left is not named.
"""

import json
import os
import secrets
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.grid import WORD
from anypair.backends.streamed.data_file import AT_ONCE, CHUNK, DataFile, aligned, write_data
from anypair.compiling.modules import load_file
from anypair.dtypes import SUPPORTED, Array, DType
from anypair.errors import FileError, FileUnreadable
from anypair.memory import require

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

FORMAT, VERSION = "anypair blocks", 1
MANIFEST = "manifest.json"
SPILLED = ".sorting."  # how folders begin that a sort uses
STARTS = np.dtype("<i8")

rows_kernels: Any = load_file(Path(__file__).parent / "kernels" / "rows.py")


def index_dtype(ncols: int) -> DType:
    """How columns are stored."""
    return np.dtype("<u4" if ncols < 2**32 else "<i8")


@dataclass(eq=False)
class Block:
    """The rows `first` to `last`: columns and values of their entries, or one value for all."""

    file: DataFile
    first: int
    last: int
    nvals: int
    value: Any  # None: each entry has its own
    checked: bool = False


@dataclass(eq=False)
class Folder:
    """A matrix on disk. `starts`, which says where rows begin among all entries, is kept in memory."""

    path: Path
    shape: tuple[int, int]
    dtype: DType
    starts: Array
    blocks: list[Block]
    symmetric: bool
    owner: Any = None  # what removes the folder when it goes

    @property
    def nvals(self) -> int:
        return int(self.starts[-1])

    def load(self, block: Block) -> tuple[Array, Array]:
        """Columns and values of a block, mapped; checked only once, as files do not change."""
        columns, values = self._arrays(block, content := block.file.map())
        if not block.checked:
            for begin in range(0, block.file.nbytes, AT_ONCE):
                end = min(begin + AT_ONCE, block.file.nbytes)
                block.file.check(content, begin, end)
                block.file.release(begin, end)
            self._check_columns(block, columns)
            block.checked = True
        return columns, values

    def take(
        self, block: Block, rows: Array, places: Array, columns: Array, values: Array | None
    ) -> None:
        """Copy rows of a block to these places, their values if there is room for them; little else is
        read.
        """
        own_columns, own_values = self._arrays(block, content := block.file.map())
        before = self.starts[block.first]
        if not block.checked:
            begins, counts = self.starts[rows] - before, self.starts[rows + 1] - self.starts[rows]
            self._check_ranges(block, content, 0, own_columns.itemsize, begins, counts)
            if block.value is None:
                at = aligned(own_columns.nbytes)
                self._check_ranges(block, content, at, own_values.itemsize, begins, counts)
        greatest = rows_kernels.copy_columns(rows, self.starts, before, own_columns, places, columns)
        if not block.checked and greatest >= self.shape[1]:
            raise FileError(f"{block.file.path}: a column is beyond the last one, {self.shape[1] - 1}")
        if values is not None:
            rows_kernels.copy_values(rows, self.starts, before, own_values, places, values)

    @staticmethod
    def _check_ranges(
        block: Block, content: Array, offset: int, size: int, begins: Array, counts: Array
    ) -> None:
        """Check the chunks that these ranges of an array at `offset` lie in."""
        begins, counts = begins[counts > 0], counts[counts > 0]
        marks = np.zeros(len(content) // CHUNK + 2, np.int64)
        np.add.at(marks, (offset + begins * size) // CHUNK, 1)
        np.add.at(marks, (offset + (begins + counts) * size - 1) // CHUNK + 1, -1)
        for chunk in np.flatnonzero(np.cumsum(marks)).tolist():
            block.file.check(content, chunk * CHUNK, min((chunk + 1) * CHUNK, len(content)))

    def _arrays(self, block: Block, content: Array) -> tuple[Array, Array]:
        dtype = index_dtype(self.shape[1])
        columns = content[: block.nvals * dtype.itemsize].view(dtype)
        if block.value is not None:
            return columns, one_for_all(np.array([block.value], self.dtype), block.nvals)
        at = aligned(columns.nbytes)
        return columns, content[at : at + block.nvals * self.dtype.itemsize].view(self.dtype)

    def _check_columns(self, block: Block, columns: Array) -> None:
        before, most = int(self.starts[block.first]), AT_ONCE // columns.itemsize
        row = block.first
        while row < block.last:  # as many rows as are mapped at a time, at least one
            last = int(np.searchsorted(self.starts, self.starts[row] + most, "right")) - 1
            last = min(max(last, row + 1), block.last)
            if not rows_kernels.are_in_order(row, last, self.starts, before, columns, self.shape[1]):
                raise FileError(f"{block.file.path}: columns are out of range or out of order")
            begin, end = (int(self.starts[at]) - before for at in (row, last))
            block.file.release(begin * columns.itemsize, end * columns.itemsize)
            row = last


def one_for_all(value: Array, count: int) -> Array:
    """One value for so many entries, as backends take it: an array of stride 0."""
    if count < 2:
        return value[:count].copy()
    return np.ndarray((count,), value.dtype, value[:1].copy(), strides=(0,))


def open_folder(path: Path) -> Folder:
    """The matrix in a folder; what is wrong with it is said with the file."""
    said = _read_manifest(path / MANIFEST)
    try:
        nrows, ncols = said["shape"]
        shape = (_whole(nrows), _whole(ncols))
        dtype = np.dtype(str(said["dtype"]))
        symmetric = said["symmetric"]
        rows = DataFile(path / _name(said["rows"]["file"]), _whole(said["rows"]["bytes"]))
        blocks = [
            Block(
                DataFile(path / _name(row["file"]), _whole(row["bytes"])),
                first=_whole(row["first"]),
                last=_whole(row["last"]),
                nvals=_whole(row["nvals"]),
                value=row["value"],
            )
            for row in said["blocks"]
        ]
        edges = [0, *(b.last for b in blocks)]  # of rows
        if dtype not in SUPPORTED or str(dtype) != said["dtype"]:
            raise ValueError("dtype")
        if rows.nbytes != STARTS.itemsize * (shape[0] + 1):
            raise ValueError("bytes of rows")
        if edges[:-1] != [b.first for b in blocks] or edges != sorted(edges) or edges[-1] != shape[0]:
            raise ValueError("rows of blocks")
        if not isinstance(symmetric, bool) or (symmetric and shape[0] != shape[1]):
            raise ValueError("symmetric")
        for block in blocks:
            columns = index_dtype(shape[1]).itemsize * block.nvals
            values = 0 if block.value is not None else dtype.itemsize * block.nvals
            if block.file.nbytes != (columns if not values else aligned(columns) + values):
                raise ValueError("bytes of a block")
            if block.value is not None:
                _check_value(block.value, dtype)
        if _whole(said["nvals"]) != sum(block.nvals for block in blocks):
            raise ValueError("nvals")
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise FileError(f"{path / MANIFEST}: does not describe a matrix ({error!r})") from error
    require(rows.nbytes, f"{path}: where {shape[0]} rows begin")
    content = rows.map()
    rows.check(content, 0, rows.nbytes)
    starts = np.array(content.view(STARTS).astype(np.int64))
    marks = [0, *(int(starts[b.last]) for b in blocks)]
    if starts[0] or (starts[1:] < starts[:-1]).any() or marks[-1] != starts[-1]:
        raise FileError(f"{rows.path}: rows are out of order")
    if [after - before for before, after in pairwise(marks)] != [b.nvals for b in blocks]:
        raise FileError(f"{rows.path}: rows and blocks have different numbers of entries")
    return Folder(path, shape, dtype, starts, blocks, symmetric)


def _read_manifest(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and path.parent.is_dir():
            raise FileUnreadable(
                f"{path.parent}: is no folder of blocks: it has no {MANIFEST}"
            ) from error
        raise FileUnreadable(f"{path.parent}: {error.strerror}") from error
    try:
        said = json.loads(text)
        checksum = said.pop("crc32")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise FileError(f"{path}: is no manifest of a folder of blocks") from error
    if said.get("format") != FORMAT:
        raise FileError(f"{path}: is no manifest of a folder of blocks")
    if said.get("version") != VERSION:
        raise FileError(
            f"{path}: has version {said.get('version')!r} of the format, and this reads {VERSION}; "
            "convert the source again, or use the anypair that wrote it"
        )
    if zlib.crc32(_canonical(said)) != checksum:
        raise FileError(f"{path}: is damaged, its checksum is wrong")
    return said  # type: ignore[no-any-return]


def _canonical(said: Mapping[str, Any]) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()


def _whole(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**62:
        raise ValueError(f"{number!r} is not a whole number")
    return number


def _check_value(value: Any, dtype: DType) -> None:
    """Raise unless this is a number that the dtype can hold as it is."""
    if not isinstance(value, bool | int | float) or np.array([value], dtype)[0] != value:
        raise ValueError(f"{value!r} is no value of {dtype}")


def _name(name: Any) -> str:
    if not isinstance(name, str) or Path(name).name != name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a file")
    return name


@contextmanager
def reserved(path: Path) -> Iterator[None]:
    """The folder, made if need be, for this writer alone: another one would remove what it writes.

    The lock ends with the process. A folder that is still empty at the end goes, if it was made here.
    """
    try:
        is_new = not path.exists()
        path.mkdir(parents=True, exist_ok=True)
        descriptor = None if fcntl is None else os.open(path, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(path, str(error.strerror)) from error
    try:
        if descriptor is not None:
            _lock(path, descriptor)
        yield
    finally:
        if is_new:
            with suppress(OSError):
                path.rmdir()
        if descriptor is not None:
            os.close(descriptor)


def _lock(path: Path, descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise _unwritable(path, "somebody else is writing there") from error
    except OSError:  # a file system without locks
        pass


def _unwritable(path: Path, why: str) -> FileUnreadable:
    return FileUnreadable(f"{path}: cannot be written: {why}")


class FolderWriter:
    """Writes a matrix row by row; the folder has it once `finish` has been called, and not before."""

    def __init__(self, path: Path, shape: tuple[int, int], dtype: DType, block_bytes: int) -> None:
        self.path = path
        self.shape = shape
        self.dtype = dtype
        self._block_bytes = block_bytes
        self._token = secrets.token_hex(6)
        self._counts = np.zeros(shape[0], np.int64)
        self._waiting: list[tuple[Array, Array]] = []
        self._bytes = 0  # of what is waiting
        self._rows = [0, 0]  # of what is waiting
        self._blocks: list[dict[str, Any]] = []
        self._own: list[Path] = []

    def append(self, last: int, counts: Array, columns: Array, values: Array) -> None:
        """The next rows, up to `last`: how many entries each has, and their columns and values.

        Blocks end before they are too large, and where a word of a mask ends if they can.
        """
        first = self._rows[1]
        self._counts[first:last] = counts
        size = index_dtype(self.shape[1]).itemsize + (0 if _is_one(values) else values.itemsize)
        ends = np.cumsum(counts)
        row, done = 0, 0
        while row < last - first:
            room = max((self._block_bytes - self._bytes) // size, 0)
            following = int(np.searchsorted(ends, done + room, "right"))
            is_full = following < last - first
            word = (first + following) // WORD * WORD - first
            if is_full and word > row:
                following = word
            ends_a_word = is_full and word == row
            if (ends_a_word or following <= row) and self._rows[0] < first + row:
                self._flush()
                continue
            following = max(following, row + 1)
            end = int(ends[following - 1])
            kept = columns[done:end].astype(index_dtype(self.shape[1]), copy=False)
            self._waiting.append((kept, values[done:end]))
            self._bytes += size * len(kept)
            self._rows[1] = first + following
            if is_full:
                self._flush()
            row, done = following, end
        if self._waiting:  # what is waiting has to leave the caller's memory alone, which may be mapped
            kept, own = self._waiting[-1]
            self._waiting[-1] = (kept.copy(), own if _is_one(own) else own.copy())

    def _flush(self) -> None:
        first, last = self._rows
        if first == last:
            return
        columns = np.concatenate([c for c, _ in self._waiting])
        value = _common([v for _, v in self._waiting if len(v)])
        parts = [columns]
        if value is None and len(columns):
            parts.append(np.concatenate([v for _, v in self._waiting]))
        name = f"{self._token}-{len(self._blocks)}.block"
        nbytes = self._write(name, *parts)
        stated = {"file": name, "first": first, "last": last, "nvals": len(columns), "bytes": nbytes}
        self._blocks.append({**stated, "value": 0 if not len(columns) else value})
        self._waiting, self._bytes, self._rows[0] = [], 0, last

    def _write(self, name: str, *parts: Array) -> int:
        self._own.append(self.path / name)
        try:
            return write_data(self.path / name, *parts)
        except OSError as error:
            self.abort()
            raise _unwritable(self.path, str(error.strerror)) from error

    def finish(self, *, symmetric: bool = False, durable: bool = False) -> Folder:
        """The folder, with this matrix and nothing else in it; `durable`: also after a power failure."""
        if self._rows[1] < self.shape[0]:
            self._rows[1] = self.shape[0]
        self._flush()
        starts = np.concatenate([[0], np.cumsum(self._counts)])
        name = f"{self._token}.rows"
        nbytes = self._write(name, starts.astype(STARTS))
        said: dict[str, Any] = {
            "format": FORMAT, "version": VERSION, "shape": list(self.shape), "dtype": str(self.dtype),
            "nvals": int(starts[-1]), "symmetric": symmetric, "rows": {"file": name, "bytes": nbytes},
            "blocks": self._blocks,
        }  # fmt: skip
        said["crc32"] = zlib.crc32(_canonical(said))
        new = self.path / f"{self._token}.manifest"
        self._own.append(new)
        try:
            if durable:
                for path in self._own[:-1]:
                    _synchronize(path)
            new.write_text(json.dumps(said, indent=1) + "\n", "utf-8")
            if durable:
                _synchronize(new)
            new.replace(self.path / MANIFEST)
        except OSError as error:
            self.abort()
            raise _unwritable(self.path, str(error.strerror)) from error
        self._remove_others()
        return open_folder(self.path)

    def abort(self) -> None:
        """Remove what has been written so far; what was in the folder before stays."""
        for path in self._own:
            path.unlink(missing_ok=True)

    def _remove_others(self) -> None:
        """Files of the matrix that was here before, and of writers that did not come to an end."""
        for path in self.path.iterdir():
            if path.suffix in (".block", ".rows", ".manifest") and path not in self._own:
                path.unlink(missing_ok=True)
            elif path.name.startswith(SPILLED):
                shutil.rmtree(path, ignore_errors=True)


def _synchronize(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _is_one(values: Array) -> bool:
    return len(values) > 1 and values.strides == (0,)


def _common(parts: list[Array]) -> Any:
    """The value that all entries have, if that is known at a glance; None otherwise."""
    if not parts:
        return None
    if parts[0].dtype == bool:
        return True if all((_is_one(p) and p[0]) or p.all() for p in parts) else None
    first = parts[0][0]
    same = all((_is_one(p) or len(p) == 1) and p[0] == first for p in parts)
    return first.item() if same and np.isfinite(first) and (first or not np.signbit(first)) else None
