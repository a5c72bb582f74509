"""Parquet files with a row for each edge, read row group by row group."""

import json
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from anypair.dtypes import Array
from anypair.errors import (
    AnypairError,
    IndexOutOfRange,
    InvalidArgument,
    InvalidValue,
    UnsupportedDType,
)
from anypair.io.complaints import complaint
from anypair.io.edges import GENERAL, SYMMETRIC, Edges
from anypair.io.files import opened
from anypair.io.options import ReadOptions
from anypair.io.tables import TITLES, choose_columns, edges_of_columns
from anypair.matrix import Matrix
from anypair.memory import require

KEY = b"anypair"
GROUP = 1 << 20  # rows


def read_file(path: Path, format: str, options: ReadOptions) -> Edges:
    """The edges, of the columns asked for or else the first two or three."""
    import pyarrow
    import pyarrow.parquet

    options.refuse(format, "delimiter", "header", "limit", "start", "stop")
    with opened(path) as file:
        try:
            content = pyarrow.parquet.ParquetFile(file)
            chosen = choose_columns(content.schema_arrow.names, options)
            require(24 * content.metadata.num_rows, f"{path}: holding its edges")
            facts = _facts(content.schema_arrow.metadata)
            columns = _collect(path, content, chosen)
        except InvalidArgument as error:
            raise complaint(path, str(error)) from None
        except AnypairError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise complaint(path, f"is no Parquet file ({error})") from error
    try:
        edges = edges_of_columns(f"{path}", columns, options, facts.get("shape"))
    except (IndexOutOfRange, InvalidValue, UnsupportedDType) as error:
        raise complaint(path, str(error).removeprefix(f"{path}: ")) from None
    symmetric = SYMMETRIC if facts.get("symmetric") else GENERAL
    return Edges(edges.sources, edges.targets, edges.weights, edges.shape, edges.names, symmetric)


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


def _collect(path: Path, content: Any, chosen: list[str]) -> list[Array]:
    """The columns as arrays, filled group by group."""
    rows = content.metadata.num_rows
    columns: list[Array | None] = [None] * len(chosen)
    done = 0
    for batch in content.iter_batches(batch_size=GROUP, columns=chosen):
        for number, title in enumerate(chosen):
            column = batch.column(batch.schema.get_field_index(title))
            if column.null_count:
                row = done + column.is_null().to_pylist().index(True)
                raise complaint(path, f"has no value in column {title!r}, row {row}")
            values = column.to_numpy(zero_copy_only=False)
            if columns[number] is None:
                columns[number] = np.empty(rows, values.dtype)
            columns[number][done : done + len(values)] = values  # type: ignore[index]
        done += len(batch)
    schema = content.schema_arrow
    return [
        np.empty(0, schema.field(title).type.to_pandas_dtype()) if column is None else column
        for title, column in zip(chosen, columns, strict=True)
    ]


def write_file(
    file: BinaryIO, format: str, matrix: Matrix, names: Array | None, delimiter: str | None
) -> None:
    """Columns source, target and, unless all are True, weight; the shape stands beside them."""
    import pyarrow
    import pyarrow.parquet

    if delimiter is not None:
        raise InvalidArgument(f"write: delimiter= means nothing for the format {format!r}")
    rows, columns, values = matrix.to_entries()
    facts: dict[str, Any] = {} if names is not None else {"shape": matrix.shape}
    if matrix.is_symmetric:
        facts["symmetric"] = True
        lower = rows >= columns
        rows, columns, values = rows[lower], columns[lower], values[lower]
    ends = [rows, columns] if names is None else [names[rows], names[columns]]
    held = [*ends, *([] if matrix.dtype == bool and values.all() else [values])]
    table = pyarrow.table(dict(zip(TITLES, held, strict=False)))
    table = table.replace_schema_metadata({KEY: json.dumps(facts)})
    pyarrow.parquet.write_table(table, file, row_group_size=GROUP)
