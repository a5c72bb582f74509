"""What an operator captures is frozen when the operator is made, for every backend alike.

A function reads global names, variables of functions around it, attributes of modules. When an operator
is made of it, its code is given a world of its own that holds what it reads, as it is then:

| captured                             | frozen as                                                   |
| ------------------------------------ | ----------------------------------------------------------- |
| a number of Python or NumPy          | the number of Python                                        |
| an array of numbers                  | a read-only copy: bool, int64 (uint64 if need be) or float64 |
| a function, compiled by Numba or not | the Python function, frozen in turn                         |
| an operator or a monoid              | its function                                                |
| a module of Python or NumPy          | itself                                                      |
| another module, a class              | those of its attributes that are read, each frozen          |
| anything else                        | a deep copy                                                 |

What comes out is a plain function: the same code, with other globals and cells.
"""

import builtins
import copy
import functools
import sys
import types
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.errors import OperatorError
from anypair.semiring.bytecode import outside, with_captured_renamed
from anypair.semiring.trusted_modules import is_trusted

MARK = "__frozen__"  # among the globals of a frozen function: the names that it captured there
RANDOM = {"random", "secrets", "numpy.random"}  # modules whose answers differ from call to call
ATOMS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.ufunc, np.dtype)
Chains = set[tuple[str, ...]]  # of attributes, () where the thing itself is used


class OfFunction:
    """What is called as the function that it is made of: operators and monoids."""

    function: Callable[..., Any]

    @property
    def code(self) -> CodeType:
        """The code of the function, as its author wrote it."""
        return self.function.__code__


class Namespace(types.SimpleNamespace):
    """Those attributes of a module or a class that a function reads, frozen."""


