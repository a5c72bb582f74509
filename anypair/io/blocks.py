"""Folders of blocks, the matrices of backend `streamed`: read as edges, written, and converted to in
bounded memory.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.processes import Processes
from anypair.backends.streamed.backend import StreamedBackend, kind_of
from anypair.backends.streamed.folder import Folder, one_for_all, open_folder
from anypair.config import resolve
from anypair.dtypes import BOOL, FLOAT64, Array
from anypair.errors import DuplicateEntries, FileError, InvalidValue, option
from anypair.inputs import as_binary, as_duplicates
from anypair.io.edges import SYMMETRIC, Content, Edges
from anypair.io.formats import choose
from anypair.io.options import ReadOptions, read_options
from anypair.io.packing import are_sparse, largest
from anypair.io.parts import NotInParts, file_parts
from anypair.io.reading import read
from anypair.io.streams import Source
from anypair.matrix import Matrix
from anypair.semiring import BinaryOp, Monoid

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


def write_matrix(path: Path, matrix: Matrix, names: Array | None) -> None:
    """All entries of a matrix, in the place of what was there; of one on disk piece by piece."""
    if matrix.backend.name == "streamed" and names is None:
        _engine_of(matrix).saved(matrix.storage, path, symmetric=matrix.is_symmetric)
        return
    rows, columns, values = matrix.to_entries()
    content = Content(rows, columns, values, (matrix.nrows, matrix.ncols), matrix.is_symmetric, names)
    matrix.backend.processes.on_first(lambda: _write_folder(path, content))


def _engine_of(matrix: Matrix) -> StreamedBackend:
    engine = matrix.backend
    assert isinstance(engine, StreamedBackend)
    return engine


def _write_folder(path: Path, content: Content) -> None:
    if content.names is not None:
        raise InvalidValue(
            f"write: a folder of blocks has no room for names; leave out {option('names')}"
        )
    values = content.values
    if content.is_pattern:
        values = one_for_all(np.ones(1, np.bool_), len(content.rows))
    parts = [(content.rows, content.columns, values)]
    _engine().save(
        path,
        parts,
        lambda: content.shape,
        kind_of(values),
        None,
        symmetric=content.is_symmetric,
        durable=True,
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

    Options are those of `read`. Text, also compressed, Parquet and Graph500's edges are read in parts
    and sorted on disk; NumPy's archives, and vertices that have names or numbers with gaps, are read as
    a whole. What was in the folder is replaced
    at the end; until then, and if this does not come to its end, it stays.
    """
    chosen = choose("read", source, format)
    given = read_options("read", **options)
    for dtype in (given.dtype, FLOAT64):  # weights may turn out not to be whole
        try:
            in_parts = replace(given, dtype=dtype)
            return _convert_parts(source, target, chosen, symmetric, duplicates, self_loops, in_parts)
        except NotInParts:
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


class _OtherDType(Exception):
    """A part has weights of another kind than the first one."""


def _convert_parts(
    source: Path,
    target: Path,
    format: str,
    symmetric: bool | None,
    duplicates: BinaryOp | Monoid | None,
    self_loops: bool,
    options: ReadOptions,
) -> Folder:
    engine = _engine()
    parts = file_parts(source, format, options, max(engine.memory_limit // 8, 1 << 12))
    if (first := next(parts, None)) is None:
        raise NotInParts
    values = _values(first)
    combine = as_duplicates(first.weights, duplicates)
    typed = None
    if combine is not None:
        typed = (
            as_binary("read", "duplicates", combine).typed(values.dtype, values.dtype).into(values.dtype)
        )
    mirrored = first.symmetry == SYMMETRIC if symmetric is None else symmetric
    is_graph = first.shape is None or first.shape[0] == first.shape[1]
    if not is_graph and (mirrored or not self_loops):
        raise NotInParts  # which says why
    seen = {"n": 0, "edges": 0}

    def entries() -> Iterator[tuple[Array, Array, Array]]:
        for edges in chain([first], parts):
            some = _values(edges)
            if some.dtype != values.dtype:
                raise _OtherDType
            if len(edges):
                seen["edges"] += len(edges)
                seen["n"] = max(seen["n"], 1 + largest(edges.sources, edges.targets))
            yield edges.sources, edges.targets, some

    def shape() -> tuple[int, int]:
        if first.shape is not None:
            return first.shape
        if options.n is not None:
            return options.n, options.n
        if not seen["edges"] or (
            options.vertices == "auto" and are_sparse(seen["n"] - 1, seen["edges"])
        ):
            raise NotInParts  # which says what is wrong, or packs the numbers
        return seen["n"], seen["n"]

    try:
        kind = kind_of(values, symmetric=mirrored, self_loops=self_loops)
        return engine.save(target, entries(), shape, kind, typed, durable=True)
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
