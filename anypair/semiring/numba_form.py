"""Frozen functions as Numba takes them, and why it refuses others, in one sentence."""

import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from anypair.semiring.captures import (
    FrozenArray,
    Namespace,
    captured,
    rebuilt,
    without_names_of_builtins,
)
from anypair.semiring.trusted_modules import is_trusted

Compiler = Callable[[FunctionType], Any]


def compilable(function: FunctionType, compiler: Compiler) -> FunctionType:
    """The function, with each function that it calls made into what `compiler` makes of it."""
    made: dict[int, Any] = {}

    def change(value: Any) -> Any:
        if is_helper(value):
            if id(value) not in made:
                made[id(value)] = compiler(without_names_of_builtins(rebuilt(value, change)))
            return made[id(value)]
        if isinstance(value, FrozenArray):
            return value.view(np.ndarray)
        if isinstance(value, Namespace):
            module = ModuleType("frozen")  # Numba reads attributes of modules, at compile time
            module.__dict__.update({name: change(inner) for name, inner in vars(value).items()})
            return module
        if is_minus_zero(value):
            return np.float64(value)
        return tuple(map(change, value)) if type(value) is tuple else value

    return without_names_of_builtins(rebuilt(function, change))


def is_minus_zero(value: Any) -> bool:
    """Whether this is -0.0, which Numba takes for 0.0 if both are defaults: it knows them by equality,
    and by their type.
    """
    return type(value) is float and value == 0 and math.copysign(1.0, value) < 0


def is_helper(value: Any) -> bool:
    """Whether this is a function that has to be compiled along: Numba knows those of NumPy itself."""
    return isinstance(value, FunctionType) and not is_trusted(value.__module__ or "")


def holds_arrays(value: Any) -> bool:
    """Whether a captured value is an array, or a function that captures one, at any depth."""
    if isinstance(value, FunctionType):
        return any(map(holds_arrays, captured(value).values()))
    if isinstance(value, Namespace):
        return any(map(holds_arrays, vars(value).values()))
    return isinstance(value, FrozenArray) or (type(value) is tuple and any(map(holds_arrays, value)))


def jitted(function: Callable[..., Any], **options: Any) -> Any:
    """The function compiled by Numba, with what it calls; indices of captured arrays are checked."""
    import numba

    if holds_arrays(function):
        options["boundscheck"] = True
    compiler = numba.njit(**options)
    return compiler(compilable(function, compiler))  # type: ignore[arg-type]


def reason(error: BaseException) -> str:
    """The line of a message of Numba that says what is wrong, without its trail of places.

    >>> reason(TypeError("Failed in nopython mode\\nUntyped global name 'table'\\nFile 'x.py', line 3"))
    "Untyped global name 'table'"
    """
    lines = [line.strip() for line in str(error).splitlines()]
    noise = ("Failed in", "File", "-", "During", "Enable logging", "The above exception")
    said = [line for line in lines if line and not line.startswith(noise)]
    return said[0].rstrip(".:") if said else type(error).__name__


def refusal(operators: str, backend: str, error: BaseException) -> str:
    """What to say of an operator that Numba does not compile."""
    return (
        f"operator {operators} cannot be compiled: {reason(error)}; "
        f"backend {backend!r} takes the functions that Numba compiles, 'scipy' takes any"
    )
