"""Operators: a plain Python function of scalars, and the facts about it. No compiled form lives here.

An operator meets dtypes by `typed(...)`; what comes back fixes every cast and, called on Python
numbers, is the definition that each backend has to reproduce.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any, Self

import numpy as np

from anypair.dtypes import INT64, DType, Scalar, caster
from anypair.errors import InvalidArgument, OperatorError
from anypair.semiring import signatures
from anypair.semiring.binary_facts import BinaryFacts, TypedBinaryFacts
from anypair.semiring.bytecode import reads_argument
from anypair.semiring.captures import OfFunction, freeze
from anypair.semiring.derivation import skipping_nan, skips_nan
from anypair.semiring.facts import NOTHING, Facts
from anypair.semiring.function_facts import FunctionFacts
from anypair.semiring.pickling import Portable
from anypair.semiring.result_dtype import infer_result
from anypair.semiring.rules import (
    BinaryRule,
    NaryStated,
    Signature,
    UnaryRule,
    casts_operands,
    returning,
)
from anypair.semiring.symbolic import reads


@dataclass(frozen=True, eq=False, repr=False)
class UnaryOp(FunctionFacts, Portable, OfFunction):
    """`function(x)` of one value. What the function captures is frozen when the operator is made.

    >>> from anypair import unary_op
    >>> @unary_op
    ... def doubled(x):
    ...     return x + x
    >>> doubled(21)
    42
    """

    name: str
    function: Callable[..., Any]
    rule: UnaryRule | None = None
    symmetric: bool = False  # of an operator that sees places: whether (i, j) is as (j, i) to it
    takes_number: bool = False  # of one: whether it is called with a number besides
    numbered: "UnaryOp | None" = None  # what takes a number in its place: `select(A, lower, right=2)`

    indexed = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", _frozen(self.name, self.function, self.arguments))

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the function is called with."""
        if self.takes_number:
            return signatures.NUMBERED
        return signatures.INDEXED if self.indexed else signatures.UNARY

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    @cached_property
    def _typed(self) -> dict[tuple[DType, DType | None], "TypedUnary"]:
        return {}

    def typed(self, operand: DType, number: DType | None = None) -> "TypedUnary":
        """This operator for one operand dtype, and that of the number if it takes one."""
        if (found := self._typed.get((operand, number))) is None:
            places = (INT64, INT64) if self.indexed else ()
            operands = (operand, *places, *(() if number is None else (number,)))
            cast_to, result = self.rule(operand) if self.rule else (operand, _inferred(self, operands))
            found = self._typed[operand, number] = TypedUnary(self, cast_to, result, result, number)
        return found


class IndexUnaryOp(UnaryOp):
    """`function(x, i, j)` of a value and where it stands; `j` is 0 for a vector.

    Of `function(x, i, j, k)` the number k is given with each call: `select(A, band, right=2)`.

    >>> from anypair import index_unary_op
    >>> @index_unary_op
    ... def near_diagonal(x, i, j):
    ...     return abs(i - j) <= 1
    >>> near_diagonal(7.0, 3, 4)
    True
    """

    indexed = True


