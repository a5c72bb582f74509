"""A vector along the rows or columns of a matrix, and values at places that another vector has."""

from typing import Any

from anypair.errors import IndexOutOfRange, InvalidArgument, SizeMismatch, UnsupportedDType
from anypair.inputs import as_binary, as_monoid, as_size
from anypair.matrix import Matrix
from anypair.memory import naming_memory_errors
from anypair.operations.output import Output, expect, type_on
from anypair.semiring import BinaryOp, Monoid
from anypair.vector import Vector


@naming_memory_errors
def scale(
    A: Matrix, rows: Vector | None = None, columns: Vector | None = None, op: Any = None
) -> Matrix:
    """op(A(i, j), rows(i)), and then op(that, columns(j)); see `Matrix.scale`."""
    if rows is None and columns is None:
        raise InvalidArgument("scale: give rows=, columns= or both, the vectors to scale by")
    binary = as_binary("scale", "op", op)
    scaled = A
    for name, u, length in (("rows", rows, A.nrows), ("columns", columns, A.ncols)):
        if u is None:
            continue
        expect("scale", name, u, Vector)
        output = Output("scale", op, None, None, None, False, A=scaled, **{name: u})
        if u.size != length:
            raise SizeMismatch(f"scale: A has {length} {name} and {name}= has size {u.size}")
        typed = type_on(output.backend, binary, scaled.dtype, u.dtype)
        output.prepare(Matrix, A.shape, typed.result)
        dtypes = scaled.dtype, u.dtype
        t = output.backend.scale(scaled.storage, u.storage, typed, dtypes, by_rows=name == "rows")
        scaled = output.write(t)
    return scaled


@naming_memory_errors
def gather(x: Vector, indices: Vector) -> Vector:
    """x(indices(i)) at each place i where both are there; see `Vector.__getitem__`."""
    output = Output("gather", None, None, None, None, False, x=x, indices=indices)
    backend = output.backend
    _check_indices("gather", indices)
    output.prepare(Vector, indices.shape, x.dtype)
    try:
        t = backend.gather(x.storage, indices.storage, x.size, (x.dtype, indices.dtype))
    except IndexOutOfRange as error:
        raise _out_of_range("gather", error, x.size) from None
    result: Vector = output.write(t)
    return result


@naming_memory_errors
def scatter(values: Vector, indices: Vector, size: int, monoid: Monoid | BinaryOp) -> Vector:
    """The vector of this size with values(i) at place indices(i); the monoid adds what meets there.

    Places i that have no entry in one of the two are passed over. The reverse is `values[indices]`.

    >>> from anypair.semiring import plus
    >>> components = Vector.from_entries([0, 1, 2, 3], [0, 0, 2, 0], size=4)
    >>> scatter(Vector.full(4, 1), components, 4, plus).to_dict()
    {0: 3, 2: 1}
    """
    expect("scatter", "values", values, Vector)
    expect("scatter", "indices", indices, Vector)
    size = as_size("scatter", "size", size)
    adding = as_monoid("scatter", "monoid", monoid)
    output = Output("scatter", monoid, None, None, None, False, values=values, indices=indices)
    backend = output.backend
    if values.size != indices.size:
        raise SizeMismatch(
            f"scatter: values has size {values.size} and indices {indices.size}; they have to be equal"
        )
    _check_indices("scatter", indices)
    typed = type_on(backend, adding, values.dtype)
    output.prepare(Vector, (size,), typed.domain)
    dtypes = values.dtype, indices.dtype
    try:
        t = backend.scatter(values.storage, indices.storage, size, typed, dtypes)
    except IndexOutOfRange as error:
        raise _out_of_range("scatter", error, size) from None
    result: Vector = output.write(t)
    return result


def _check_indices(operation: str, indices: Vector) -> None:
    if indices.dtype.kind not in "iu":
        raise UnsupportedDType(f"{operation}: indices are {indices.dtype}; they have to be integers")


def _out_of_range(operation: str, error: IndexOutOfRange, size: int) -> IndexOutOfRange:
    return error.reworded(
        f"{operation}: indices hold {error.value} at {error.place}, which is out of range; "
        f"give 0 to {size - 1}"
    )
