"""Reading a file: its format's reader gives edges, and they become a matrix."""

from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.base import Backend
from anypair.backends.processes import Processes
from anypair.errors import AnypairError, InvalidValue, NotEnoughMemory, SizeMismatch
from anypair.handle import Handle, backend_for, build
from anypair.inputs import as_duplicates, as_values
from anypair.io.complaints import complaint, reason_of
from anypair.io.edges import GENERAL, SKEW, SYMMETRIC, Edges, Loaded
from anypair.io.formats import FORMATS, choose
from anypair.io.options import ReadOptions, checked, read_options
from anypair.io.packing import largest
from anypair.io.streams import readable
from anypair.matrix import Matrix
from anypair.memory import require
from anypair.semiring import BinaryOp, Monoid


def read(
    path: str | Path,
    *,
    format: str | None = None,
    symmetric: bool | None = None,
    weights: bool | None = None,
    vertices: str = "auto",
    one_based: bool = False,
    n: int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Any = None,
    dtype: Any = None,
    duplicates: BinaryOp | Monoid | None = None,
    self_loops: bool = True,
    limit: int | None = None,
    backend: str | Backend | None = None,
    like: Handle | None = None,
) -> Loaded:
    """The matrix in a file, and the names of its vertices if they are not 0 to n - 1.

    The format goes by the suffix (`FORMATS` has the list; text may be compressed, `.gz`).
    `symmetric=True` adds the reverse of each edge, False takes only what stands in the file, None does
    as the file says. `weights=False` leaves weights out, True insists on them. `limit` is how many bytes
    may be in a compressed file.

    `vertices` says what stands for a vertex: "numbers" from 0 (`one_based`: from 1) to `n` - 1, "ids",
    which are any whole numbers, or "names", which are any text. "auto" looks at the first edge, and
    takes numbers as ids if most of those up to the largest cannot occur.

    `columns` says where source, target and perhaps weight stand in a table, by title or by number. By
    default titles tell (source and target, from and to, and the like); without titles they are the
    first two or three. `header` says whether the first line of an edge list holds titles, `delimiter`
    what stands between its fields. Weights become `dtype`; those of an edge that comes twice are
    combined by `duplicates`, an operator. `self_loops=False` leaves out edges from a vertex to itself.

    On a grid all ranks call this alike. Each reads its part of the file and gets its part of the matrix.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "friends.csv")
    >>> _ = path.write_text("from,to\\nBob,Ann\\nAnn,Cleo\\n")
    >>> loaded = read(path, symmetric=True)
    >>> loaded.matrix.nvals, loaded.names.tolist()
    (4, ['Ann', 'Bob', 'Cleo'])
    >>> folder.cleanup()
    """
    engine = backend_for("read", backend, like)
    processes = engine.processes
    where = Path(path)

    def prepare() -> tuple[str, ReadOptions, Any]:
        chosen = choose("read", where, format)
        checked("read", format=format, symmetric=symmetric, self_loops=self_loops)
        options = read_options(
            "read", weights=weights, vertices=vertices, one_based=one_based, n=n, delimiter=delimiter,
            header=header, columns=columns, dtype=dtype, limit=limit,
        )  # fmt: skip
        return chosen, options, FORMATS[chosen].load()

    chosen, options, reader = processes.together(prepare, alike=True)
    operator = getattr(duplicates, "name", type(duplicates).__name__)
    processes.require_same(
        f"read({chosen!r}, {symmetric=}, duplicates={operator}, {self_loops=}, {options})"
    )
    as_it_is = options == ReadOptions() and symmetric is None and self_loops
    if chosen == "blocks" and as_it_is and (storage := engine.opened(where)) is not None:
        matrix = Matrix(engine.shape_of(storage), storage.dtype, storage, engine)
        if storage.symmetric:
            matrix.assume_symmetric()
        return Loaded(matrix, None, chosen, where, matrix.is_symmetric)
    edges = _read_file(reader, where, chosen, options, processes)
    matrix = assemble(edges, symmetric, options.dtype, duplicates, self_loops, engine, where)
    return Loaded(matrix, edges.names, chosen, where, matrix.is_symmetric, edges.columns)


