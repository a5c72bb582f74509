"""NumPy archives in the layout of `scipy.sparse.save_npz`, so that each side reads the other's files.

What SciPy does not know stands beside it: `names`, and `symmetric` if each edge has its reverse.
"""

import os
import zipfile
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from anypair.backends.processes import Processes
from anypair.dtypes import Array, as_dtype
from anypair.errors import AnypairError, InvalidArgument, InvalidValue, UnsupportedDType, option
from anypair.inputs import as_values
from anypair.io.complaints import complaint, holds_too_much, reason_of, shown
from anypair.io.edges import GENERAL, SYMMETRIC, Content, Edges, given_twice, texts_of
from anypair.io.files import allowed_bytes, opened
from anypair.io.options import ReadOptions
from anypair.io.sparse_entries import COORDINATES, LAYOUTS, Entries, Shape, SparseLayout, entries_of
from anypair.io.streams import Source
from anypair.memory import require

BYTES_PER_ENTRY = 40  # while it is put into its place


def read_file(path: Source, format: str, options: ReadOptions, processes: Processes) -> Edges:
    """The entries of the sparse matrix in the archive; every process reads all of them."""
    return processes.together(lambda: _read(path, format, options), alike=True)


def _read(path: Source, format: str, options: ReadOptions) -> Edges:
    refused = ("delimiter", "header", "columns", "one_based", "vertices", "n", "start", "stop")
    options.refuse(format, *refused)
    with opened(path) as file:
        _check_size(path, file, options.limit)
        try:
            with np.load(file, allow_pickle=False) as archive:
                entries, shape = _entries(archive)
                names = _names(archive, shape)
                if is_symmetric := _is_symmetric(archive):
                    entries = _lower_triangle(entries, shape)
        except UnsupportedDType as error:
            raise complaint(path, str(error)) from None
        except (AnypairError, MemoryError):
            raise
        except Exception as error:  # zipfile, zlib and NumPy each have their own
            raise complaint(
                path, f"is no sparse matrix in NumPy's format ({reason_of(error)})"
            ) from error
    weights = None
    if options.weights is not False:
        weights = as_values("read", "weights", entries.values, options.dtype, len(entries.values))
    symmetry = SYMMETRIC if is_symmetric else GENERAL
    return Edges(entries.rows, entries.columns, weights, shape, names, symmetry)


def _check_size(path: Source, file: BinaryIO, limit: int | None) -> None:
    """What the archive's own directory promises has to fit, before any of it is unpacked."""
    try:
        with zipfile.ZipFile(file) as archive:
            promised = sum(info.file_size for info in archive.infolist())
    except Exception as error:  # of many kinds, as the directory is spoiled in many ways
        raise complaint(path, f"is no NumPy archive ({reason_of(error)})") from error
    size = os.fstat(file.fileno()).st_size
    allowed = allowed_bytes(size, limit)
    if promised > allowed:
        raise holds_too_much(path, "archive", size, allowed)
    require(3 * promised, f"{path}: unpacking this")
    file.seek(0)


def _member(archive: Any, name: str) -> Array:
    try:
        array = archive[name]
    except KeyError:
        raise ValueError(f"it has no {name}") from None
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(f"{name}: {error}") from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is no array")
    return array


def _entries(archive: Any) -> tuple[Entries, Shape]:
    layout = _layout(archive)
    sizes = _member(archive, "shape")
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu":
        raise ValueError(f"shape is {shown(str(sizes.tolist()))}, not rows and columns")
    shape: Shape = (int(sizes[0]), int(sizes[1]))
    if min(shape) < 0 or max(shape) > np.iinfo(np.int64).max:
        raise ValueError(f"it is {shape[0]}x{shape[1]}")
    arrays = [_member(archive, name) for name in layout.arrays]
    require(BYTES_PER_ENTRY * arrays[0].size, "putting the entries of the archive into their places")
    arrays[0] = arrays[0].astype(as_dtype(arrays[0].dtype), copy=False)
    return entries_of(layout, arrays, shape), shape


def _layout(archive: Any) -> SparseLayout:
    held = _member(archive, "format")
    name = held.item() if held.size == 1 else None
    name = name.decode("ascii", "replace") if isinstance(name, bytes) else name
    if name == "coo" and "coords" in archive:
        return COORDINATES
    if not isinstance(name, str) or name not in LAYOUTS:
        raise ValueError(f"format {shown(str(held.tolist()))} is none of {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def _names(archive: Any, shape: Shape) -> Array | None:
    if "names" not in archive:
        return None
    names = _member(archive, "names")
    if names.ndim != 1 or len(names) != shape[0] or shape[0] != shape[1]:
        raise ValueError(f"it has {names.size} names for {shape[0]}x{shape[1]} vertices")
    if names.dtype.kind == "S":
        names = np.array([name.decode("utf-8") for name in names.tolist()], object)
    if names.dtype.kind == "U":
        names = names.astype(object)
    if names.dtype != object and names.dtype.kind not in "iu":
        raise ValueError(f"names of dtype {names.dtype} are neither text nor whole numbers")
    if (name := given_twice(names.tolist())) is not None:
        raise ValueError(f"two vertices are called {shown(str(name))}")
    return names


def _is_symmetric(archive: Any) -> bool:
    if "symmetric" not in archive:
        return False
    said = _member(archive, "symmetric")
    if said.size != 1 or said.dtype.kind not in "biu":
        raise ValueError(f"symmetric is {shown(str(said.tolist()))}, neither True nor False")
    return bool(said.item())


def _lower_triangle(entries: Entries, shape: Shape) -> Entries:
    """Of entries that are said to have their mirror images: one triangle, whichever is there."""
    if shape[0] != shape[1]:
        raise ValueError(f"symmetric, and {shape[0]}x{shape[1]}")
    rows, columns = entries.rows, entries.columns
    below, above = rows > columns, rows < columns
    mirrored = replace(entries, rows=columns, columns=rows)
    if not below.any():
        return mirrored
    if above.any():
        order = np.lexsort((rows[above], columns[above]))
        images = [array[above][order] for array in (columns, rows, entries.values)]
        halves = [array[below] for array in (rows, columns, entries.values)]
        if not all(map(_equal, halves, images)):
            raise ValueError("it is said to be symmetric, and its triangles differ")
    return Entries(*(array[~above] for array in (rows, columns, entries.values)))


def _equal(left: Array, right: Array) -> bool:
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def write_file(file: BinaryIO, format: str, content: Content, delimiter: str | None) -> None:
    """Compressed rows, as `save_npz` writes them."""
    import scipy.sparse

    if delimiter is not None:
        raise InvalidArgument(f"write: {option('delimiter')} means nothing for the format {format!r}")
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
        arrays["names"] = names if names.dtype != object else _as_text(names)
    if content.is_symmetric:
        arrays["symmetric"] = np.array(True)
    np.savez(file, **arrays)


def _as_text(names: Array) -> Array:
    texts = texts_of("write", names)
    for text in texts:
        if text.endswith("\0"):
            raise InvalidValue(f"write: NumPy cannot keep the NUL at the end of the name {shown(text)}")
    return np.array(texts, "U")
