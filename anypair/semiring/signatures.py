"""How many arguments an operator's function takes, checked when the operator is made."""

import inspect
from types import FunctionType
from typing import Any

import numpy as np

from anypair.errors import InvalidArgument

UNARY = ("x",)
INDEXED = ("x", "i", "j")
BINARY = ("x", "y")
POSITIONAL = ("x", "y", "k")

KINDS = {
    UNARY: ("a unary operator", "@unary_op"),
    INDEXED: ("an operator that sees places", "@index_unary_op"),
    BINARY: ("a binary operator", "@binary_op"),
    POSITIONAL: ("a positional operator", "@binary_op(positional=True)"),
}


def as_function(name: str, function: Any, arguments: tuple[str, ...]) -> FunctionType:
    """A plain function of these arguments that calls `function`, which may be anything callable."""
    if isinstance(function, FunctionType):
        _check_plain(name, function, arguments)
        return function
    if not callable(function):
        raise InvalidArgument(f"{KINDS[arguments][0]} is made of a function; {function!r} is not one")
    inner = getattr(function, "py_func", None)  # what numba.njit made
    if isinstance(inner, FunctionType):
        return as_function(name, inner, arguments)
    _check_any(name, function, arguments)
    made: FunctionType = CALLING[len(arguments)](function)
    return made


def _check_plain(name: str, function: FunctionType, arguments: tuple[str, ...]) -> None:
    code = function.__code__
    has_more = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount
    if not has_more and not function.__defaults__ and code.co_argcount == len(arguments):
        return
    signature = inspect.signature(function)
    defaults = [
        str(p) for p in signature.parameters.values() if p.default is not inspect.Parameter.empty
    ]
    if defaults:
        raise InvalidArgument(
            f"operator {name!r} has default arguments ({', '.join(defaults)}), "
            f"but {KINDS[arguments][0]} is called with ({', '.join(arguments)}) alone; "
            "use the variable in the function: what an operator captures is frozen when it is made"
        )
    _check_any(name, function, arguments)


def _check_any(name: str, function: Any, arguments: tuple[str, ...]) -> None:
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
            taken, fits = f"({', '.join(signature.parameters)})", False
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
    others = [
        decorator for names, (_, decorator) in KINDS.items() if len(names) == count != len(arguments)
    ]
    return f"; use {' or '.join(others)} for one of {count}" if others else ""


def _calling_with_one(function: Any) -> Any:
    return lambda x: function(x)


def _calling_with_two(function: Any) -> Any:
    return lambda x, y: function(x, y)


def _calling_with_three(function: Any) -> Any:
    return lambda x, y, k: function(x, y, k)


CALLING: dict[int, Any] = {1: _calling_with_one, 2: _calling_with_two, 3: _calling_with_three}
