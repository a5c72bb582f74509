"""Writing a file: as a whole or not at all."""

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from anypair.dtypes import Array
from anypair.errors import FileUnreadable, InvalidArgument
from anypair.io.edges import Content, check_names
from anypair.io.formats import FORMATS, choose
from anypair.io.streams import STDOUT
from anypair.io.temporary import new_file
from anypair.matrix import Matrix


def write(
    path: str | Path,
    matrix: Matrix,
    names: Any = None,
    format: str | None = None,
    *,
    delimiter: str | None = None,
) -> None:
    """Write a matrix to a file; `names[v]` stands for vertex v there if names are given.

    The format goes by the suffix. Whoever reads the file meanwhile sees the old content or the new.
    On a grid all ranks gather the entries, and the first one writes them.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "friends.tsv")
    >>> write(path, Matrix.from_edges([0], [1], [2.5]), names=["Ann", "Bob"])
    >>> path.read_text()
    'Ann\\tBob\\t2.5\\n'
    >>> folder.cleanup()
    """
    if not isinstance(matrix, Matrix):
        raise InvalidArgument(f"write: {type(matrix).__name__} is no Matrix")
    processes = matrix.backend.processes
    where = Path(path)

    def prepare() -> tuple[str, Any, Array | None]:
        chosen = choose("write", where, format)
        return chosen, FORMATS[chosen].load(), check_names("write", names, matrix)

    chosen, module, called = processes.together(prepare, alike=True)
    processes.require_same(f"write({str(path)!r}, format={chosen!r}, delimiter={delimiter!r})")
    if chosen == "blocks":
        module.write_matrix(where, matrix, called)
        return
    rows, columns, values = matrix.to_entries()
    content = Content(rows, columns, values, (matrix.nrows, matrix.ncols), matrix.is_symmetric, called)
    processes.on_first(lambda: _write(where, module, chosen, content, delimiter))


def _write(where: Path, module: Any, chosen: str, content: Content, delimiter: str | None) -> None:
    with replacing(where) as file:
        if where.suffix.lower() == ".gz":
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
                module.write_file(packed, chosen, content, delimiter)
        else:
            module.write_file(file, chosen, content, delimiter)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of the old one when all is written."""
    if path == STDOUT:
        with _stdout() as out:
            yield out
        return
    path = path.resolve()  # a link stays a link
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as device:
                yield device
            return
        with new_file(path, _permissions(path)) as file:
            yield file
    except OSError as error:
        if isinstance(error, FileUnreadable):
            raise
        reason = "there is no such folder" if isinstance(error, FileNotFoundError) else error.strerror
        raise FileUnreadable(f"{path}: cannot be written: {reason}") from error


@contextmanager
def _stdout() -> Iterator[BinaryIO]:
    if (bytes_below := getattr(sys.stdout, "buffer", None)) is not None:
        yield bytes_below
        return
    written = BytesIO()  # a notebook, or io.StringIO, takes text alone
    yield written
    try:
        sys.stdout.write(written.getvalue().decode())
    except UnicodeDecodeError:
        raise FileUnreadable("stdout takes text alone here; give the name of a file") from None


def _permissions(path: Path) -> int:
    """Those of the file that is replaced, or of a new file."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
