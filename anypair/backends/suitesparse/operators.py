"""From our operators to the library's: a native one for each of the catalogue, else one compiled.

A row in one of the tables is only speed. To add one for an operator of your own:
`CLOSED[hypotenuse.function] = "GxB_HYPOT"`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anypair import semiring as s
from anypair.backends.plan import Plan, plan_for
from anypair.backends.suitesparse.library import SUFFIX, lib, new_object, symbol
from anypair.dtypes import BOOL, INT64, DType
from anypair.semiring import (
    BoundOp,
    TypedBinary,
    TypedMonoid,
    TypedSemiring,
    TypedUnary,
)

if TYPE_CHECKING:
    from anypair.backends.suitesparse.callbacks import Compiled, Failure

Function = Callable[..., Any]
CACHE_SIZE = 256  # operators of each kind that stay ready for use

# Two of a dtype to the same; the name is completed by the dtype.
CLOSED: dict[Function, str] = {
    s.plus.function: "GrB_PLUS",
    s.minus.function: "GrB_MINUS",
    s.times.function: "GrB_TIMES",
    s.minimum.function: "GrB_MIN",
    s.maximum.function: "GrB_MAX",
    s.any_of.function: "GrB_FIRST",
}
CLOSED_ON_FLOATS: dict[Function, str] = {s.divide.function: "GrB_DIV"}
CLOSED_ON_BOOL: dict[Function, str] = {
    s.lor.function: "GxB_LOR",
    s.land.function: "GxB_LAND",
    s.lxor.function: "GxB_LXOR",
    s.lxnor.function: "GrB_EQ",
}
# Two of a dtype to bool: GrB_EQ compares values, GrB_VALUEEQ selects by comparing with a number.
COMPARISONS: dict[Function, str] = {
    s.eq.function: "EQ",
    s.ne.function: "NE",
    s.lt.function: "LT",
    s.le.function: "LE",
    s.gt.function: "GT",
    s.ge.function: "GE",
}
MIRRORED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}
MONOIDS: dict[Function, str] = {
    s.plus.function: "GrB_PLUS_MONOID",
    s.times.function: "GrB_TIMES_MONOID",
    s.minimum.function: "GrB_MIN_MONOID",
    s.maximum.function: "GrB_MAX_MONOID",
}
MONOIDS_ON_BOOL: dict[Function, str] = {
    s.minimum.function: "GrB_LAND_MONOID",
    s.maximum.function: "GrB_LOR_MONOID",
    s.lor.function: "GrB_LOR_MONOID",
    s.land.function: "GrB_LAND_MONOID",
    s.lxor.function: "GrB_LXOR_MONOID",
    s.lxnor.function: "GrB_LXNOR_MONOID",
}
UNARY: dict[Function, str] = {
    s.identity.function: "GrB_IDENTITY",
    s.is_true.function: "GrB_IDENTITY",
    s.negate.function: "GrB_AINV",
    s.absolute.function: "GrB_ABS",
    s.reciprocal.function: "GrB_MINV",
    s.one.function: "GxB_ONE",
    s.logical_not.function: "GxB_LNOT",
}
# Operators of a place, each with the number that the native one takes besides.
INDEX_OPERATORS: dict[Function, tuple[str, int, DType]] = {
    s.position.function: ("GrB_ROWINDEX_INT64", 0, INT64),
    s.column.function: ("GrB_COLINDEX_INT64", 0, INT64),
    s.diagonal.function: ("GrB_DIAG", 0, BOOL),
    s.off_diagonal.function: ("GrB_OFFDIAG", 0, BOOL),
    s.lower.function: ("GrB_TRIL", 0, BOOL),
    s.upper.function: ("GrB_TRIU", 0, BOOL),
    s.strict_lower.function: ("GrB_TRIL", -1, BOOL),
    s.strict_upper.function: ("GrB_TRIU", 1, BOOL),
}


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """An operator of the library, ready to be called with."""

    handle: Any
    #: The dtypes of operands that it is fast for; None where it reads nothing, or is never fast.
    left: DType | None = None
    right: DType | None = None
    thunk: int = 0
    failure: "Failure | None" = None
    parts: Any = None  # what has to live as long

    @property
    def native(self) -> bool:
        """Whether it is one of the library's own, which never fail."""
        return self.failure is None


@dataclass(frozen=True, slots=True, eq=False)
class SemiringOperator:
    """A semiring of the library, with what its products have to know."""

    handle: Any
    multiply: Operator
    add: Operator
    plan: Plan  # as far as the library keeps to it
    parts: Any


def raise_failures(happened: Callable[[], Any], *operators: Operator) -> None:
    """Raise what a compiled function has raised, unless the library only tried the function out.

    Of operands that hold one value throughout it takes a sample, even if no two entries meet.
    """
    for operator in operators:
        if operator.failure is not None and operator.failure.take() and happened():
            operator.failure.throw()


