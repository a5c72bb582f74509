"""Products over a semiring. In mxv and vxm the multiply sees (edge, value): the matrix entry first.

So one semiring means one thing in both directions, and vxm(u, A, s) is mxv(A.T, u, s) for every s.
"""

from typing import NoReturn

from anypair.backends.base import Backend
from anypair.dtypes import DType, Scalar
from anypair.errors import NotSupported, SizeMismatch
from anypair.handle import Handle
from anypair.inputs import as_binary, as_shape
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.memory import named_memory_error, naming_memory_errors
from anypair.operations.output import Output, as_semiring, describe, expect, type_on
from anypair.semiring import BinaryOp, Monoid, Semiring, TypedSemiring
from anypair.vector import Vector


def mxv(
    A: Matrix,
    u: Vector,
    semiring: Semiring,
    *,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector:
    """out<mask> accum= A u: out(i) = add over k of multiply(A(i, k), u(k)).

    >>> from anypair.semiring import plus_times
    >>> A = Matrix.from_entries([0, 1], [1, 1], [2.0, 3.0], shape=(2, 2))
    >>> mxv(A, Vector.from_entries([1], [10.0], size=2), plus_times).to_dict()
    {0: 20.0, 1: 30.0}
    """
    if not (isinstance(u, Vector) and isinstance(A, Matrix) and isinstance(semiring, Semiring)):
        _refuse_kinds("mxv", semiring, A=(A, Matrix), u=(u, Vector))
    output = Output("mxv", semiring, out, mask, accum, replace, A=A, u=u)
    backend = output.backend
    if A.shape[1] != u.shape[0]:
        refuse_sizes("mxv", A, u)
    typed = typed_for_product("mxv", backend, semiring, A.dtype, u.dtype)
    if u.values_are_indices:
        typed = typed.over_indices
    if output.trace is not None:
        output.trace.note(missing=typed.missing_for_early_stop)
    inside = output.prepare(Vector, A.shape[:1], typed.result)
    try:
        t = backend.mxv(A.storage, u.storage, typed, inside)
        result: Vector = output.write(t, masked=True)
    except MemoryError as error:
        raise named_memory_error(error, "mxv") from error
    return result


def vxm(
    u: Vector,
    A: Matrix,
    semiring: Semiring,
    *,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector:
    """out<mask> accum= u A: out(j) = add over k of multiply(A(k, j), u(k)).

    >>> from anypair.semiring import min_select
    >>> graph = Matrix.from_edges([0, 1], [2, 2])
    >>> vxm(Vector.from_entries([0, 1], [7, 5], size=3), graph, min_select).to_dict()
    {2: 5}
    """
    if not (isinstance(u, Vector) and isinstance(A, Matrix) and isinstance(semiring, Semiring)):
        _refuse_kinds("vxm", semiring, u=(u, Vector), A=(A, Matrix))
    output = Output("vxm", semiring, out, mask, accum, replace, u=u, A=A)
    backend = output.backend
    if A.shape[0] != u.shape[0]:
        refuse_sizes("vxm", u, A)
    typed = typed_for_product("vxm", backend, semiring, A.dtype, u.dtype)
    if u.values_are_indices:
        typed = typed.over_indices
    if output.trace is not None:
        output.trace.note(missing=typed.missing_for_early_stop)
    inside = output.prepare(Vector, A.shape[1:], typed.result)
    try:
        t = backend.vxm(u.storage, A.storage, typed, inside)
        result: Vector = output.write(t, masked=True)
    except MemoryError as error:
        raise named_memory_error(error, "vxm") from error
    return result


def typed_for_product(
    operation: str, backend: Backend, semiring: Semiring, edges: DType, values: DType
) -> TypedSemiring:
    """The semiring for operands of these dtypes, if the backend can tell its multiply what it sees."""
    typed: TypedSemiring = type_on(backend, semiring, edges, values)
    if typed.multiply.op.sees_place and not backend.tells_places:
        backend.processes.fail(
            NotSupported(
                f"{operation}: the multiply {semiring.multiply.name!r} sees the place (i, j) of the "
                f"result, which products of backend {backend.name!r} do not know; those of 'scipy' "
                "and 'jit' do, or make an operator of (x, y, k)"
            )
        )
    return typed


def _refuse_kinds(operation: str, semiring: object, **operands: tuple[object, type[Handle]]) -> None:
    """Say which argument is not what it should be; in a search nobody has the time to ask one by one."""
    for name, (operand, kind) in operands.items():
        expect(operation, name, operand, kind)
    as_semiring(operation, semiring)


@naming_memory_errors
def mxm(
    A: Matrix,
    B: Matrix,
    semiring: Semiring,
    *,
    out: Matrix | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Matrix:
    """out<mask> accum= A B: out(i, j) = add over k of multiply(A(i, k), B(k, j)).

    >>> from anypair.semiring import plus_pair
    >>> path = Matrix.from_edges([0, 1], [1, 2])
    >>> mxm(path, path, plus_pair).to_entries()
    (array([0]), array([2]), array([1]))
    """
    expect("mxm", "A", A, Matrix)
    expect("mxm", "B", B, Matrix)
    output = Output("mxm", semiring, out, mask, accum, replace, A=A, B=B)
    backend = output.backend
    if A.ncols != B.nrows:
        refuse_sizes("mxm", A, B)
    typed = typed_for_product("mxm", backend, as_semiring("mxm", semiring), A.dtype, B.dtype)
    if output.trace is not None:
        output.trace.note(missing=typed.missing_for_early_stop)
    inside = output.prepare(Matrix, (A.nrows, B.ncols), typed.result)
    t = backend.mxm(A.storage, B.storage, typed, inside)
    result: Matrix = output.write(t, masked=True)
    return result


@naming_memory_errors
def reduce_product(
    A: Matrix, B: Matrix, semiring: Semiring, monoid: Monoid, *, mask: Mask | None = None
) -> Scalar:
    """reduce(mxm(A, B, semiring, mask=mask), monoid), of arguments that `mxm` has checked."""
    output = Output("reduce(mxm)", semiring, None, mask, None, False, A=A, B=B)
    backend = output.backend
    typed = typed_for_product("mxm", backend, semiring, A.dtype, B.dtype)
    inside = output.prepare(Matrix, (A.nrows, B.ncols), typed.result)
    summed = type_on(backend, monoid, typed.result)
    total = backend.reduce_product(A.storage, B.storage, typed, inside, summed)
    output.record(int(not backend.processes.rank))  # one number, however many have it
    return total


@naming_memory_errors
def kron(
    A: Matrix,
    B: Matrix,
    op: BinaryOp | Monoid,
    *,
    out: Matrix | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Matrix:
    """out<mask> accum= A (x) B: the Kronecker product, every entry of A with every entry of B.

    >>> from anypair.semiring import land
    >>> edge = Matrix.from_edges([0], [1])
    >>> kron(edge, edge, land).to_entries()[:2]
    (array([0]), array([3]))
    """
    expect("kron", "A", A, Matrix)
    expect("kron", "B", B, Matrix)
    output = Output("kron", op, out, mask, accum, replace, A=A, B=B)
    backend = output.backend
    typed = type_on(backend, as_binary("kron", "op", op), A.dtype, B.dtype)
    output.prepare(Matrix, as_shape("kron", (A.nrows * B.nrows, A.ncols * B.ncols)), typed.result)
    A.require(A.nvals * B.nvals * (16 + typed.result.itemsize), "the product")
    result: Matrix = output.write(backend.kron(A.storage, B.storage, typed))
    return result


def refuse_sizes(operation: str, left: Matrix | Vector, right: Matrix | Vector) -> NoReturn:
    """Say that the two operands of a product do not fit."""
    if isinstance(left, Vector):
        assert isinstance(right, Matrix)
        one, other = f"A has {right.nrows} rows", f"u has size {left.size}"
    elif isinstance(right, Vector):
        one, other = f"A has {left.ncols} columns", f"u has size {right.size}"
    else:
        one, other = f"A is {describe(left.shape)}", f"B is {describe(right.shape)}"
    raise SizeMismatch(f"{operation}: {one} and {other}; they have to be equal")
