"""How a plain Python function becomes an operator or a monoid."""

from collections.abc import Callable
from typing import Any, overload

from anypair.errors import InvalidArgument
from anypair.semiring.algebra import Extreme, Identity, Monoid, Terminal
from anypair.semiring.facts import Facts, Gives, Grows, Selects, Within
from anypair.semiring.operators import BinaryOp, IndexUnaryOp, NaryOp, UnaryOp
from anypair.semiring.rules import nary_stated, stated, unary_stated
from anypair.semiring.signatures import PLACED, takes

Function = Callable[..., Any]


@overload
def unary_op(function: Function) -> UnaryOp: ...
@overload
def unary_op(*, result: Any = None) -> Callable[[Function], UnaryOp]: ...
def unary_op(function: Function | None = None, *, result: Any = None) -> Any:
    """Make a unary operator of `function(x)`.

    `result` states the result's dtype (a dtype, or a function of the operand's dtype); without it
    Numba infers the dtype once for each operand dtype.

    >>> @unary_op
    ... def squared(x):
    ...     return x * x
    >>> squared
    UnaryOp(squared)
    """
    rule = None if result is None else unary_stated(result)
    return _decorate(function, lambda f: UnaryOp(_named(f, "unary_op"), f, rule))


@overload
def index_unary_op(function: Function) -> IndexUnaryOp: ...
@overload
def index_unary_op(*, result: Any = None) -> Callable[[Function], IndexUnaryOp]: ...
def index_unary_op(function: Function | None = None, *, result: Any = None) -> Any:
    """Make an operator of `function(x, i, j)`: a value and its place (j is 0 in a vector).

    One of `function(x, i, j, k)` takes a number with each call, `apply(A, op, right=2)`; another number
    compiles nothing.

    >>> @index_unary_op(result=bool)
    ... def in_first_row(x, i, j):
    ...     return i == 0
    >>> in_first_row
    IndexUnaryOp(in_first_row)
    """
    rule = None if result is None else unary_stated(result)
    return _decorate(
        function,
        lambda f: IndexUnaryOp(_named(f, "index_unary_op"), f, rule, takes_number=takes(4, f)),
    )


@overload
def binary_op(function: Function) -> BinaryOp: ...
@overload
def binary_op(
    *,
    result: Any = None,
    positional: bool = False,
    selects: Selects | None = None,
    gives: Gives | None = None,
    commutes: bool | None = None,
    associates: bool | None = None,
    monotone: bool | Within | None = None,
    grows: Grows | None = None,
) -> Callable[[Function], BinaryOp]: ...
def binary_op(
    function: Function | None = None,
    *,
    result: Any = None,
    positional: bool = False,
    selects: Selects | None = None,
    gives: Gives | None = None,
    commutes: bool | None = None,
    associates: bool | None = None,
    monotone: bool | Within | None = None,
    grows: Grows | None = None,
) -> Any:
    """Make a binary operator of `function(x, y)`, or of `function(x, y, k)` if `positional`.

    In a product, k is the index that is summed over. A positional operator of `function(x, y, k, i, j)`
    sees the place of the result as well; j is 0 where that is a vector.

    Facts about it may be declared where its text does not tell: `selects`, "min" or "max"; what it hands
    on unchanged, `gives`, "edge", "value", "source" or "constant"; `commutes`, `associates`, `monotone`
    (in y) and `grows`.

    >>> @binary_op(commutes=True)
    ... def hypotenuse(x, y):
    ...     return (x * x + y * y) ** 0.5
    >>> hypotenuse(3, 4)
    5.0
    """
    rule = None if result is None else stated(result)
    said = (selects, gives, commutes, associates, monotone, grows)
    declared = _facts("binary_op", *said)
    return _decorate(
        function,
        lambda f: BinaryOp(
            _named(f, "binary_op"), f, rule, positional, declared, positional and takes(len(PLACED), f)
        ),
    )


@overload
def nary_op(function: Function) -> NaryOp: ...
@overload
def nary_op(*, result: Any = None) -> Callable[[Function], NaryOp]: ...
def nary_op(function: Function | None = None, *, result: Any = None) -> Any:
    """Make an operator of three to eight values, for `ewise_all`.

    `result` states the result's dtype (a dtype, or a function of those of the operands).

    >>> @nary_op(result=float)
    ... def blended(x, y, share):
    ...     return share * x + (1 - share) * y
    >>> blended(1.0, 3.0, 0.5)
    2.0
    """
    rule = None if result is None else nary_stated(result)
    return _decorate(function, lambda f: NaryOp(_named(f, "nary_op"), f, rule))


def monoid(
    *,
    identity: Identity,
    terminal: Identity | Terminal | None = None,
    result: Any = None,
    selects: Selects | None = None,
) -> Callable[[Function], Monoid]:
    """Make a monoid of `function(x, y)`, which has to be associative and commutative.

    `selects="min"` (or "max") says that a sum is the least (greatest) of its values. NaN is passed over
    then, whatever the function does with it.

    >>> from anypair import MAX, MIN
    >>> @monoid(identity=MIN, terminal=MAX, selects="max")
    ... def greatest(x, y):
    ...     return x if x > y else y
    >>> greatest
    Monoid(greatest)
    """
    for what, value in (("identity", identity), ("terminal", terminal)):
        if value is not None and not isinstance(value, bool | int | float | Extreme | Terminal):
            raise InvalidArgument(f"monoid: {what}={value!r} is neither a number nor MAX or MIN")
    rule = None if result is None else stated(result)
    _facts("monoid", selects)
    return lambda f: Monoid(BinaryOp(_named(f, "monoid"), f, rule), identity, terminal, selects)


def _facts(decorator: str, *said: Any) -> Facts:
    try:
        return Facts(*said)
    except InvalidArgument as error:
        raise InvalidArgument(f"{decorator}: {error}") from None


def _decorate(function: Function | None, make: Callable[[Function], Any]) -> Any:
    return make if function is None else make(function)


def _named(function: Function, decorator: str) -> str:
    if not callable(function):
        raise InvalidArgument(f"{decorator}: {function!r} is not a function")
    return getattr(function, "__name__", type(function).__name__)