def read_edges(
    path: str | Path,
    *,
    format: str | None = None,
    weights: bool | None = None,
    vertices: str = "auto",
    one_based: bool = False,
    n: int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Any = None,
    dtype: Any = None,
    limit: int | None = None,
    start: int | None = None,
    stop: int | None = None,
) -> Edges:
    """The edges of a file as arrays: `sources, targets, weights = read_edges(path)`.

    Options are those of `read`. With `start` and `stop`, which are bytes, only the lines (or records)
    that begin in this range: ranges that cover a file without overlap give each edge once. A range is
    no place to pack numbers or to guess the dtype of weights: give `vertices` and `dtype` if in doubt.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "graph.el")
    >>> _ = path.write_text("0 1\\n1 2\\n")
    >>> sources, targets, weights = read_edges(path, start=1)
    >>> sources, targets, weights
    (array([1]), array([2]), None)
    >>> folder.cleanup()
    """
    where = Path(path)
    chosen = choose("read_edges", where, format)
    options = read_options(
        "read_edges", weights=weights, vertices=vertices, one_based=one_based, n=n, delimiter=delimiter,
        header=header, columns=columns, dtype=dtype, limit=limit, start=start, stop=stop,
    )  # fmt: skip
    return _read_file(FORMATS[chosen].load(), where, chosen, options, Processes())


def _read_file(
    reader: Any, where: Path, chosen: str, options: ReadOptions, processes: Processes
) -> Edges:
    """What the format's reader gives; whatever it raises is said of the file."""
    try:
        with readable(where, processes) as source:
            edges: Edges = reader.read_file(source, chosen, options, processes)
            return edges
    except AnypairError:
        raise
    except MemoryError as error:
        raise NotEnoughMemory(
            f"{where}: there is not enough memory to read this ({reason_of(error)})"
        ) from error
    except Exception as error:  # of the libraries behind the reader, which have hundreds
        reason = f"{type(error).__name__}: {reason_of(error)}"
        raise complaint(where, f"cannot be read as {chosen} ({reason})") from error


def assemble(
    edges: Edges,
    symmetric: bool | None,
    dtype: Any,
    duplicates: BinaryOp | Monoid | None,
    self_loops: bool,
    engine: Backend,
    where: Path | str,
) -> Matrix:
    """The matrix of edges whose indices are known to be right; `where` is their file, or the call."""
    processes = engine.processes if edges.is_part else Processes()
    rows, columns = edges.sources, edges.targets
    values = as_values(
        "read", "weights", True if edges.weights is None else edges.weights, dtype, len(rows)
    )
    n = 1 + max(processes.gather(largest(rows, columns))) if edges.shape is None else 0
    shape = edges.shape or (n, n)
    symmetry = edges.symmetry if symmetric is None else SYMMETRIC if symmetric else GENERAL
    if symmetry == SKEW:
        if values.dtype.kind not in "if":
            raise InvalidValue(f"read: a skew-symmetric matrix of dtype {values.dtype} has no negatives")
        rows, columns, values = (
            np.stack([rows, columns], axis=1).ravel(),
            np.stack([columns, rows], axis=1).ravel(),
            np.stack([values, -values], axis=1).ravel(),
        )
    is_graph = shape[0] == shape[1]
    if not is_graph and (symmetry == SYMMETRIC or not self_loops):
        raise SizeMismatch(f"read: {shape[0]}x{shape[1]} is no graph, so it has no reverse edges")
    duplicates = as_duplicates(edges.weights, duplicates)
    engine.processes.together(
        lambda: require(
            16 * sum(shape) // engine.processes.count,
            f"read: a matrix of {shape[0]} rows and {shape[1]} columns",
        ),
        alike=True,
    )
    make_matrix = engine.build_of_slices if edges.is_part else engine.build
    make_graph = engine.build_graph_of_slices if edges.is_part else engine.build_graph

    def make(combine: Any) -> Any:
        if not is_graph:
            return make_matrix((rows, columns), values, shape, combine)
        mirrored = symmetry == SYMMETRIC
        return make_graph(
            rows, columns, values, shape[0], combine, symmetric=mirrored, self_loops=self_loops
        )

    storage = build(
        "read", make, values, duplicates, engine.processes, of_slices=edges.is_part, origin=where
    )
    matrix = Matrix(shape, values.dtype, storage, engine)
    if symmetry == SYMMETRIC:
        matrix.assume_symmetric()
    return matrix
