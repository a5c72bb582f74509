"""A file's edges part by part, so that they need never be in memory all at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from anypair.backends.processes import Processes
from anypair.errors import AnypairError, FileUnreadable
from anypair.io.edges import SKEW, Edges
from anypair.io.files import text_file
from anypair.io.formats import FORMATS
from anypair.io.options import ReadOptions
from anypair.io.streams import Source, Stream
from anypair.io.temporary import kept_file

READ_AT_ONCE = 1 << 26  # bytes of a file
TEXT = ("tsv", "csv", "el", "mtx")
BY_RANGES = (*TEXT, "graph500", "graph500-packed")  # which are read by ranges of bytes


class NotInParts(Exception):
    """What the file holds can only be told, or refused, by who reads all of it."""


def file_parts(path: Path, format: str, options: ReadOptions, nbytes: int) -> Iterator[Edges]:
    """The edges, from ranges of at most so many bytes, or from row groups; `NotInParts` if that cannot
    be, as where numbers have to be packed.
    """
    if not path.is_file() or options.vertices not in ("auto", "numbers"):
        raise NotInParts
    if format == "parquet":
        parts = _row_groups(path, options)
    elif format in BY_RANGES:
        parts = _ranges(path, format, options, min(nbytes, READ_AT_ONCE))
    else:
        raise NotInParts
    for edges in parts:
        if edges.names is not None or edges.symmetry == SKEW:
            raise NotInParts
        yield edges


def _ranges(path: Path, format: str, options: ReadOptions, step: int) -> Iterator[Edges]:
    reader = FORMATS[format].load()
    with _unpacked(path, format, options.limit) as source:
        plain = replace(options, limit=None) if isinstance(source, Stream) else options
        promised = _promise(path, format, options)
        size = (source.kept if isinstance(source, Stream) else source).stat().st_size
        found = 0
        for start in range(0, max(size, 1), step):
            part = replace(plain, start=start, stop=min(start + step, size))
            edges: Edges = reader.read_file(source, format, part, Processes())
            found += len(edges)
            yield edges
        if promised is not None and found != promised:
            raise NotInParts  # which says where it ends


def _promise(path: Path, format: str, options: ReadOptions) -> int | None:
    """How many entries the file says it has."""
    if format != "mtx":
        return None
    from anypair.io.matrix_market import header_of

    header = header_of(path, options)
    if header.is_array:
        raise NotInParts
    return header.entries


@contextmanager
def _unpacked(path: Path, format: str, limit: int | None) -> Iterator[Source]:
    """The file itself, or what is in it, in a file for the time being."""
    if format not in TEXT or not (file := text_file(path, limit)).compressed:
        yield path
        return
    with kept_file() as (kept, place):
        buffer = memoryview(bytearray(1 << 20))
        try:
            with file.open() as reader:
                while got := reader.readinto(buffer):
                    kept.write(buffer[:got])
            kept.flush()
        except OSError as error:
            if isinstance(error, FileUnreadable):
                raise
            raise FileUnreadable(f"{place.parent}: cannot be written: {error.strerror}") from error
        yield Stream(path, place)


def _row_groups(path: Path, options: ReadOptions) -> Iterator[Edges]:
    from anypair.io.parquet import read_groups

    try:
        yield from read_groups(path, options)
    except AnypairError as error:
        raise NotInParts from error
