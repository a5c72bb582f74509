"""Closures over a semiring: shortest, widest and most reliable paths, reachability, components."""

import numpy as np

from anypair.backends.base import Backend, Storage
from anypair.backends.closure import range_of
from anypair.backends.product_range import ProductRange, Range
from anypair.dtypes import INT32, INT64, DType, largest, smallest
from anypair.errors import InvalidArgument, SizeMismatch, UnsupportedDType
from anypair.mask import Mask
from anypair.matrix import Matrix
from anypair.memory import naming_memory_errors
from anypair.operations.closure_checks import (
    check_monotone,
    check_semiring,
    edges_of,
    never_improves,
    refuse_best_infinity,
    refuse_nan,
    refuse_products_of_nan,
    require_held,
)
from anypair.operations.output import Output, as_semiring, describe, expect, type_on
from anypair.semiring import BinaryOp, BoundOp, Monoid, Semiring, TypedSemiring, plus
from anypair.vector import Vector


@naming_memory_errors
def closure(
    u: Vector,
    A: Matrix,
    semiring: Semiring,
    *,
    out: Vector | None = None,
    mask: Mask | None = None,
    accum: BinaryOp | Monoid | None = None,
    replace: bool = False,
) -> Vector:
    """out<mask> accum= u A*: the sum u + uA + uAA + ..., the least x with x = u + xA.

    So out(j) is the best, as the semiring's sum selects, of all paths from an entry of u to j. The sum
    has to select the least or the greatest, or any of products that are all alike, and the multiply has
    to be monotone. Values that get better for ever along a cycle raise `ImprovingCycle`.

    >>> from anypair.semiring import max_min, min_plus
    >>> roads = Matrix.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> closure(Vector.from_entries([0], [0], size=3), roads, min_plus).to_dict()
    {0: 0, 1: 4, 2: 7}
    >>> closure(Vector.from_entries([0], [99], size=3), roads, max_min).to_dict()
    {0: 99, 1: 4, 2: 9}
    """
    expect("closure", "u", u, Vector)
    expect("closure", "A", A, Matrix)
    output = Output("closure", semiring, out, mask, accum, replace, u=u, A=A)
    backend = output.backend
    if A.nrows != A.ncols or A.nrows != u.size:
        raise SizeMismatch(
            f"closure: A is {describe(A.shape)} and u has size {u.size}; "
            "A has to have as many rows and columns as u has places"
        )
    typed = _closed(backend, as_semiring("closure", semiring), A.dtype, u.dtype)
    output.prepare(Vector, u.shape, typed.result)
    result: Vector = output.write(_fixed_point(backend, u, A, typed))
    return result


def _closed(backend: Backend, semiring: Semiring, edges: DType, values: DType) -> TypedSemiring:
    """The semiring on the least dtype that holds `values` and what it makes of them."""
    dtype = values
    typed: TypedSemiring = type_on(backend, semiring, edges, dtype)
    try:
        while typed.result != dtype:
            wider = np.promote_types(dtype, typed.result)
            if wider == dtype:
                check_semiring(typed)
                raise UnsupportedDType(
                    f"closure: u has dtype {values}, and {semiring.name} of edges of {edges} gives "
                    f"{typed.result}; no dtype holds both and is what the semiring makes of itself: "
                    f'cast u or A, as in u.cast("{typed.result}")'
                )
            dtype = wider
            typed = type_on(backend, semiring, edges, dtype)
        check_semiring(typed)
    except (UnsupportedDType, InvalidArgument) as error:
        backend.processes.fail(error)
    return typed


def _fixed_point(backend: Backend, u: Vector, A: Matrix, typed: TypedSemiring) -> Storage:
    """The least x = u + xA, of the dtype that `typed` gives."""
    dtype = typed.result
    if not u.nvals:
        return backend.cast(u.storage, dtype)
    edges = edges_of(A, typed)
    is_float = dtype.kind == "f"
    if is_float:
        refuse_nan(backend, "u", u.storage, u.dtype)
    if typed.multiply.gives == "value" and not is_float:  # whatever they are, they stay so
        given: Range = smallest(dtype), largest(dtype)
    else:
        given = range_of(backend, u.storage, u.dtype)
    check_monotone(typed, edges, given)
    computed, products = _with_room(typed, A, edges, given)
    symmetric = typed.multiply.gives == "value" and A.has_symmetric_structure
    start = u.storage if u.dtype == computed.result else backend.cast(u.storage, computed.result)
    x = backend.closure(
        start, A.storage, computed, A.nrows,
        symmetric=symmetric, grows=never_improves(computed, edges, given, A.nrows), products=products,
    )  # fmt: skip
    if is_float:
        return _in_order(backend, x, typed, edges, given, A.nrows)
    if products is not None:
        require_held(backend, x, computed.result, dtype)
    return x if computed is typed else backend.cast(x, dtype)


def _with_room(
    typed: TypedSemiring, A: Matrix, edges: Range, values: Range
) -> tuple[TypedSemiring, ProductRange | None]:
    """The semiring on a dtype in which integers do not wrap around, and what tells where they might.

    Sums that fit half of the bytes are computed there: places of x that edges lead to are anywhere, and
    twice as many of them lie in the cache.
    """
    if typed.result.kind not in "iu":
        return typed, None
    steps = 2 * A.nrows + 4  # as many rounds as are allowed, and as many to name a cycle
    if typed.result == INT64 and typed.multiply.is_addition:
        half = typed.semiring.typed(A.dtype, INT32)
        in_half = ProductRange(half, edges, A.nrows)
        if (
            half.result == INT32
            and in_half.within_dtype(values)
            and in_half.stays_within_dtype(values, steps)
        ):
            return half, None
    products = ProductRange(typed, edges, A.nrows)
    if products.stays_within_dtype(values, steps):
        return typed, None
    wide = typed.semiring.typed(A.dtype, INT64)
    if typed.result.itemsize < INT64.itemsize and wide.result == INT64:
        return wide, ProductRange(wide, edges, A.nrows)
    return typed, products


def _in_order(
    backend: Backend, x: Storage, typed: TypedSemiring, edges: Range, given: Range, n: int
) -> Storage:
    """Floats that are all comparable: no NaN is there or was lost on the way, and zero has one sign."""
    dtype = typed.result
    refuse_nan(backend, "a value", x, dtype)
    found = range_of(backend, x, dtype)
    values = min(given[0], found[0]), max(given[1], found[1])
    check_monotone(typed, edges, values)
    refuse_best_infinity(typed, edges, given, found)
    refuse_products_of_nan(typed, ProductRange(typed, edges, n), values)
    return backend.apply(x, BoundOp(plus.typed(dtype, dtype), 0.0, False))
