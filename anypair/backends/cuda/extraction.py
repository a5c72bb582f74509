"""Parts of vectors and matrices, by lists of indices that may repeat."""

from anypair.backends.base import Indices
from anypair.backends.cuda.arrays import DeviceArray, index_dtype
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.backends.places import Places, listed
from anypair.dtypes import BOOL


def extract_vector(u: CudaVector, wanted: Places) -> CudaVector:
    """t(k) = u(wanted(k))."""
    arrays = u.arrays
    if wanted is None:
        return CudaVector(arrays, u.size, u.dtype, u.any_list(), is_sorted=u.is_sorted)
    places, n = arrays.to_device(listed(wanted)), len(wanted)
    flags = arrays.empty(n, BOOL)
    arrays.run(arrays.structure.test_bits, n, places, u.words, False, flags)
    hits = arrays.places_where(flags)
    values = arrays.take_values(u.by_place, arrays.take(places, hits))
    return CudaVector(arrays, n, u.dtype, (arrays.as_type(hits, index_dtype(n)), values))


def extract_matrix(a: CudaMatrix, indices: Indices) -> CudaMatrix:
    """t(r, c) = a(rows(r), columns(c)): the rows first, then the columns as rows of the transpose."""
    rows, columns = indices
    taken = a if rows is None else _take_rows(a, a.arrays.to_device(listed(rows)))
    if columns is None:
        return taken
    across = taken.transpose()
    return _take_rows(across, a.arrays.to_device(listed(columns))).transpose()


def _take_rows(a: CudaMatrix, wanted: DeviceArray) -> CudaMatrix:
    arrays = a.arrays
    counts = arrays.take(a.degrees, wanted)
    positions, _ = arrays.expand(arrays.take(a.starts, wanted), counts)
    shape = (wanted.shape[0], a.shape[1])
    indices, values = arrays.take(a.indices, positions), arrays.take_values(a.values, positions)
    return CudaMatrix(arrays, shape, a.dtype, arrays.counted_before(counts), indices, values)
