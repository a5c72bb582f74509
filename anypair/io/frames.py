"""pandas and polars frames: a row for each edge."""

from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.processes import Processes
from anypair.dtypes import Array
from anypair.errors import InvalidArgument
from anypair.handle import Handle, backend_for
from anypair.io.columns import SAMPLE, TITLES, choose_columns
from anypair.io.edges import Loaded, check_names
from anypair.io.formats import require_library
from anypair.io.options import checked, read_options
from anypair.io.reading import assemble
from anypair.io.tables import edges_of_columns
from anypair.matrix import Matrix
from anypair.semiring import BinaryOp, Monoid


def from_pandas(
    frame: Any,
    columns: Any = None,
    *,
    symmetric: bool = False,
    weights: bool | None = None,
    vertices: str = "auto",
    n: int | None = None,
    dtype: Any = None,
    duplicates: BinaryOp | Monoid | None = None,
    self_loops: bool = True,
    backend: str | Backend | None = None,
    like: Handle | None = None,
) -> Loaded:
    """The graph whose edges are the rows of a frame; options are those of `anypair.io.read`.

    `columns` says which are source, target and weight, by title or number. By default they go by their
    titles (source and target, from and to, and the like), or by their order if the frame has no titles.

    >>> import pandas
    >>> frame = pandas.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "km": [3, 4]})
    >>> loaded = from_pandas(frame)
    >>> loaded.matrix.get(loaded.vertex("a"), loaded.vertex("b"))
    3
    """
    if not hasattr(frame, "columns"):
        raise InvalidArgument(f"from_pandas: {type(frame).__name__} is no frame")
    checked("from_pandas", symmetric=symmetric, self_loops=self_loops)
    options = read_options(
        "from_pandas", weights=weights, vertices=vertices, n=n, columns=columns, dtype=dtype
    )
    titles = [str(title) for title in frame.columns]
    try:
        chosen = choose_columns(titles, len(titles), options, lambda: _sample(frame))
    except InvalidArgument as error:
        raise InvalidArgument(f"from_pandas: the frame {error.marked}") from None
    arrays: list[Array] = []
    for place in chosen.places:
        column = _column(frame, place)
        is_weight = len(arrays) == 2
        if _has_missing(column, is_weight):
            raise InvalidArgument(f"from_pandas: column {titles[place]!r} has missing values")
        arrays.append(np.asarray(column.to_numpy()))
    edges = edges_of_columns("from_pandas", arrays, chosen, options, None, Processes())
    matrix = assemble(
        edges,
        symmetric,
        options.dtype,
        duplicates,
        self_loops,
        backend_for("from_pandas", backend, like),
        "from_pandas",
    )
    return Loaded(matrix, edges.names, "pandas", None, matrix.is_symmetric, edges.columns)


def _column(frame: Any, place: int) -> Any:
    """By its place, for titles may repeat."""
    return frame.iloc[:, place] if hasattr(frame, "iloc") else frame.to_series(place)


def _sample(frame: Any) -> list[Array]:
    return [_column(frame, place).head(SAMPLE).to_numpy() for place in range(frame.shape[1])]


def _has_missing(column: Any, is_weight: bool) -> bool:
    """Whether a column has holes; in a NumPy float column of weights NaN is a number like others."""
    if not hasattr(column, "isna"):
        return bool(column.is_null().any())
    if is_weight and isinstance(column.dtype, np.dtype) and column.dtype.kind == "f":
        return False
    return bool(column.isna().any())


def to_pandas(matrix: Matrix, names: Any = None) -> Any:
    """A frame with columns source, target and weight, a row for each entry.

    >>> to_pandas(Matrix.from_edges([0], [1], [2.5]), names=["Ann", "Bob"])
      source target  weight
    0    Ann    Bob     2.5
    """
    pandas = require_library("pandas", "pip install pandas", "to_pandas")
    return pandas.DataFrame(_columns("to_pandas", matrix, names))


def from_polars(frame: Any, columns: Any = None, **options: Any) -> Loaded:
    """As `from_pandas`, for a polars frame."""
    return from_pandas(frame, columns, **options)


def to_polars(matrix: Matrix, names: Any = None) -> Any:
    """As `to_pandas`, for polars."""
    polars = require_library("polars", "pip install polars", "to_polars")
    return polars.DataFrame(
        {
            title: column.tolist() if column.dtype == object else column
            for title, column in _columns("to_polars", matrix, names).items()
        }
    )


def _columns(operation: str, matrix: Matrix, names: Any) -> dict[str, Any]:
    called = check_names(operation, names, matrix)
    rows, columns, values = matrix.to_entries()
    if called is not None:
        rows, columns = called[rows], called[columns]
    return dict(zip(TITLES, (rows, columns, values), strict=True))
