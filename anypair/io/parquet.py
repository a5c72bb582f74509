"""Parquet files with a row for each edge, read row group by row group."""

import json
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import (
    AnypairError,
    IndexOutOfRange,
    InvalidArgument,
    InvalidValue,
    UnsupportedDType,
    option,
)
from anypair.io.columns import SAMPLE, TITLES, Columns, choose_columns
from anypair.io.complaints import complaint, reason_of, shown
from anypair.io.edges import GENERAL, SYMMETRIC, Content, Edges, texts_of
from anypair.io.files import opened
from anypair.io.options import VERTICES, ReadOptions
from anypair.io.ranges import range_of_process
from anypair.io.streams import Source
from anypair.io.tables import edges_of_columns
from anypair.memory import require

KEY = b"anypair"
GROUP = 1 << 20  # rows


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a file, one after another."""

    groups: range
    first: int  # row
    rows: int


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """The edges, of the columns asked for or else those that their titles tell.

    A row group belongs to the process in whose share of the rows it begins.
    """
    options.refuse(format, "delimiter", "header", "limit", "start", "stop")
    sizes, columns, facts = processes.together(lambda: _inspect(path, options), alike=True)
    processes.require_same(f"reading {columns} of {sum(sizes)} rows in {len(sizes)} groups, {facts}")
    part = _part(sizes, processes)
    arrays = processes.together(lambda: _read(path, columns, part))
    if options.vertices == "auto" and options.n is None and facts.get("vertices") in VERTICES:
        options = replace(options, vertices=facts["vertices"])
    with _named(path):
        edges = edges_of_columns(
            f"{path}", arrays, columns, options, facts.get("shape"), processes, first=part.first
        )
    symmetry = SYMMETRIC if facts.get("symmetric") else GENERAL
    return replace(edges, symmetry=symmetry, is_part=processes.count > 1)


def read_groups(path: Source, options: ReadOptions) -> Iterator[Edges]:
    """As `read_file`, row group by row group; vertices are numbers, not to be packed."""
    options.refuse("parquet", "delimiter", "header", "limit", "start", "stop")
    sizes, columns, facts = _inspect(path, options)
    if facts.get("vertices") in VERTICES and facts["vertices"] != "numbers":
        raise InvalidValue(f"{path}: vertices are {facts['vertices']}")
    options = replace(options, vertices="numbers")
    first = 0
    for group, size in enumerate(sizes):
        arrays = _read(path, columns, RowGroups(range(group, group + 1), first, size))
        with _named(path):
            edges = edges_of_columns(
                f"{path}", arrays, columns, options, facts.get("shape"), Processes(), first=first
            )
        yield replace(edges, symmetry=SYMMETRIC if facts.get("symmetric") else GENERAL)
        first += size


def _inspect(path: Source, options: ReadOptions) -> tuple[list[int], Columns, dict[str, Any]]:
    """How many rows each group has, the columns to read, and what we wrote beside them."""
    with _content(path) as content:
        titles = content.schema_arrow.names
        chosen = choose_columns(titles, len(titles), options, lambda: _sample(content))
        for place in chosen.places:
            if titles.count(titles[place]) > 1:
                raise InvalidArgument(
                    f"has several columns {shown(titles[place])}, which cannot be told apart"
                )
        metadata = content.metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        return sizes, chosen, _facts(content.schema_arrow.metadata)


def _part(sizes: list[int], processes: Processes) -> RowGroups:
    starts = [0, *accumulate(sizes)]
    begin, end = (
        bisect_left(starts, row, hi=len(sizes)) for row in range_of_process(starts[-1], processes)
    )
    return RowGroups(range(begin, end), starts[begin], starts[end] - starts[begin])


def _read(path: Source, columns: Columns, part: RowGroups) -> list[Array]:
    require(24 * part.rows, f"{path}: holding its edges")
    with _content(path) as content:
        titles = content.schema_arrow.names
        return _collect(path, content, [titles[place] for place in columns.places], part)


def _sample(content: Any) -> list[Array]:
    batch = next(content.iter_batches(batch_size=SAMPLE), None)
    if batch is None:
        return [np.empty(0) for _ in content.schema_arrow.names]
    return [column.to_numpy(zero_copy_only=False) for column in batch.columns]


@contextmanager
def _content(path: Source) -> Iterator[Any]:
    """The file as pyarrow gives it; what pyarrow says against it becomes our error."""
    import pyarrow
    import pyarrow.parquet

    with opened(path) as file:
        try:
            yield pyarrow.parquet.ParquetFile(file)
        except InvalidArgument as error:
            raise complaint(path, error.marked) from None
        except AnypairError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise complaint(path, f"is no Parquet file ({reason_of(error)})") from error


@contextmanager
def _named(path: Source) -> Iterator[None]:
    """Errors about columns as errors about the file."""
    try:
        yield
    except (IndexOutOfRange, InvalidValue, UnsupportedDType) as error:
        raise complaint(path, error.marked.removeprefix(f"{path}: ")) from None


def _facts(metadata: Any) -> dict[str, Any]:
    """What we wrote beside the columns."""
    try:
        facts = json.loads((metadata or {}).get(KEY, b"{}"))
        shape = facts.get("shape")
        if shape is not None:
            facts["shape"] = (int(shape[0]), int(shape[1]))
        return dict(facts)
    except (ValueError, TypeError, IndexError, AttributeError):
        return {}


def _collect(path: Source, content: Any, chosen: list[str], part: RowGroups) -> list[Array]:
    """The columns as arrays, filled group by group."""
    import pyarrow

    schema = content.schema_arrow
    columns: list[Array] = []
    for title in chosen:
        empty = pyarrow.array([], schema.field(title).type).to_numpy(zero_copy_only=False)
        columns.append(np.empty(part.rows, empty.dtype))
    done = 0
    for batch in content.iter_batches(batch_size=GROUP, row_groups=list(part.groups), columns=chosen):
        given = [batch.column(batch.schema.get_field_index(title)) for title in chosen]
        if missing := [
            (column.is_null().to_pylist().index(True), title)
            for column, title in zip(given, chosen, strict=True)
            if column.null_count
        ]:
            row, title = min(missing, key=lambda each: each[0])
            raise complaint(
                path, f"has no value in column {shown(title)}, row {part.first + done + row}"
            )
        for column, title, values in zip(columns, chosen, given, strict=True):
            column[done : done + len(batch)] = _as_text(path, title, values).to_numpy(
                zero_copy_only=False
            )
        done += len(batch)
    return columns


def _as_text(path: Source, title: str, column: Any) -> Any:
    """A column of bytes as text, which is what writers without a type for text mean by them."""
    import pyarrow

    types = pyarrow.types
    are_bytes = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    if not any(test(column.type) for test in are_bytes):
        return column
    try:
        return column.cast(pyarrow.binary()).cast(pyarrow.string())
    except pyarrow.ArrowInvalid:
        raise complaint(path, f"has bytes in column {shown(title)} that are no text in UTF-8") from None


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """Columns source, target and, unless all are True, weight; the shape stands beside them."""
    import pyarrow
    import pyarrow.parquet

    if delimiter is not None:
        raise InvalidArgument(f"write: {option('delimiter')} means nothing for the format {format!r}")
    names = content.names
    facts: dict[str, Any] = {"shape": content.shape}
    if names is not None:
        facts = {"vertices": "names" if names.dtype == object else "ids"}
        names = np.array(texts_of("write", names), object) if names.dtype == object else names
    is_pattern = content.is_pattern
    if content.is_symmetric:
        facts["symmetric"] = True
        content = content.lower()
    ends = [content.rows, content.columns]
    if names is not None:
        ends = [names[places] for places in ends]
    held = [*ends, *([] if is_pattern else [content.values])]
    table = pyarrow.table(dict(zip(TITLES, held, strict=False)))
    table = table.replace_schema_metadata({KEY: json.dumps(facts)})
    pyarrow.parquet.write_table(table, file, row_group_size=GROUP)
