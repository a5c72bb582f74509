"""Folders of blocks, the matrices of backend `streamed`: read as edges, written, and converted to in
bounded memory.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.processes import Processes
from anypair.backends.streamed.backend import StreamedBackend, edges_as_entries
from anypair.backends.streamed.folder import Folder, one_for_all, open_folder
from anypair.config import resolve
from anypair.dtypes import BOOL, FLOAT64, Array
from anypair.errors import DuplicateEntries, FileError, InvalidValue, option
from anypair.inputs import as_binary, as_duplicates
from anypair.io.edges import SYMMETRIC, Content, Edges
from anypair.io.formats import choose
from anypair.io.options import ReadOptions
from anypair.io.packing import are_sparse
from anypair.io.reading import read, read_edges
from anypair.io.streams import Source
from anypair.semiring import BinaryOp, Monoid

READ_AT_ONCE = 1 << 26  # bytes of a file
BY_RANGES = ("tsv", "csv", "el", "graph500", "graph500-packed")  # formats that are read in parts
WITH_ENTRIES = ("vertices", "one_based", "n", "delimiter", "header", "columns", "limit", "start", "stop")


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """All entries, for backends that compute in memory; each process has all of them."""
    options.refuse(format, *WITH_ENTRIES)
    folder = open_folder(Path(str(path)))
    rows = np.repeat(np.arange(folder.shape[0]), np.diff(folder.starts))
    parts = [folder.load(block) for block in folder.blocks]
    columns = np.concatenate([np.empty(0, np.int64), *(part[0].astype(np.int64) for part in parts)])
    values: Array | None = np.concatenate([np.empty(0, folder.dtype), *(part[1] for part in parts)])
    assert values is not None
    is_pattern = folder.dtype == BOOL and bool(values.all())
    if options.weights and is_pattern:
        raise FileError(f"{path}: has no weights")
    if is_pattern or options.weights is False:
        values = None
    if not folder.symmetric:
        return Edges(rows, columns, values, folder.shape)
    lower = rows >= columns
    kept = None if values is None else values[lower]
    return Edges(rows[lower], columns[lower], kept, folder.shape, symmetry=SYMMETRIC)


def write_folder(path: Path, content: Content) -> None:
    """All entries of a matrix, in the place of what was there."""
    if content.names is not None:
        raise InvalidValue(
            f"write: a folder of blocks has no room for names; leave out {option('names')}"
        )
    values = content.values
    if content.is_pattern:
        values = one_for_all(np.ones(1, np.bool_), len(content.rows))
    parts = [(content.rows, content.columns, values)]
    _engine().save(
        path, parts, lambda: content.shape, values, None, symmetric=content.is_symmetric, durable=True
    )


def convert(
    source: Path,
    target: Path,
    *,
    format: str | None = None,
    symmetric: bool | None = None,
    duplicates: BinaryOp | Monoid | None = None,
    self_loops: bool = True,
    names: bool = True,
    **options: Any,
) -> Folder:
    """Turn a graph file into a folder of blocks, in the memory that backend `streamed` is given.

    Options are those of `read`. Edge lists of numbers, and Graph500's, are read in parts and sorted on
    disk; other formats, and vertices with names, are read as a whole. What was in the folder is replaced
    at the end; until then, and if this does not come to its end, it stays.
    """
    chosen = choose("read", source, format)
    in_parts = (
        chosen in BY_RANGES
        and source.is_file()
        and source.suffix.lower() != ".gz"
        and options.get("vertices", "auto") in ("auto", "numbers")
    )
    if in_parts:
        given = {"format": chosen, **options}
        for dtype in (options.get("dtype"), FLOAT64):  # weights may turn out not to be whole
            try:
                return _convert_parts(
                    source, target, symmetric, duplicates, self_loops, {**given, "dtype": dtype}
                )
            except _NotInParts:
                break
            except _OtherDType:
                continue
    loaded = read(
        source, format=chosen, symmetric=symmetric, duplicates=duplicates, self_loops=self_loops,
        backend=_engine(), **options,
    )  # fmt: skip
    if loaded.names is not None and names:
        raise InvalidValue(
            f"{source}: vertices have names, for which a folder of blocks has no room; "
            f"leave them out with {option('names', 'None')}"
        )
    return _engine().saved(loaded.matrix.storage, target, symmetric=loaded.matrix.is_symmetric)


class _NotInParts(Exception):
    """Numbers of vertices depend on all of the file."""


class _OtherDType(Exception):
    """A part has weights of another kind than the first one."""


def _convert_parts(
    source: Path,
    target: Path,
    symmetric: bool | None,
    duplicates: BinaryOp | Monoid | None,
    self_loops: bool,
    options: dict[str, Any],
) -> Folder:
    engine = _engine()
    size = source.stat().st_size
    seen = {"n": options.get("n") or 0, "edges": 0}

    def parts() -> Iterator[Edges]:
        step = max(min(READ_AT_ONCE, engine.memory_limit // 8), 1 << 12)
        for start in range(0, max(size, 1), step):
            edges = read_edges(source, **options, start=start, stop=min(start + step, size))
            if edges.names is not None:
                raise _NotInParts
            if len(edges):
                seen["edges"] += len(edges)
                seen["n"] = max(seen["n"], 1 + max(int(edges.sources.max()), int(edges.targets.max())))
            yield edges

    stream = parts()
    first = next(stream)
    values = _values(first)
    combine = as_duplicates(first.weights, duplicates)
    typed = None
    if combine is not None:
        typed = (
            as_binary("read", "duplicates", combine).typed(values.dtype, values.dtype).into(values.dtype)
        )

    def entries() -> Iterator[tuple[Array, Array, Array]]:
        edges: Edges | None = first
        while edges is not None:
            some = _values(edges)
            if some.dtype != values.dtype:
                raise _OtherDType
            yield edges_as_entries(
                edges.sources, edges.targets, some, symmetric=bool(symmetric), self_loops=self_loops
            )
            edges = next(stream, None)

    def shape() -> tuple[int, int]:
        if options.get("vertices", "auto") == "auto" and options.get("n") is None:
            if not seen["edges"]:
                raise _NotInParts  # which says what is wrong
            if are_sparse(seen["n"] - 1, seen["edges"]):
                raise _NotInParts
        return seen["n"], seen["n"]

    try:
        return engine.save(
            target, entries(), shape, values, typed, symmetric=bool(symmetric), durable=True
        )
    except DuplicateEntries as error:
        raise error.reworded(
            f"{source}: more than one entry at {error.place}; "
            f"say how to combine them, as in {option('duplicates', 'anypair.semiring.plus')}"
        ) from None


def _values(edges: Edges) -> Array:
    if edges.weights is not None:
        return edges.weights
    return one_for_all(np.ones(1, np.bool_), max(len(edges), 2))[: len(edges)]


def _engine() -> StreamedBackend:
    configured: Backend = resolve()
    engine = configured if configured.name == "streamed" else resolve("streamed")
    assert isinstance(engine, StreamedBackend)
    return engine
