"""Operations whose result has another shape: reduce, extract, transpose, diag, selection."""

from typing import Any, Literal, overload

from anypair.backends.base import Storage
from anypair.dtypes import BOOL, DType, Scalar
from anypair.errors import IndexOutOfRange, InvalidArgument, UnsupportedDType
from anypair.handle import Handle
from anypair.inputs import as_monoid, as_size
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.memory import naming_memory_errors
from anypair.operations.indexing import as_axes
from anypair.operations.output import Output, expect, type_on
from anypair.operations.products import mxm, reduce_product
from anypair.semiring import BinaryOp, BoundOp, Monoid, any_monoid, diagonal, position, second
from anypair.vector import Vector


@overload
def reduce(x: Handle, monoid: Monoid | BinaryOp) -> Scalar: ...
@overload
def reduce(
    x: Matrix,
    monoid: Monoid | BinaryOp,
    *,
    by: Literal["rows", "columns"],
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector: ...
@naming_memory_errors
def reduce(
    x: Handle,
    monoid: Monoid | BinaryOp,
    *,
    by: Literal["rows", "columns"] | None = None,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Scalar | Vector:
    """The sum of all entries of x, a number; `by="rows"` or `by="columns"` gives one for each.

    Without entries the sum is the monoid's identity; a row without entries has none in the result.
    An operator that has one monoid in the catalogue, such as `plus`, stands for that.

    >>> from anypair.semiring import plus
    >>> graph = Matrix.from_edges([0, 0, 2], [1, 2, 0])
    >>> reduce(graph, plus), reduce(graph, plus, by="rows").to_dict()
    (3, {0: 2, 2: 1})
    """
    monoid = as_monoid("reduce", "monoid", monoid)
    is_plain = by is None and out is None and mask is None and accum is None and not replace
    if is_plain and (fused := _sum_of_put_off(x, monoid)) is not None:
        return fused
    output = Output("reduce", monoid, out, mask, accum, replace, x=x)
    backend = output.backend
    typed = type_on(backend, monoid, x.dtype)
    if by is None:
        if out is not None or mask is not None:
            raise InvalidArgument("reduce: out= and mask= need by='rows' or by='columns'")
        total = backend.reduce(x.storage, typed)
        output.record(int(not backend.processes.rank))  # one number, however many have it
        return total
    if by not in ("rows", "columns"):
        raise InvalidArgument(f"reduce: by={by!r} is neither 'rows' nor 'columns'")
    A = expect("reduce", "x", x, Matrix)
    by_columns = by == "columns"
    output.prepare(Vector, A.shape[by_columns:][:1], typed.domain)
    t = backend.reduce_columns(A.storage, typed) if by_columns else None
    if t is None:
        t = backend.reduce_rows((A.T if by_columns else A).storage, typed)
    result: Vector = output.write(t)
    return result


def _sum_of_put_off(x: Handle, monoid: Monoid) -> Scalar | None:
    """The sum of a product of matrices that is put off, which then need not be made; None of others."""
    put_off = x.pending if isinstance(x, Matrix) else None
    if put_off is None or put_off.operation is not mxm:
        return None
    return put_off.given_to(
        lambda A, B, semiring, **mask: reduce_product(A, B, semiring, monoid, **mask)
    )


@overload
def extract(
    x: Vector,
    rows: Any,
    *,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector: ...
@overload
def extract(
    x: Matrix,
    rows: Any,
    columns: Any = None,
    *,
    out: Handle | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Any: ...
@naming_memory_errors
def extract(
    x: Handle,
    rows: Any,
    columns: Any = None,
    *,
    out: Handle | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Any:
    """out<mask> accum= x(rows) of a vector, x(rows, columns) of a matrix; indices may repeat.

    Each of `rows` and `columns` is a list of indices, a slice, or None for all; a single number in
    place of one of them takes that row or column as a vector.

    >>> graph = Matrix.from_edges([0, 0, 1], [1, 2, 2])
    >>> extract(graph, [0, 1], [2]).shape, extract(graph, 0).to_dict()
    ((2, 1), {1: True, 2: True})
    """
    output = Output("extract", None, out, mask, accum, replace, x=x)
    backend = output.backend
    axes = as_axes("extract", x, rows, columns)
    shape = tuple(axis.length for axis in axes)
    flat = [k for k, axis in enumerate(axes) if axis.single]
    if len(flat) == 2:
        raise InvalidArgument("extract: for a single entry use A.get(row, column)")
    if flat:
        output.prepare(Vector, (shape[1 - flat[0]],), x.dtype)
    else:
        output.prepare(type(x), shape, x.dtype)
    t = backend.extract(x.storage, tuple(axis.places for axis in axes))
    if flat:
        # The only row or column left, as a vector: each sum has at most one term.
        t = backend.transpose(t) if flat == [0] else t
        t = backend.reduce_rows(t, any_monoid.typed(x.dtype))
    return output.write(t)


@naming_memory_errors
def transpose(
    A: Matrix,
    *,
    out: Matrix | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Matrix:
    """out<mask> accum= A transposed; `A.T` is the same without the keywords, made only once.

    >>> transpose(Matrix.from_edges([0], [1])).to_entries()[:2]
    (array([1]), array([0]))
    """
    expect("transpose", "A", A, Matrix)
    output = Output("transpose", None, out, mask, accum, replace, A=A)
    backend = output.backend
    output.prepare(Matrix, A.shape[::-1], A.dtype)
    result: Matrix = output.write(backend.transpose(A.storage))
    return A.hand_on(result, values=True) if out is None and mask is None else result


@overload
def diag(
    x: Vector,
    *,
    out: Matrix | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Matrix: ...
@overload
def diag(
    x: Matrix,
    *,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector: ...
@naming_memory_errors
def diag(
    x: Handle,
    *,
    out: Any = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Any:
    """out<mask> accum= the matrix with vector x on its diagonal, or the diagonal of matrix x.

    >>> D = diag(Vector.from_entries([1], [5], size=2))
    >>> D.get(1, 1), diag(D).to_dict()
    (5, {1: 5})
    """
    output = Output("diag", None, out, mask, accum, replace, x=x)
    backend = output.backend
    if isinstance(x, Vector):
        output.prepare(Matrix, (x.size, x.size), x.dtype)
        places = backend.apply(x.storage, position.typed(x.dtype))
        return output.write(backend.rowwise(places, x.storage, x.size))
    output.prepare(Vector, (min(x.shape),), x.dtype)
    on_diagonal = backend.select(x.storage, diagonal.typed(x.dtype))
    t = backend.reduce_rows(on_diagonal, any_monoid.typed(x.dtype))
    if x.shape[0] > x.shape[1]:
        t = backend.extract(t, (range(x.shape[1]),))
    return output.write(t)


@naming_memory_errors
def selection(
    indices: Vector,
    ncols: int,
    *,
    out: Matrix | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Matrix:
    """out<mask> accum= S, the matrix with S(i, indices(i)) = True: it gathers and scatters by index.

    `mxv(S, x, any_second)` is x at the indices; `vxm(x, S, min_select)` sends x(i) to place
    indices(i), where the smallest arrival stays. Indices that only the backend knows stay there.

    >>> from anypair.semiring import any_second
    >>> from anypair import mxv
    >>> parents = Vector.from_entries([0, 1, 2], [0, 0, 1], size=3)
    >>> grandparents = mxv(selection(parents, 3), parents, any_second)
    >>> grandparents.to_dict()
    {0: 0, 1: 0, 2: 0}
    """
    expect("selection", "indices", indices, Vector)
    output = Output("selection", None, out, mask, accum, replace, indices=indices)
    backend = output.backend
    if indices.dtype.kind not in "iu":
        raise UnsupportedDType(f"selection: indices are {indices.dtype}; they have to be integers")
    ncols = as_size("selection", "ncols", ncols)
    output.prepare(Matrix, (indices.size, ncols), BOOL)
    values = constant(indices, indices.storage, True, BOOL)
    try:
        t = backend.rowwise(indices.storage, values, ncols)
    except IndexOutOfRange as error:
        raise error.reworded(
            f"selection: indices hold {error.value} at {error.place}, which is out of range; "
            f"give 0 to {ncols - 1}"
        ) from None
    result: Matrix = output.write(t)
    return result


def constant(x: Handle, storage: Storage, value: Scalar, dtype: DType) -> Storage:
    """Storage with `value` wherever `storage`, of the dtype and backend of x, has an entry."""
    return x.backend.apply(storage, BoundOp(second.typed(x.dtype, dtype), value, False))
