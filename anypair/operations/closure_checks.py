"""What a closure asks of its semiring and of numbers, so that any way to compute it gives the same."""

import math

from anypair.backends.base import Backend, Storage
from anypair.backends.closure import range_of
from anypair.backends.product_range import ProductRange, Range
from anypair.dtypes import DType, caster, largest, smallest
from anypair.errors import InvalidArgument, InvalidValue, ResultOverflow
from anypair.matrix import Matrix
from anypair.semiring import BoundOp, TypedMonoid, TypedSemiring, gt, is_not_finite, is_true, lt, ne

TRIED = (1, 0, 2)  # of which every sum that counts its terms tells one from its double
LEAVE_OUT = "leave such entries out"


def check_semiring(semiring: TypedSemiring) -> None:
    """Refuse a semiring whose sums change with each way around a cycle, or with the order of paths."""
    name, add, multiply = semiring.semiring.name, semiring.add, semiring.multiply
    if multiply.op.sees_place:
        raise InvalidArgument(
            f"closure: {name}: multiply {multiply.op.name!r} sees the place (i, j) of the result, which "
            "is another at each step of a path; make an operator of (x, y, k)"
        )
    if add.selects is None:
        raise InvalidArgument(f"closure: {name}: {_why_not(add)}")
    if add.selects == "any" and multiply.gives != "constant":
        raise InvalidArgument(
            f"closure: {name}: {add.monoid.name!r} takes any of the products, and those of "
            f"{multiply.op.name!r} are not known to be all alike; take any_pair, or a sum that selects "
            "the least or the greatest, such as min_monoid"
        )
    if multiply.monotone_within is None:
        known, remedy = "is not monotone", ""
        if multiply.monotone is None:
            known = "is not known to be monotone"
            remedy = "; if it does, declare @binary_op(monotone=True), which anypair.check tries out"
        raise InvalidArgument(
            f"closure: {name}: multiply {multiply.op.name!r} {known} on {multiply.left} and "
            f"{multiply.right}: x <= y has to imply multiply(edge, x) <= multiply(edge, y){remedy}"
        )


def _why_not(add: TypedMonoid) -> str:
    """What is wrong with a sum that is not known to select."""
    name = add.monoid.name
    for value in map(caster(add.domain), TRIED):
        if (double := add.op(value, value)) != value:
            return (
                f"the sum {name!r} of {value} and {value} is {double}, so it would change with each way "
                "around a cycle; a closure needs a sum that selects, such as min_monoid, max_monoid or "
                "lor_monoid"
            )
    return (
        f"the sum {name!r} is not known to select the least or the greatest of its terms, over "
        f'{add.domain}; if it does, declare @monoid(..., selects="min") or "max", which '
        "anypair.check tries out"
    )


def edges_of(A: Matrix, semiring: TypedSemiring) -> Range:
    """The least and the greatest edge; those that nobody reads, or that are bool, are not looked at."""
    if not semiring.multiply.op.reads_left or A.dtype.kind == "b":
        return 0, 1
    if math.isnan(A.value_range[0]):
        raise InvalidValue(f"closure: A holds NaN, which has no place in an order; {LEAVE_OUT}")
    return A.value_range


def check_monotone(semiring: TypedSemiring, edges: Range, values: Range) -> None:
    """Refuse edges and values for which the multiply is not known to be monotone."""
    within = semiring.multiply.monotone_within
    assert within is not None  # as `check_semiring` has found
    if not within.covers(edges, values):
        raise InvalidValue(
            f"closure: {semiring.semiring.name}: multiply {semiring.multiply.op.name!r} is known to be "
            f"monotone for edges {_said(within.edges)} and values {_said(within.values)}; "
            f"there are edges {_said(edges)} and values {_said(values)}"
        )


def never_improves(semiring: TypedSemiring, edges: Range, given: Range, n: int) -> bool:
    """Whether products of these edges, from such values on, are surely never better, nor NaN."""
    if (within := semiring.grows) is None:
        return False
    products = ProductRange(semiring, edges, n)
    values = products.ever(given)
    if values is None:  # they become worse and worse
        is_least, dtype = semiring.add.selects == "min", semiring.result
        values = (given[0], largest(dtype)) if is_least else (smallest(dtype), given[1])
    if not within.covers(edges, values):
        return False
    return semiring.result.kind != "f" or products.not_a_number(values) is None


def _said(ends: tuple[object, object]) -> str:
    least, greatest = ends
    if greatest is None:
        return "of all sizes" if least is None else f"from {least} on"
    return f"up to {greatest}" if least is None else f"from {least} to {greatest}"


def refuse_nan(backend: Backend, what: str, x: Storage, dtype: DType) -> bool:
    """Raise if there is NaN among floats; otherwise whether there is an infinity."""
    odd = backend.select(x, is_not_finite.typed(dtype))
    if not backend.nvals(odd):
        return False
    unequal = backend.ewise_mult(odd, odd, ne.typed(dtype, dtype))
    places = backend.entries(backend.select(unequal, is_true.typed(ne.typed(dtype, dtype).result)))[0]
    if len(places):
        raise InvalidValue(
            f"closure: {what} is NaN at {places[0]}, which has no place in an order; {LEAVE_OUT}"
        )
    return True


def refuse_products_of_nan(semiring: TypedSemiring, products: ProductRange, values: Range) -> None:
    """Raise if an edge and one of these values may make NaN: what is lost then depends on the order."""
    if (found := products.not_a_number(values)) is not None:
        raise InvalidValue(
            f"closure: {semiring.semiring.name} of an edge of {found.edge} and a value of {found.value} "
            f"is NaN, which has no place in an order; {LEAVE_OUT}"
        )


def refuse_best_infinity(semiring: TypedSemiring, edges: Range, given: Range, found: Range) -> None:
    """Raise if finite numbers have become infinitely good: a cycle may have made them so."""
    end = 0 if semiring.add.selects == "min" else 1
    if math.isinf(found[end]) and math.isfinite(given[end]) and all(map(math.isfinite, edges)):
        raise ResultOverflow(
            f"closure: {semiring.semiring.name}: a value is beyond what {semiring.result} holds, or "
            "improves for ever along a cycle; give numbers that are not as large"
        )


def require_held(backend: Backend, x: Storage, dtype: DType, by: DType) -> None:
    """Raise if an entry of x, which is of `dtype`, is beyond what another dtype holds."""
    least, greatest = range_of(backend, x, dtype)
    for op, end, beyond in ((lt, smallest(by), least), (gt, largest(by), greatest)):
        if op(beyond, end):
            outside = backend.select(x, BoundOp(op.typed(dtype, dtype), end, False))
            place = backend.entries(outside)[0][0]
            raise ResultOverflow(
                f"closure: the value at {place} is beyond what {by} holds, values go from {least} to "
                f'{greatest}; u.cast("int64") or A.cast("int64") gives room'
            )
