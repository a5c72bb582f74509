"""From our operators to the library's: a native one where what an operator does is what the library has.

That is told from facts and from the normal form of the function (`canonical`), so a user's operator is
native where its twin of the catalogue is; where it casts, only if that comes to the same. Declared facts
are believed here as everywhere: what is said to select "min" is GrB_MIN. All others are compiled.

A row in one of the tables is only speed. To add one for an operator of your own:
`CLOSED[hypotenuse.canonical] = "GxB_HYPOT"`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anypair import semiring as s
from anypair.backends.plan import Plan, plan_for
from anypair.backends.suitesparse.library import SUFFIX, lib, new_object, symbol
from anypair.dtypes import BOOL, FLOAT64, INT64, DType, Scalar, caster
from anypair.semiring import (
    BinaryOp,
    BoundOp,
    TypedBinary,
    TypedMonoid,
    TypedSemiring,
    TypedUnary,
    UnaryOp,
    keeps_values,
)

if TYPE_CHECKING:
    from anypair.backends.suitesparse.callbacks import Compiled, Failure

CACHE_SIZE = 256  # operators of each kind that stay ready for use
Row = TypeVar("Row")


def _by_form(rows: Mapping[UnaryOp | BinaryOp, Row]) -> dict[str, Row]:
    """What the library has for each of these operators, by the normal form of their functions."""
    forms = {_form(op): row for op, row in rows.items()}
    assert "" not in forms
    return forms


def _form(op: UnaryOp | BinaryOp) -> str:
    """The normal form of its function; nothing if that cannot be told."""
    return op.canonical or ""


# Two of a dtype to the same; the name is completed by the dtype.
CLOSED = _by_form({s.plus: "GrB_PLUS", s.minus: "GrB_MINUS", s.times: "GrB_TIMES"})
CLOSED_ON_FLOATS = _by_form({s.divide: "GrB_DIV"})
SELECTING: dict[str | None, str] = {"min": "GrB_MIN", "max": "GrB_MAX"}
# Two of any dtype to a bool: only whether they are 0 matters.
LOGICAL = _by_form({s.lor: "GxB_LOR_BOOL", s.land: "GxB_LAND_BOOL"})
# Two bools to a bool, by what comes of (0, 0), (0, 1), (1, 0) and (1, 1).
OF_TRUTH_TABLE: dict[tuple[bool, ...], str] = {
    (False, False, False, True): "GxB_LAND_BOOL",
    (False, True, True, True): "GxB_LOR_BOOL",
    (False, True, True, False): "GxB_LXOR_BOOL",
    (True, False, False, True): "GrB_EQ_BOOL",
    (False, True, False, False): "GrB_LT_BOOL",
    (True, True, False, True): "GrB_LE_BOOL",
    (False, False, True, False): "GrB_GT_BOOL",
    (True, False, True, True): "GrB_GE_BOOL",
}
MONOIDS_OF_TRUTH_TABLE: dict[tuple[Scalar, ...], str] = {
    (False, False, False, True): "GrB_LAND_MONOID_BOOL",
    (False, True, True, True): "GrB_LOR_MONOID_BOOL",
    (False, True, True, False): "GrB_LXOR_MONOID_BOOL",
    (True, False, False, True): "GrB_LXNOR_MONOID_BOOL",
}
# Two of a dtype to bool: GrB_EQ compares values, GrB_VALUEEQ selects by comparing with a number.
COMPARISONS = _by_form({s.eq: "EQ", s.ne: "NE", s.lt: "LT", s.le: "LE", s.gt: "GT", s.ge: "GE"})
MIRRORED = {"EQ": "EQ", "NE": "NE", "LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}
UNARY = _by_form({s.negate: "GrB_AINV", s.absolute: "GrB_ABS"})
UNARY_ON_FLOATS = _by_form({s.reciprocal: "GrB_MINV"})
UNARY_OF_ANY_CAST = _by_form({s.identity: "GrB_IDENTITY", s.one: "GxB_ONE"})
# Operators of a place, each with the number that the native one takes besides, and what it gives.
INDEX_OPERATORS = _by_form(
    {
        s.position: ("GrB_ROWINDEX_INT64", 0, INT64),
        s.column: ("GrB_COLINDEX_INT64", 0, INT64),
        s.diagonal: ("GrB_DIAG", 0, BOOL),
        s.off_diagonal: ("GrB_OFFDIAG", 0, BOOL),
        s.lower: ("GrB_TRIL", 0, BOOL),
        s.upper: ("GrB_TRIU", 0, BOOL),
        s.strict_lower: ("GrB_TRIL", -1, BOOL),
        s.strict_upper: ("GrB_TRIU", 1, BOOL),
    }
)
# Those that take the number of a diagonal.
NUMBERED_OPERATORS = _by_form(
    {
        numbered: row
        for op, row in (
            (s.diagonal, "GrB_DIAG"),
            (s.off_diagonal, "GrB_OFFDIAG"),
            (s.lower, "GrB_TRIL"),
            (s.upper, "GrB_TRIU"),
        )
        if (numbered := op.numbered) is not None
    }
)


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
    return native_binary(op, final) or _compiled(op, (op.left, op.right), final)


@lru_cache(maxsize=CACHE_SIZE)
def binary_to_cast(op: TypedBinary) -> Operator:
    """op for an operation that casts what it returns to the dtype of the output, op.result."""
    return native_binary(op.into(op.computed), op.computed) or binary(op, op.result)


@lru_cache(maxsize=CACHE_SIZE)
def closed_binary(op: TypedBinary, dtype: DType) -> Operator:
    """op that takes two values of `dtype`, whatever it casts them to, and returns a third."""
    if op.left == op.right == dtype and (native := native_binary(op, dtype)):
        return native
    return _compiled(op, (dtype, dtype), dtype)


def _compiled(op: TypedBinary, stored: tuple[DType, DType], final: DType) -> Operator:
    from anypair.backends.suitesparse.callbacks import compile_binary

    return _operator(compile_binary(op, stored, final))


def _operator(compiled: "Compiled") -> Operator:
    return Operator(compiled.pointer[0], failure=compiled.failure, parts=compiled)


def native_binary(op: TypedBinary, final: DType) -> Operator | None:
    """An operator of the library that does what op does, its result cast to `final`, if there is one."""
    if op.constant is not None and caster(final)(op.constant) == 1:
        return Operator(symbol("GrB_ONEB", final))
    if _only_casts(op, "edge", op.left, final):
        return Operator(symbol("GrB_FIRST", final), left=final)
    if _only_casts(op, "value", op.right, final):
        return Operator(symbol("GrB_SECOND", final), right=final)
    if final == BOOL and op.truth_table:
        name = OF_TRUTH_TABLE.get(tuple(map(bool, op.truth_table)))
        return Operator(getattr(lib, name), BOOL, BOOL) if name else None
    if not op.computed == op.result == final:
        return None
    if op.op.gives == "source":
        return Operator(lib.GxB_SECONDI_INT64) if final == INT64 else None
    return _native_predicate(op) if final == BOOL else _native_closed(op, final)


def _only_casts(op: TypedBinary, given: str, operand: DType, final: DType) -> bool:
    """Whether op hands on that operand, and to cast it once to `final` is as good as what op does."""
    if op.op.gives != given or (operand != final and op.op.casts_operands):
        return False
    casts_once = {op.computed, op.result} <= {operand, final}
    return casts_once or (op.gives == given and op.result == final)


def _native_predicate(op: TypedBinary) -> Operator | None:
    if name := LOGICAL.get(_form(op.op)):
        return Operator(getattr(lib, name), BOOL, BOOL)
    name = COMPARISONS.get(_form(op.op))
    common = np.promote_types(op.left, op.right)
    if name is None or not _keeps_both(op, common):
        return None
    return Operator(symbol(f"GrB_{name}", common), common, common)


def _native_closed(op: TypedBinary, final: DType) -> Operator | None:
    """An operator of two values of `final`, to which op may as well cast its operands."""
    name = CLOSED.get(_form(op.op))
    if final.kind == "f":
        name = CLOSED_ON_FLOATS.get(_form(op.op), name)
    if _keeps_both(op, final):
        name = SELECTING.get(TypedBinary(op.op, final, final, final, final).selects, name)
    elif final != FLOAT64 or "f" not in (op.left.kind, op.right.kind):
        return None  # beside a float, Python makes an integer one: as the cast does
    return Operator(symbol(name, final), final, final) if name else None


def _keeps_both(op: TypedBinary, dtype: DType) -> bool:
    return keeps_values(op.left, dtype) and keeps_values(op.right, dtype)


@lru_cache(maxsize=CACHE_SIZE)
def unary(op: TypedUnary) -> Operator:
    """op, native or compiled: a GrB_IndexUnaryOp if it is indexed, else a GrB_UnaryOp.

    The output has to cast what it returns to op.result.
    """
    if native := native_unary(op):
        return native
    from anypair.backends.suitesparse.callbacks import compile_unary

    return _operator(compile_unary(op))


def native_unary(op: TypedUnary) -> Operator | None:
    """An operator of the library that does what op does, up to the last cast, if there is one."""
    return _native_of_place(op) if op.op.indexed else _native_of_value(op)


def _native_of_place(op: TypedUnary) -> Operator | None:
    if op.number is not None:
        name = NUMBERED_OPERATORS.get(_form(op.op)) if op.number == INT64 else None
        return Operator(getattr(lib, name)) if name and op.computed == BOOL else None
    name, thunk, computed = INDEX_OPERATORS.get(_form(op.op), ("", 0, BOOL))
    return Operator(getattr(lib, name), thunk=thunk) if name and op.computed == computed else None


def _native_of_value(op: TypedUnary) -> Operator | None:
    name = UNARY_OF_ANY_CAST.get(_form(op.op))
    # What any of these makes of a number is 0 or not as it makes of the number's truth.
    if name is None and (op.computed == BOOL or keeps_values(op.operand, op.computed)):
        name = UNARY.get(_form(op.op))
        if op.computed.kind == "f":
            name = UNARY_ON_FLOATS.get(_form(op.op), name)
    return Operator(symbol(name, op.computed)) if name else None


def value_comparison(op: BoundOp, dtype: DType) -> Any:
    """The native operator that selects, among values of `dtype`, as op does; None if there is none."""
    name = COMPARISONS.get(_form(op.op))
    if name is None or not op.binary.left == op.binary.right == dtype:
        return None
    return symbol(f"GrB_VALUE{MIRRORED[name] if op.scalar_is_left else name}", dtype)


@lru_cache(maxsize=CACHE_SIZE)
def monoid(of: TypedMonoid) -> Operator:
    """A monoid, native or made of a native or a compiled operator."""
    domain = of.domain
    if native := _native_monoid(of):
        return Operator(native)
    op = binary(of.op, domain)
    if op.native or of.terminal is None:
        pointer = new_object("GrB_Monoid", symbol("GrB_Monoid_new", domain), op.handle, of.identity)
    else:
        constructor = symbol("GxB_Monoid_terminal_new", domain)
        pointer = new_object("GrB_Monoid", constructor, op.handle, of.identity, of.terminal)
    return Operator(pointer[0], failure=op.failure, parts=(pointer, op))


def _native_monoid(of: TypedMonoid) -> Any:
    domain = of.domain
    if of.selects == "any":
        return _any_monoid(domain)
    if domain == BOOL:
        name = MONOIDS_OF_TRUTH_TABLE.get(of.op.truth_table)
        return getattr(lib, name) if name else None
    name = SELECTING.get(of.selects, CLOSED.get(_form(of.op.op)))
    return symbol(f"{name}_MONOID", domain) if name else None


def _any_monoid(domain: DType) -> Any:
    return getattr(lib, f"GxB_ANY_{SUFFIX[domain]}_MONOID")


@lru_cache(maxsize=CACHE_SIZE)
def semiring(of: TypedSemiring) -> SemiringOperator:
    """A semiring, of native and compiled parts."""
    multiply = binary(of.multiply, of.add.domain)
    # Where all terms are one value, any of them is the sum.
    add = monoid(of.add) if of.constant is None else Operator(_any_monoid(of.result))
    pointer = new_object("GrB_Semiring", lib.GrB_Semiring_new, add.handle, multiply.handle)
    plan = plan_for(of)
    is_any = of.add.takes_any or of.constant is not None
    known = is_any or of.stops_at is not None or (of.terms_are_indices and multiply.native)
    plan = replace(plan, ends_early=plan.ends_early and known)
    return SemiringOperator(pointer[0], multiply, add, plan, pointer)
