"""Pull: let each wanted place look for entries of the vector among its own."""

from anypair.backends.cuda.arrays import index_dtype, step_of
from anypair.backends.cuda.kernels import product_kernels
from anypair.backends.cuda.products import VectorProduct
from anypair.backends.cuda.storage import CudaMatrix, CudaVector
from anypair.dtypes import BOOL


def pull(product: VectorProduct, in_rows: CudaMatrix) -> CudaVector:
    """Let each wanted place look for entries of the vector among its own."""
    arrays = product.arrays
    wanted, _ = in_rows.nonempty
    if product.mask is not None:
        words = product.mask.storage.words
        wanted = wanted & (~words if product.mask.complemented else words)
    rows = arrays.listed(wanted, index_dtype(product.size))
    out, found = arrays.zeros(rows.shape[0], product.semiring.result), arrays.zeros(rows.shape[0], BOOL)
    reads = product.plan.reads_values
    values = product.u.by_place if reads else arrays.zeros(1, product.u.dtype)
    given = (
        in_rows.starts, in_rows.indices, in_rows.values, step_of(in_rows.values), product.u.words,
        values, step_of(values), out, found,
    )  # fmt: skip
    kernels = product_kernels("pull", product.semiring, arrays.block)
    arrays.run_operators(kernels, "pull", rows.shape[0], rows, arrays.long, *given)
    if in_rows.max_degree >= arrays.long:
        long = arrays.places_where(arrays.take(in_rows.degrees, rows) >= arrays.long)
        arrays.run_operators(kernels, "pull_long_rows", long.shape[0], long, rows, *given, blocks=True)
    hits = arrays.places_where(found)
    listed = (arrays.take(rows, hits), arrays.take(out, hits))
    return CudaVector(arrays, product.size, product.semiring.result, listed)