@dataclass(frozen=True, eq=False, repr=False)
class BinaryOp(BinaryFacts, Portable, OfFunction):
    """`function(x, y)`; as the multiply of a semiring, x is the edge and y the value that meets it.

    A positional operator is `function(x, y, k)`, where k is the index that a product sums over:
    the vertex that the value comes from. One that `sees_place` is `function(x, y, k, i, j)`, where
    (i, j) is the place of the result; j is 0 in a vector.

    >>> from anypair import binary_op
    >>> @binary_op
    ... def second(edge, value):
    ...     return value
    >>> second(1, 5), second.reads_left, second.reads_right
    (5, False, True)
    """

    name: str
    function: Callable[..., Any]
    rule: BinaryRule | None = None
    positional: bool = False
    declared: Facts = NOTHING
    sees_place: bool = False

    def __post_init__(self) -> None:
        if self.declared.gives == "source" and not self.positional:
            raise InvalidArgument(
                f"operator {self.name!r} is declared gives='source', the index k, which only positional "
                "operators see: @binary_op(positional=True) makes one of a function of (x, y, k)"
            )
        if self.declared.selects == "any" or (self.declared.selects and self.positional):
            raise InvalidArgument(
                f"operator {self.name!r} is declared selects={self.declared.selects!r}; "
                "a function of two values selects 'min' or 'max', a monoid may select 'any'"
            )
        function = _frozen(self.name, self.function, self.arguments)
        if self.declared.selects in ("min", "max") and not skips_nan(function):
            function = _frozen(self.name, skipping_nan(function), self.arguments)
        object.__setattr__(self, "function", function)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the function is called with."""
        if self.sees_place:
            return signatures.PLACED
        return signatures.POSITIONAL if self.positional else signatures.BINARY

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return f"BinaryOp({self.name})"

    @cached_property
    def _typed(self) -> dict[tuple[DType, DType], "TypedBinary"]:
        return {}

    @cached_property
    def _returning(self) -> dict[DType, "BinaryOp"]:
        return {}

    def typed(self, left: DType, right: DType) -> "TypedBinary":
        """This operator for a pair of operand dtypes."""
        if (found := self._typed.get((left, right))) is None:
            if self.rule:
                signature = self.rule(left, right)
            else:
                operands = (left, right, *(INT64,) * (len(self.arguments) - 2))
                signature = Signature(left, right, _inferred(self, operands))
            found = self._typed[left, right] = TypedBinary(self, *signature, signature.result)
        return found

    def returning(self, dtype: DType) -> "BinaryOp":
        """The same operator with another result dtype.

        >>> import numpy as np
        >>> from anypair.semiring import pair
        >>> pair.returning(np.dtype("uint8")).typed(np.dtype(bool), np.dtype(bool)).result
        dtype('uint8')
        """
        if dtype not in self._returning:
            self._returning[dtype] = BinaryOp(
                self.name, self.function, returning(self.rule, dtype), self.positional, self.declared,
                self.sees_place,
            )  # fmt: skip
        return self._returning[dtype]

    @property
    def casts_operands(self) -> bool:
        """Whether it casts operands of different dtypes to one before it sees them."""
        return casts_operands(self.rule)

    def declaring(self, **said: Any) -> "BinaryOp":
        """The same operator, about which more is said: `plus.declaring(monotone=True)`."""
        declared = self.declared.and_also(self.name, **said)
        return replace(self, declared=declared)


@dataclass(frozen=True, eq=False, repr=False)
class NaryOp(FunctionFacts, Portable, OfFunction):
    """`function(x, y, z)` of three values or more, which `ewise_all` combines.

    >>> from anypair import nary_op
    >>> @nary_op
    ... def between(low, x, high):
    ...     return low <= x <= high
    >>> between(1, 2, 3), between
    (True, NaryOp(between))
    """

    name: str
    function: Callable[..., Any]
    rule: NaryStated | None = None

    def __post_init__(self) -> None:
        arguments = signatures.arguments_of_nary(self.name, self.function)
        object.__setattr__(self, "function", _frozen(self.name, self.function, arguments))

    @property
    def arguments(self) -> tuple[str, ...]:
        """What the function is called with."""
        return signatures.NARY[self.code.co_argcount - len(signatures.NARY[0])]

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return f"NaryOp({self.name})"

    @cached_property
    def _typed(self) -> dict[tuple[DType, ...], "TypedNary"]:
        return {}

    def typed(self, *operands: DType) -> "TypedNary":
        """This operator for operands of these dtypes."""
        if (found := self._typed.get(operands)) is None:
            result = self.rule(*operands) if self.rule else _inferred(self, operands)
            found = self._typed[operands] = TypedNary(self, operands, result)
        return found


@dataclass(frozen=True)
class TypedNary:
    """An operator of several values that knows its dtypes; calling it on numbers is its definition."""

    op: NaryOp
    operands: tuple[DType, ...]
    result: DType

    def __call__(self, *values: Scalar) -> Scalar:
        given = tuple(caster(dtype)(x) for dtype, x in zip(self.operands, values, strict=True))
        return _evaluate(self.op, given, self.result)


@dataclass(frozen=True)
class TypedUnary:
    """A unary operator that knows its dtypes; calling it on Python numbers is its definition."""

    op: UnaryOp
    operand: DType
    computed: DType  # what the operator gives, before it is cast to
    result: DType
    number: DType | None = None  # of the number that it takes besides

    def __call__(self, x: Scalar, i: int = 0, j: int = 0, *number: Scalar) -> Scalar:
        x = caster(self.operand)(x)
        arguments = (x, i, j, *number) if self.op.indexed else (x,)
        return caster(self.result)(_evaluate(self.op, arguments, self.computed))

    def into(self, dtype: DType) -> Self:
        """The same operator, its result cast to `dtype`."""
        return self if dtype == self.result else replace(self, result=dtype)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Found once: kernels are looked up by operators on each call."""
        return hash((self.op, self.operand, self.computed, self.result, self.number))

    @cached_property
    def reads_entries(self) -> bool:
        """Whether values matter, or only where they stand."""
        tree = self.op.tree
        return reads_argument(self.op.code, 0) if tree is None else reads(tree, 0)

    @cached_property
    def gives_index(self) -> bool:
        """Whether it gives the index of an entry, in a vector, and no cast changes that."""
        return self.op.indexed and self.op.canonical == "a1" and self.computed == self.result == INT64


