"""How operators, monoids and semirings travel between processes.

One of the catalogue, or of a module that the other process can import, goes by its name. Any other goes
as its code, with what was frozen when it was made (`captures.py`), to the same version of Python.
"""

import importlib
import io
import marshal
import pickle
import sys
from dataclasses import fields
from importlib.util import MAGIC_NUMBER
from types import CellType, FunctionType, ModuleType
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np

from anypair.errors import OperatorError
from anypair.semiring.captures import FrozenArray, captured, freeze, frozen_array, made_of

# By what it was pickled as: so that one that comes again is the one that has its kernels already.
_known: "WeakValueDictionary[tuple[type, bytes], Portable]" = WeakValueDictionary()
MAIN = ("__main__", "__mp_main__")  # of a notebook or a prompt, which nobody can import


class Portable:
    """What never changes: its own copy, and the same thing again where it comes back."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if (place := _place_of(self)) is not None:
            return _named, place
        parts = tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        data = _dumped(self, parts)
        _known[type(self), data] = self
        return _restored, (type(self), data)


def _restored(kind: type[Portable], data: bytes) -> Portable:
    found = _known.get((kind, data))
    if found is None:
        found = _known[kind, data] = kind(*pickle.loads(data))
    return found


def _named(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for attribute in name.split("."):
        found = getattr(found, attribute)
    return found


def _place_of(x: Any) -> tuple[str, str] | None:
    """The module and the name under which this very object can be imported."""
    catalogue = importlib.import_module("anypair.semiring.catalogue")  # which needs this module
    for name in catalogue.__all__:
        if getattr(catalogue, name) is x:
            return catalogue.__name__, name
    function = getattr(getattr(x, "op", x), "function", None)
    return None if function is None else _importable(x, function)


def _importable(x: Any, function: FunctionType) -> tuple[str, str] | None:
    place = function.__module__, function.__qualname__
    if place[0] in MAIN or place[0] not in sys.modules or "<" in place[1]:
        return None
    try:
        return place if _named(*place) is x else None
    except AttributeError:
        return None


def _dumped(x: Any, parts: tuple[Any, ...]) -> bytes:
    data = io.BytesIO()
    try:
        _Pickler(data, protocol=5).dump(parts)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError) as error:
        raise pickle.PicklingError(f"{x!r} captures what cannot be pickled: {error}") from error
    return data.getvalue()


class _Pickler(pickle.Pickler):
    """As pickle does it, but functions, modules and frozen arrays by what they are."""

    def reducer_override(self, x: Any) -> Any:
        if isinstance(x, FunctionType):
            return _reduced_function(x)
        if isinstance(x, ModuleType):
            return importlib.import_module, (x.__name__,)
        if isinstance(x, FrozenArray):
            return frozen_array, (np.asarray(x).view(np.ndarray),)
        return NotImplemented


def _reduced_function(function: FunctionType) -> Any:
    if (name := _catalogue_operator(function)) is not None:
        return _function_of, (name,)
    if _importable(function, function) is not None:
        return NotImplemented
    function = freeze(function.__name__, function)  # the rule of an operator is not, until now
    code = (MAGIC_NUMBER, marshal.dumps(function.__code__))
    names = (function.__module__, function.__name__, function.__qualname__, function.__doc__)
    defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
    return _function_of_code, (code, names, captured(function), *defaults)


def _catalogue_operator(function: FunctionType) -> str | None:
    """The operator of the catalogue whose function this is: backends know them by it."""
    catalogue = importlib.import_module("anypair.semiring.catalogue")
    operators = ((name, getattr(catalogue, name)) for name in catalogue.__all__)
    return next((name for name, op in operators if getattr(op, "function", None) is function), None)


def _function_of(name: str) -> FunctionType:
    catalogue = importlib.import_module("anypair.semiring.catalogue")
    function: FunctionType = getattr(catalogue, name).function
    return function


def _function_of_code(
    marshalled: tuple[bytes, bytes],
    names: tuple[str, str, str, str | None],
    values: dict[str, Any],
    defaults: tuple[Any, ...],
    keywords: dict[str, Any],
) -> FunctionType:
    magic, data = marshalled
    module, name, qualname, doc = names
    if magic != MAGIC_NUMBER:
        raise OperatorError(
            f"{name!r}, of an operator, was pickled by another version of Python, whose code this one "
            "cannot run; put the operator into a module that both can import"
        )
    code = marshal.loads(data)
    cells = tuple(CellType() for _ in code.co_freevars)
    function = FunctionType(code, {"__name__": module}, name, None, cells)
    function.__qualname__, function.__doc__ = qualname, doc
    return made_of(function, values, defaults, keywords)
