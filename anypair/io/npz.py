"""NumPy archives in the layout of `scipy.sparse.save_npz`, so that each side reads the other's files.

What SciPy does not know stands beside it: `names`, and `symmetric` if each edge has its reverse.
"""

import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array, as_dtype
from anypair.errors import InvalidArgument, UnsupportedDType
from anypair.inputs import as_values
from anypair.io.complaints import complaint
from anypair.io.edges import GENERAL, SYMMETRIC, Content, Edges
from anypair.io.files import opened
from anypair.io.options import ReadOptions
from anypair.memory import require

NOT_A_MATRIX = (
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    NotImplementedError,
    zipfile.BadZipFile,
    OSError,
)


def read_file(path: Path, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """The entries of the sparse matrix in the archive; every process reads all of them."""
    return processes.together(lambda: _read(path, format, options), alike=True)


def _read(path: Path, format: str, options: ReadOptions) -> Edges:
    refused = ("delimiter", "header", "columns", "one_based", "limit", "vertices", "n", "start", "stop")
    options.refuse(format, *refused)
    with opened(path) as file:
        _check_size(path, file)
        try:
            with np.load(file, allow_pickle=False) as archive:
                extra = {name: archive[name] for name in ("names", "symmetric") if name in archive}
            file.seek(0)
            matrix = _load(file)
        except NOT_A_MATRIX as error:
            raise complaint(path, f"is no sparse matrix in NumPy's format ({error})") from error
    rows, columns = (index.astype(np.int64) for index in matrix.coords)
    _check_indices(path, rows, columns, matrix.shape)
    try:
        as_dtype(matrix.data.dtype)
    except UnsupportedDType as error:
        raise complaint(path, str(error)) from None
    weights = None
    if options.weights is not False:
        weights = as_values("read", "weights", matrix.data, options.dtype, len(rows))
    names = extra.get("names")
    if names is not None and names.dtype.kind == "U":
        names = names.astype(object)
    if names is not None and (len(names) != matrix.shape[0] or names.ndim != 1):
        raise complaint(path, f"has {names.size} names for {matrix.shape[0]} vertices")
    symmetry = SYMMETRIC if bool(extra.get("symmetric", False)) else GENERAL
    if symmetry == SYMMETRIC:
        lower = rows >= columns
        rows, columns = rows[lower], columns[lower]
        weights = None if weights is None else weights[lower]
    return Edges(rows, columns, weights, matrix.shape, names, symmetry)


def _load(file: BinaryIO) -> Any:
    import scipy.sparse

    loaded = scipy.sparse.load_npz(file)
    if loaded.format in ("csr", "csc", "bsr"):
        loaded.check_format(full_check=True)  # SciPy trusts what it loads
    coo = loaded.tocoo()
    if coo.ndim != 2:
        raise ValueError(f"it has {coo.ndim} dimensions")
    coo.sum_duplicates()
    return coo


def _check_size(path: Path, file: BinaryIO) -> None:
    """What the archive's own directory promises has to fit, before any of it is unpacked."""
    try:
        with zipfile.ZipFile(file) as archive:
            promised = sum(info.file_size for info in archive.infolist())
    except zipfile.BadZipFile as error:
        raise complaint(path, f"is no NumPy archive ({error})") from None
    require(3 * promised, f"{path}: unpacking this")
    file.seek(0)


def _check_indices(path: Path, rows: Array, columns: Array, shape: tuple[int, int]) -> None:
    for what, indices, bound in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if len(indices) and (indices.min() < 0 or indices.max() >= bound):
            wrong = int(indices[np.argmax((indices < 0) | (indices >= bound))])
            raise complaint(path, f"has {what} {wrong} in a matrix of {shape[0]}x{shape[1]}")


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """Compressed rows, as `save_npz` writes them."""
    import scipy.sparse

    if delimiter is not None:
        raise InvalidArgument(f"write: delimiter= means nothing for the format {format!r}")
    places = (content.rows, content.columns)
    csr = scipy.sparse.coo_array((content.values, places), shape=content.shape).tocsr()
    arrays: dict[str, Any] = {
        "format": np.array(b"csr"),
        "shape": np.array(csr.shape),
        "data": csr.data,
        "indices": csr.indices,
        "indptr": csr.indptr,
        "_is_array": np.array(True),
    }
    names = content.names
    if names is not None:
        arrays["names"] = names if names.dtype != object else np.array([str(x) for x in names], "U")
    if content.is_symmetric:
        arrays["symmetric"] = np.array(True)
    np.savez(file, **arrays)