class FrozenArray(np.ndarray[Any, Any]):
    """An array whose elements are Python's numbers, as all numbers in an operator are."""

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found.item() if isinstance(found, np.generic) else found

    def __iter__(self) -> Any:
        return (self[place] for place in range(len(self)))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What NumPy computed of it: a sum is a number as well."""
        return array.view(FrozenArray) if array.ndim else array.item()


def freeze(operator: str, function: FunctionType) -> FunctionType:
    """The same function in a world of its own; messages name the operator that it is for.

    >>> def scaled(rate):
    ...     return freeze("scaled", lambda x: x * rate), lambda: rate
    >>> scaled(2)[0](10)
    20
    """
    try:
        return _Freezer(operator).function(function)
    except RecursionError:
        raise OperatorError(
            f"operator {operator!r} captures something that contains itself", operator=operator
        ) from None


def captured(function: FunctionType) -> dict[str, Any]:
    """What a frozen function captures, by name; nothing for one that had nothing to freeze."""
    names = function.__globals__.get(MARK, ())
    if MARK not in function.__globals__:
        return {}
    return {name: function.__globals__[name] for name in names} | _cells(function)


def rebuilt(function: FunctionType, change: Callable[[Any], Any]) -> FunctionType:
    """The same code with all that it captures changed; the function itself if nothing is."""
    before = (captured(function), function.__defaults__ or (), function.__kwdefaults__ or {})
    after = (_changed(before[0], change), tuple(map(change, before[1])), _changed(before[2], change))
    pairs = zip((*before[0].values(), *before[1], *before[2].values()),
                (*after[0].values(), *after[1], *after[2].values()), strict=True)  # fmt: skip
    return function if all(x is y for x, y in pairs) else made_of(function, *after)


def without_names_of_builtins(function: FunctionType) -> FunctionType:
    """The same function, with other names for what it captures that hide something built in.

    Numba takes such a name for a mistake, and refuses it.
    """
    values = captured(function)
    names = {name: f"captured_{name}" for name in values if hasattr(builtins, name)}
    if not names:
        return function
    made = made_of(function, values, function.__defaults__ or (), function.__kwdefaults__ or {})
    made.__globals__.update({new: values[old] for old, new in names.items()})
    made.__code__ = with_captured_renamed(function.__code__, names)
    return made


def _changed(values: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: change(value) for name, value in values.items()}


def made_of(
    function: FunctionType, values: dict[str, Any], defaults: tuple[Any, ...], keywords: dict[str, Any]
) -> FunctionType:
    """The code of `function` with these values for the names that it captures."""
    code = function.__code__
    names = {name: value for name, value in values.items() if name not in code.co_freevars}
    closure = tuple(CellType(values[name]) for name in code.co_freevars)
    # What NumPy imports while it runs is looked up in the globals of its caller.
    world = {"__name__": function.__module__, "__builtins__": builtins, MARK: tuple(names), **names}
    made = FunctionType(code, world, function.__name__, defaults or None, closure)
    made.__kwdefaults__ = keywords
    made.__qualname__, made.__doc__ = function.__qualname__, function.__doc__
    return made


def _cells(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: cell.cell_contents for name, cell in cells}


class _Freezer:
    """Freezes the function of one operator, with all that it calls."""

    def __init__(self, operator: str) -> None:
        self.operator = operator
        self.frozen: dict[int, tuple[Any, Any]] = {}  # by identity; the original is kept alive
        self.callers: list[FunctionType] = []

    def error(self, what: str) -> OperatorError:
        inside = f" ({self.callers[-1].__name__!r}, which it calls)" if len(self.callers) > 1 else ""
        return OperatorError(f"operator {self.operator!r}{inside} {what}", operator=self.operator)

    def function(self, function: FunctionType) -> FunctionType:
        if MARK in function.__globals__:
            return function
        if function in self.callers:
            raise self.error(f"calls {function.__name__!r}, which calls itself; write it as a loop")
        if id(function) not in self.frozen:
            self.callers.append(function)
            self.frozen[id(function)] = (function, self._freeze(function))
            self.callers.pop()
        frozen: FunctionType = self.frozen[id(function)][1]
        return frozen

    def _freeze(self, function: FunctionType) -> FunctionType:
        code = function.__code__
        if code.co_kwonlyargcount:  # Numba takes the defaults of these for those of others
            raise self.error("has arguments that are given by name alone, after a *; leave out the *")
        defaults, keywords = function.__defaults__ or (), function.__kwdefaults__ or {}
        if not (_looks_outside(code) or defaults or keywords):
            return function
        found = outside(code)
        for name in found.changes:
            raise self.error(f"assigns {name!r}, which is not its own; it may only return a value")
        for name in found.imports:
            if not is_trusted(name):
                raise self.error(f"imports {name!r} when it is called; import it before")
        chains: dict[tuple[str, bool], Chains] = {}
        for use in found.uses:
            chains.setdefault((use.name, use.is_global), set()).add(use.attributes)
        values: dict[str, Any] = {}
        for (name, is_global), attributes in chains.items():
            if name in values:
                raise self.error(f"uses {name!r} both as a global and as a captured name; rename one")
            if not is_global:
                values[name] = self.named(name, self._cell(function, name), attributes)
            elif name in function.__globals__:
                values[name] = self.named(name, function.__globals__[name], attributes)
            elif not hasattr(builtins, name):
                raise self.undefined(name)
        frozen_keywords = {name: self.value(name, value) for name, value in keywords.items()}
        frozen_defaults = tuple(self.value("a default", value) for value in defaults)
        return made_of(function, values, frozen_defaults, frozen_keywords)

    def _cell(self, function: FunctionType, name: str) -> Any:
        try:
            return _cells(function)[name]
        except ValueError:  # the cell is empty
            raise self.undefined(name) from None

    def undefined(self, name: str) -> OperatorError:
        if name == self.callers[-1].__name__:
            return self.error("calls itself; write it as a loop")
        return self.error(
            f"uses {name!r}, which is not defined; what an operator captures is taken when it is made, "
            "so define it before"
        )

    def named(self, name: str, value: Any, chains: Chains) -> Any:
        """What stands for a name of which these attributes are read."""
        if isinstance(value, OfFunction) and name == self.callers[-1].__name__:
            raise self.undefined(name)  # an older operator of the name that the new one is about to get
        if isinstance(value, ModuleType):
            if is_trusted(value.__name__):
                self._refuse_random(name, value, chains)
                return value
            if () in chains:
                raise self.error(
                    f"uses the module {name!r} as a value; read its attributes, as in {name}.value"
                )
            return self._namespace(name, value, chains)
        if isinstance(value, type) and () not in chains and not is_trusted(value.__module__):
            return self._namespace(name, value, chains)
        if isinstance(value, FunctionType) and not _is_of_trusted_module(value):
            read = sorted(f"{name}.{chain[0]}" for chain in chains if chain)
            if read and () in chains:
                raise self.error(
                    f"calls {name!r} and reads {read[0]!r}; give the value a name of its own"
                )
            return self._namespace(name, value, chains) if read else self.function(value)
        return self.value(name, value)

    def _namespace(self, name: str, value: Any, chains: Chains) -> Namespace:
        attributes = {}
        for first in sorted({chain[0] for chain in chains}):
            if not hasattr(value, first):
                raise self.undefined(f"{name}.{first}")
            rest = {chain[1:] for chain in chains if chain[0] == first}
            attributes[first] = self.named(f"{name}.{first}", getattr(value, first), rest)
        return Namespace(**attributes)

    def _refuse_random(self, name: str, module: ModuleType, chains: Chains) -> None:
        if module.__name__ in RANDOM:
            raise self.random(name)
        for first in {chain[0] for chain in chains if chain}:
            if not hasattr(module, first):
                raise self.undefined(f"{name}.{first}")
            inner = getattr(module, first)
            if isinstance(inner, ModuleType):
                rest = {chain[1:] for chain in chains if chain and chain[0] == first}
                self._refuse_random(f"{name}.{first}", inner, rest)

    def random(self, name: str) -> OperatorError:
        return self.error(
            f"uses {name!r}: its answers would depend on the backend, the threads and the run; "
            "make the random numbers before, as values of a vector or as an array that it captures"
        )

    def value(self, name: str, value: Any) -> Any:
        """A captured thing as it is now."""
        if isinstance(value, np.generic):
            return value.item() if value.dtype.kind in "biuf" else value
        if isinstance(value, (*ATOMS, FrozenArray, ModuleType, type)) or _is_of_trusted_module(value):
            return value
        if isinstance(value, OfFunction):
            return value.function
        if isinstance(value, FunctionType):
            return self.function(value)
        for attribute in ("py_func", "__wrapped__"):  # what Numba or functools.lru_cache made
            inner = getattr(value, attribute, None)
            if isinstance(inner, FunctionType):
                return self.function(inner)
        if _is_random(value) or _is_random(getattr(value, "__self__", None)):
            raise self.random(name)
        if type(value) in (np.ndarray, np.memmap):
            return frozen_array(value)
        if id(value) not in self.frozen:
            self.frozen[id(value)] = (value, self._object(name, value))
        return self.frozen[id(value)][1]

    def _object(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind in (tuple, list, set, frozenset):
            return kind(self.value(name, item) for item in value)
        if kind is dict:
            return {self.value(name, key): self.value(name, item) for key, item in value.items()}
        if kind is functools.partial:
            keywords = {key: self.value(name, item) for key, item in value.keywords.items()}
            arguments = [self.value(name, item) for item in value.args]
            return functools.partial(self.value(name, value.func), *arguments, **keywords)
        if kind is types.MethodType:
            return types.MethodType(self.value(name, value.__func__), self.value(name, value.__self__))
        if kind is types.BuiltinFunctionType:
            if value.__self__ is None or isinstance(value.__self__, ModuleType | type):
                return value
            return getattr(self.value(name, value.__self__), value.__name__)
        try:
            return copy.deepcopy(value)
        except Exception as error:
            raise self.error(
                f"captures {name!r}, a {kind.__name__} that cannot be copied ({error}); "
                "capture the numbers or arrays that it needs"
            ) from None


def _looks_outside(code: CodeType) -> bool:
    return bool(code.co_names or code.co_freevars) or any(
        isinstance(c, CodeType) for c in code.co_consts
    )


def _is_of_trusted_module(value: Any) -> bool:
    """Whether this is what Python or NumPy has under its name, not something that they made."""
    module, name = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if not (
        callable(value) and isinstance(module, str) and isinstance(name, str) and is_trusted(module)
    ):
        return False
    return getattr(sys.modules.get(module), name, None) is value and not _is_random(
        getattr(value, "__self__", None)
    )


def _is_random(value: Any) -> bool:
    """Whether this is a generator of random numbers; their modules are not imported to find out."""
    kinds = (kind.__module__ for kind in type(value).__mro__)
    return any(f"{module}.".startswith(("random.", "numpy.random.")) for module in kinds)


def frozen_array(array: Array) -> Any:
    """A copy that nobody can write to; a single number if there is only one and no dimension."""
    kind, dtype = array.dtype.kind, array.dtype
    if kind in "iu":
        fits = kind == "i" or dtype.itemsize < 8 or not (array > np.iinfo(np.int64).max).any()
        dtype = np.dtype(np.int64 if fits else np.uint64)
    elif kind == "f":
        dtype = np.dtype(np.float64)
    copied = np.array(array, dtype, order="C")
    if not copied.ndim and kind in "biuf":
        return copied.item()
    copied.flags.writeable = False
    return copied.view(FrozenArray)