@dataclass(frozen=True)
class BoundIndexOp(TypedUnary):
    """An operator of places with the number that it takes: what `select(A, lower, right=2)` has."""

    scalar: Scalar = 0

    def __call__(self, x: Scalar, i: int = 0, j: int = 0, *number: Scalar) -> Scalar:
        return super().__call__(x, i, j, self.scalar)

    __hash__ = TypedUnary.__hash__

    @cached_property
    def _hash(self) -> int:
        return hash((self.unbound, self.scalar))

    @cached_property
    def unbound(self) -> TypedUnary:
        """The operator that takes the number: what is compiled, once for all of them."""
        return TypedUnary(self.op, self.operand, self.computed, self.result, self.number)

    @cached_property
    def with_constant(self) -> TypedUnary:
        """An operator that has the number in its text, for backends that cannot hand it on."""
        function, number = self.op.function, self.scalar
        made = IndexUnaryOp(self.op.name, lambda x, i, j: function(x, i, j, number))
        return TypedUnary(made, self.operand, self.computed, self.result)


@dataclass(frozen=True)
class TypedBinary(TypedBinaryFacts):
    """A binary operator that knows its dtypes; calling it on Python numbers is its definition."""

    op: BinaryOp
    left: DType
    right: DType
    computed: DType  # what the operator gives, before it is cast to
    result: DType

    def __call__(self, x: Scalar, y: Scalar, k: int = 0, i: int = 0, j: int = 0) -> Scalar:
        x, y = caster(self.left)(x), caster(self.right)(y)
        value = _evaluate(self.op, (x, y, k, i, j)[: len(self.op.arguments)], self.computed)
        return caster(self.result)(value)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Found once: kernels are looked up by operators on each call."""
        return hash((self.op, self.left, self.right, self.computed, self.result))

    def into(self, dtype: DType) -> "TypedBinary":
        """The same operator, its result cast to `dtype`."""
        if dtype == self.result:
            return self
        return TypedBinary(self.op, self.left, self.right, self.computed, dtype)


@dataclass(frozen=True)
class BoundOp:
    """A binary operator with one operand fixed: what `apply(x, times, right=2)` applies."""

    binary: TypedBinary
    scalar: Scalar
    scalar_is_left: bool

    @property
    def op(self) -> BinaryOp:
        return self.binary.op

    @property
    def number(self) -> DType:
        """To which dtype the number is cast."""
        return self.binary.left if self.scalar_is_left else self.binary.right

    @property
    def result(self) -> DType:
        return self.binary.result

    @property
    def reads_entries(self) -> bool:
        """Whether the entries matter, or all become one value."""
        return self.op.reads_right if self.scalar_is_left else self.op.reads_left

    def __call__(self, x: Scalar, i: int = 0, j: int = 0) -> Scalar:
        if self.scalar_is_left:
            return self.binary(self.scalar, x)
        return self.binary(x, self.scalar)

    def into(self, dtype: DType) -> "BoundOp":
        """The same operator, its result cast to `dtype`."""
        if dtype == self.result:
            return self
        return BoundOp(self.binary.into(dtype), self.scalar, self.scalar_is_left)


def _frozen(name: str, function: Any, arguments: tuple[str, ...]) -> FunctionType:
    return freeze(name, signatures.as_function(name, function, arguments))


def _inferred(op: UnaryOp | BinaryOp | NaryOp, operands: tuple[DType, ...]) -> DType:
    _, decorator = signatures.KINDS[op.arguments]
    assert isinstance(op.function, FunctionType)  # as freezing makes it
    return infer_result(op.name, op.function, operands, decorator)


def _evaluate(op: UnaryOp | BinaryOp | NaryOp, arguments: tuple[Scalar, ...], result: DType) -> Scalar:
    try:
        value = op.function(*arguments)
    except Exception as error:
        raise OperatorError(
            f"operator {op.name!r} raised {type(error).__name__}: {error}, for arguments {arguments}",
            operator=op.name,
            arguments=arguments,
        ) from error
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, bool | int | float):
        raise OperatorError(
            f"operator {op.name!r} returned {value!r} for arguments {arguments}; "
            "it has to return a number on every path",
            operator=op.name,
            arguments=arguments,
        )
    try:
        return caster(result)(value)
    except OverflowError:
        raise OperatorError(
            f"operator {op.name!r} returned an integer that is too large for {result}, "
            f"for arguments {arguments}",
            operator=op.name,
            arguments=arguments,
        ) from None
