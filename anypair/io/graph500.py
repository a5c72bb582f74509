"""Binary edge lists of the Graph500 reference code: nothing but records, no header.

Plain: source and target as 64-bit numbers. Packed: three 32-bit words, the lower halves of source and
target, then their upper 16 bits, the target's on top. All little-endian.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import InvalidArgument, InvalidValue, option
from anypair.io.complaints import complaint
from anypair.io.edges import Content, Edges
from anypair.io.files import opened
from anypair.io.options import ReadOptions
from anypair.io.ranges import range_of_process
from anypair.io.streams import Source
from anypair.memory import require

RECORDS = {"graph500": 16, "graph500-packed": 12}
CHUNK = 1 << 20  # records
HALF = 2**32
PACKED_LIMIT = 2**47  # the sixteenth upper bit is a sign


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """The edges; with a range, or the share of this process, those whose record begins in it."""
    size = processes.together(lambda: _size(path, format, options), alike=True)
    processes.require_same(f"reading {size} bytes, {format}")
    if options.is_range:
        start = 0 if options.start is None else min(options.start, size)
        stop = size if options.stop is None else min(options.stop, size)
    else:
        start, stop = range_of_process(size, processes)
    record = RECORDS[format]
    first, last = -(-start // record), max(-(-stop // record), -(-start // record))
    ends = processes.together(lambda: _read(path, format, options.n, first, last))
    shape = None if options.n is None else (options.n, options.n)
    return Edges(ends[0], ends[1], None, shape, is_part=processes.count > 1)


def _size(path: Source, format: str, options: ReadOptions) -> int:
    """How many bytes of whole records there are."""
    refused = ("delimiter", "header", "columns", "weights", "one_based", "limit", "vertices")
    options.refuse(format, *refused)
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
    if size % RECORDS[format]:
        raise complaint(path, f"has {size} bytes, which is no multiple of {RECORDS[format]}, one edge")
    return size


def _read(path: Source, format: str, n: int | None, first: int, last: int) -> Array:
    """The ends of the edges from `first` to before `last`."""
    with opened(path) as file:
        require(16 * (last - first), f"{path}: holding its edges")
        ends = np.empty((2, last - first), np.int64)
        done = 0
        for part in _records(file, format, first, last):
            new = slice(done, done + part.shape[1])
            ends[:, new] = part
            if (wrong := _wrong(part, n)).any():
                at = int(np.argmax(wrong.any(axis=0)))
                source, target = part[:, at].tolist()
                limit = "" if n is None else f" to {n - 1}"
                what = f"edge {first + done + at} is ({source}, {target}); vertices count from 0{limit}"
                raise complaint(path, what)
            done += part.shape[1]
        if done < last - first:
            raise complaint(path, f"ended after {done} of {last - first} edges")
    return ends


def _records(file: BinaryIO, format: str, first: int, last: int) -> Iterator[Array]:
    record = RECORDS[format]
    file.seek(first * record)
    for begin in range(first, last, CHUNK):
        count = min(CHUNK, last - begin)
        data = file.read(count * record)
        data = data[: len(data) // record * record]
        if format == "graph500":
            yield np.frombuffer(data, "<i8").reshape(-1, 2).T
        else:
            words = np.frombuffer(data, "<u4").reshape(-1, 3).T.astype(np.int64)
            upper = np.stack([words[2] & 0xFFFF, words[2] >> 16])
            upper -= (upper >> 15) << 16
            yield words[:2] | (upper << 32)


def _wrong(ends: Array, n: int | None) -> Array:
    limit = np.iinfo(np.int64).max if n is None else n
    wrong: Array = (ends < 0) | (ends >= limit)
    return wrong


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """One record for each entry; weights have no place in this format."""
    if delimiter is not None:
        raise InvalidArgument(f"write: {option('delimiter')} means nothing for the format {format!r}")
    if content.names is not None or not content.is_pattern:
        what = "names" if content.names is not None else f"values of dtype {content.values.dtype}"
        raise InvalidArgument(
            f"write: Graph500 files hold bare edges, no {what}; cast the matrix or choose another format"
        )
    if format == "graph500-packed" and max(content.shape) > PACKED_LIMIT:
        raise InvalidValue(f"write: vertices of a packed file are below 2**47, not {max(content.shape)}")
    for begin in range(0, len(content.rows), CHUNK):
        part = slice(begin, begin + CHUNK)
        ends = np.stack([content.rows[part], content.columns[part]])
        if format == "graph500":
            file.write(ends.T.astype("<i8").tobytes())
        else:
            upper = (ends[0] >> 32) | ((ends[1] >> 32) << 16)
            file.write(np.stack([*(ends % HALF), upper], axis=1).astype("<u4").tobytes())