@lru_cache(maxsize=CACHE_SIZE)
def binary(op: TypedBinary, final: DType) -> Operator:
    """op that returns values of `final`, to which its result is cast."""
    return _native_binary(op, final) or _compiled(op, (op.left, op.right), final)


@lru_cache(maxsize=CACHE_SIZE)
def binary_to_cast(op: TypedBinary) -> Operator:
    """op for an operation that casts what it returns to the dtype of the output, op.result."""
    return _native_binary(op.into(op.computed), op.computed) or binary(op, op.result)


@lru_cache(maxsize=CACHE_SIZE)
def closed_binary(op: TypedBinary, dtype: DType) -> Operator:
    """op that takes two values of `dtype`, whatever it casts them to, and returns a third."""
    if op.left == op.right == dtype and (native := _native_binary(op, dtype)):
        return native
    return _compiled(op, (dtype, dtype), dtype)


def _compiled(op: TypedBinary, stored: tuple[DType, DType], final: DType) -> Operator:
    from anypair.backends.suitesparse.callbacks import compile_binary

    return _operator(compile_binary(op, stored, final))


def _operator(compiled: "Compiled") -> Operator:
    return Operator(compiled.pointer[0], failure=compiled.failure, parts=compiled)


def _native_binary(op: TypedBinary, final: DType) -> Operator | None:
    function = op.op.function
    if function is s.pair.function:
        return Operator(symbol("GrB_ONEB", final))
    if function is s.first.function and {op.computed, op.result} <= {op.left, final}:
        return Operator(symbol("GrB_FIRST", final), left=final)
    if function is s.second.function and {op.computed, op.result} <= {op.right, final}:
        return Operator(symbol("GrB_SECOND", final), right=final)
    if not op.computed == op.result == final:
        return None
    if function is s.source.function:
        return Operator(lib.GxB_SECONDI_INT64) if final == INT64 else None
    if op.left != op.right:
        return None
    if final == BOOL and (comparison := COMPARISONS.get(function)):
        return Operator(symbol(f"GrB_{comparison}", op.left), op.left, op.left)
    name = CLOSED.get(function)
    if final.kind == "f":
        name = CLOSED_ON_FLOATS.get(function, name)
    elif final == BOOL:
        name = CLOSED_ON_BOOL.get(function, name)
    return Operator(symbol(name, final), final, final) if name and op.left == final else None


@lru_cache(maxsize=CACHE_SIZE)
def unary(op: TypedUnary) -> Operator:
    """op, native or compiled: a GrB_IndexUnaryOp if it is indexed, else a GrB_UnaryOp.

    The output has to cast what it returns to op.result.
    """
    function = op.op.function
    name = UNARY.get(function)
    if name and op.operand == op.computed:
        return Operator(symbol(name, op.computed))
    if place := INDEX_OPERATORS.get(function):
        name, thunk, computed = place
        if op.computed == computed:
            return Operator(getattr(lib, name), thunk=thunk)
    from anypair.backends.suitesparse.callbacks import compile_unary

    return _operator(compile_unary(op))


def value_comparison(op: BoundOp, dtype: DType) -> Any:
    """The native operator that selects, among values of `dtype`, as op does; None if there is none."""
    name = COMPARISONS.get(op.op.function)
    if name is None or not op.binary.left == op.binary.right == dtype:
        return None
    return symbol(f"GrB_VALUE{MIRRORED[name] if op.scalar_is_left else name}", dtype)


@lru_cache(maxsize=CACHE_SIZE)
def monoid(of: TypedMonoid) -> Operator:
    """A monoid, native or made of a native or a compiled operator."""
    domain = of.domain
    if of.takes_any:
        return Operator(getattr(lib, f"GxB_ANY_{SUFFIX[domain]}_MONOID"))
    name = (MONOIDS_ON_BOOL if domain == BOOL else MONOIDS).get(of.op.op.function)
    if name:
        return Operator(symbol(name, domain))
    op = binary(of.op, domain)
    if op.native or of.terminal is None:
        pointer = new_object("GrB_Monoid", symbol("GrB_Monoid_new", domain), op.handle, of.identity)
    else:
        constructor = symbol("GxB_Monoid_terminal_new", domain)
        pointer = new_object("GrB_Monoid", constructor, op.handle, of.identity, of.terminal)
    return Operator(pointer[0], failure=op.failure, parts=(pointer, op))


@lru_cache(maxsize=CACHE_SIZE)
def semiring(of: TypedSemiring) -> SemiringOperator:
    """A semiring, of native and compiled parts."""
    add, multiply = monoid(of.add), binary(of.multiply, of.add.domain)
    pointer = new_object("GrB_Semiring", lib.GrB_Semiring_new, add.handle, multiply.handle)
    plan = plan_for(of)
    known = of.add.takes_any or of.stops_at is not None or (of.terms_are_indices and multiply.native)
    plan = replace(plan, ends_early=plan.ends_early and known)
    return SemiringOperator(pointer[0], multiply, add, plan, pointer)
