"""How many arguments an operator's function takes, checked when the operator is made."""

import inspect
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from anypair.errors import InvalidArgument

UNARY = ("x",)
INDEXED = ("x", "i", "j")
NUMBERED = ("x", "i", "j", "k")
BINARY = ("x", "y")
POSITIONAL = ("x", "y", "k")
PLACED = ("x", "y", "k", "i", "j")

NARY = tuple(tuple(f"x{number}" for number in range(1, count + 1)) for count in range(3, 9))

KINDS: dict[tuple[str, ...], tuple[str, str]] = {
    UNARY: ("a unary operator", "@unary_op"),
    INDEXED: ("an operator that sees places", "@index_unary_op"),
    NUMBERED: ("an operator that sees places and takes a number", "@index_unary_op"),
    BINARY: ("a binary operator", "@binary_op"),
    POSITIONAL: ("a positional operator", "@binary_op(positional=True)"),
    PLACED: ("a positional operator that sees the place", "@binary_op(positional=True)"),
    **dict.fromkeys(NARY, ("an operator of several values", "@nary_op")),
}


def as_function(name: str, function: Any, arguments: tuple[str, ...]) -> FunctionType:
    """A plain function of these arguments that calls `function`, which may be anything callable."""
    if isinstance(function, FunctionType) and _is_plain(function, arguments):
        return function
    if not callable(function):
        raise InvalidArgument(f"{KINDS[arguments][0]} is made of a function; {function!r} is not one")
    inner = getattr(function, "py_func", None)  # what numba.njit made
    if isinstance(inner, FunctionType):
        return as_function(name, inner, arguments)
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is not None and code.co_kwonlyargcount:
        raise InvalidArgument(  # Numba takes the defaults of these for others
            f"operator {name!r} has arguments that are given by name alone, after a *; leave out the *"
        )
    _check(name, function, arguments)
    if isinstance(function, partial):
        return _calling_partial(function, arguments)
    if arguments in NARY:
        return _calling_partial(partial(function), arguments)
    made: FunctionType = CALLING[len(arguments)](function)
    return made


def _is_plain(function: FunctionType, arguments: tuple[str, ...]) -> bool:
    """Whether it takes these arguments and no others, not even with a default."""
    code = function.__code__
    has_more = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount
    return not has_more and not function.__defaults__ and code.co_argcount == len(arguments)


def _calling_partial(function: "partial[Any]", arguments: tuple[str, ...]) -> FunctionType:
    """A function of these arguments that has what is given already as names from outside."""
    given = {f"given_{number}": value for number, value in enumerate(function.args)}
    named = {f"named_{name}": value for name, value in function.keywords.items()}
    passed = [*given, *arguments, *(f"{name.removeprefix('named_')}={name}" for name in named)]
    text = f"lambda {', '.join(arguments)}: function({', '.join(passed)})"
    made: FunctionType = eval(text, {"__name__": __name__, "function": function.func, **given, **named})
    return made


def arguments_of_nary(name: str, function: Any) -> tuple[str, ...]:
    """As many arguments as the function has to be given."""
    for arguments in NARY:
        if takes(len(arguments), getattr(function, "py_func", function)):
            return arguments
    raise InvalidArgument(
        f"nary_op: {name!r} is no function of {len(NARY[0])} to {len(NARY[-1])} values; @unary_op and "
        "@binary_op make operators of one and of two"
    )


def takes(count: int, function: Any) -> bool:
    """Whether a function has to be given so many arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return sum(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters) == count


def _check(name: str, function: Any, arguments: tuple[str, ...]) -> None:
    if isinstance(function, np.ufunc):
        taken, fits = f"{function.nin} arguments", function.nin == len(arguments)
    else:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return  # some functions of C do not tell
        try:
            signature.bind(*arguments)
            return
        except TypeError:
            plain = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
            taken, fits = str(inspect.Signature(plain)).replace(", /", ""), False
    if fits:
        return
    kind, decorator = KINDS[arguments]
    raise InvalidArgument(
        f"operator {name!r} takes {taken}, but {kind} is called with ({', '.join(arguments)}): "
        f"{decorator} makes one of a function of these{_advice(function, arguments)}"
    )


def _advice(function: Any, arguments: tuple[str, ...]) -> str:
    """Decorators for functions of as many arguments as this one takes."""
    count = (
        function.nin if isinstance(function, np.ufunc) else len(inspect.signature(function).parameters)
    )
    fitting = (d for names, (_, d) in KINDS.items() if len(names) == count != len(arguments))
    others = list(dict.fromkeys(fitting))
    return f"; use {' or '.join(others)} for one of {count}" if others else ""


def _calling_with_one(function: Any) -> Any:
    return lambda x: function(x)


def _calling_with_two(function: Any) -> Any:
    return lambda x, y: function(x, y)


def _calling_with_three(function: Any) -> Any:
    return lambda x, y, k: function(x, y, k)


def _calling_with_four(function: Any) -> Any:
    return lambda x, i, j, k: function(x, i, j, k)


def _calling_with_five(function: Any) -> Any:
    return lambda x, y, k, i, j: function(x, y, k, i, j)


CALLING: dict[int, Any] = {
    1: _calling_with_one,
    2: _calling_with_two,
    3: _calling_with_three,
    4: _calling_with_four,
    5: _calling_with_five,
}
