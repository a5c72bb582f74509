"""64-bit digests of arrays and operators: ranks compare what they were given without sending it.

SHA-256, of which 64 bits are kept, reads about a gigabyte in a second, some twentieth of the time that
a grid takes to build a graph of as many bytes; two different things have one digest by an accident of
one in 2^64, in whatever order and however few their differences are.
"""

import dis
import hashlib
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache, partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from anypair.dtypes import Array
from anypair.semiring import BinaryOp, Monoid, NaryOp, Semiring, UnaryOp

NBYTES = 8
DEEPEST = 64  # containers and objects inside one another that are looked into
ROUND = 1 << 17  # elements at a time: those of a strided array have to be copied
READS_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME"}
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range, slice)


def digest_of_text(text: str) -> bytes:
    """The digest of some words."""
    return hashlib.sha256(text.encode()).digest()[:NBYTES]


def digest_of_arrays(*arrays: Array) -> str:
    """One digest of the dtypes, the lengths and the elements of arrays, in order.

    >>> digest_of_arrays(np.array([1, 5])) == digest_of_arrays(np.array([5, 1]))
    False
    """
    found = hashlib.sha256()
    for array in arrays:
        _add_array(found.update, array)
    return found.digest()[:NBYTES].hex()


def _add_array(update: Callable[[Any], None], array: Array) -> None:
    update(f"{array.dtype.str}{array.shape}".encode())
    for begin in range(0, len(array) if array.ndim else 1, ROUND):
        part = array[begin : begin + ROUND] if array.ndim else array
        update(np.ascontiguousarray(part).reshape(-1).view(np.uint8))


@lru_cache(maxsize=256)
def digest_of_operator(op: UnaryOp | BinaryOp | NaryOp | Monoid | Semiring) -> str:
    """The digest of what an operator does: its code and constants, and all that it captures.

    >>> from anypair import unary_op
    >>> one, other, twin = (unary_op(lambda x: x + by) for by in (1, 2, 1))
    >>> digest_of_operator(one) == digest_of_operator(other)
    False
    >>> digest_of_operator(one) == digest_of_operator(twin)
    True
    """
    return digest_of(op)


def digest_of(x: Any) -> str:
    """The digest of a value, a function or an operator, and of all that it refers to.

    Nothing that differs between processes by itself goes in: no address, no path, no order of a set.
    """
    walk = _Walk()
    walk.add(x)
    return walk.digest()[:NBYTES].hex()


class _Walk:
    """Feeds a hash with all that a value is made of."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._depth = 0
        self._met: dict[int, Any] = {}  # by identity, in the order met, and kept alive

    def digest(self) -> bytes:
        return self._hash.digest()

    def add(self, x: Any) -> None:
        """Feed one value."""
        if isinstance(x, PLAIN):
            self._say(type(x).__name__, repr(x))
        elif isinstance(x, np.ndarray) and x.dtype != object:
            self._say("array")
            _add_array(self._hash.update, x)
        elif isinstance(x, np.generic):
            self._say("scalar", x.dtype.str, x.tobytes().hex())
        elif isinstance(x, Enum):
            self._say("enum", type(x).__qualname__, x.name)
        elif id(x) in self._met:
            self._say("again", str(list(self._met).index(id(x))))
        elif self._depth < DEEPEST:
            self._met[id(x)] = x
            self._depth += 1
            self._add_compound(x)
            self._depth -= 1
        else:
            self._say("deep", type(x).__qualname__)

    def _add_compound(self, x: Any) -> None:
        if isinstance(x, FunctionType):
            self._add_function(x)
        elif isinstance(x, CodeType):
            self._add_code(x)
        elif isinstance(function := getattr(x, "py_func", None), FunctionType):  # compiled by Numba
            self._add_function(function)
        elif isinstance(x, Semiring):
            self._add_all("semiring", (x.add, x.multiply))
        elif isinstance(x, Monoid):
            self._add_all("monoid", (x.op, x.identity, x.terminal))
        elif isinstance(x, BinaryOp):
            self._add_all("BinaryOp", (x.function, x.positional, x.sees_place, repr(x.declared)))
        elif isinstance(x, NaryOp):
            self._add_all("NaryOp", (x.function,))
        elif isinstance(x, UnaryOp):
            self._add_all(type(x).__name__, (x.function,))
        elif isinstance(x, partial):
            self._add_all("partial", (x.func, x.args, x.keywords))
        elif isinstance(x, MethodType):
            self._add_all("method", (x.__func__, x.__self__))
        elif isinstance(x, list | tuple):
            self._add_all(type(x).__name__, x)
        elif isinstance(x, dict):
            self._add_all("dict", (part for item in x.items() for part in item))
        elif isinstance(x, set | frozenset):
            self._say("set", *sorted(map(digest_of, x)))
        elif isinstance(x, ModuleType):
            self._say("module", x.__name__)
        elif isinstance(x, BuiltinFunctionType):
            self._say("builtin", x.__qualname__)
            self.add(x.__self__)
        elif isinstance(x, type | np.ufunc | np.dtype):
            self._say("named", getattr(x, "__module__", ""), str(getattr(x, "__name__", x)))
        else:
            self._say("object", type(x).__module__, type(x).__qualname__)
            if callable(x):
                self.add(type(x).__call__)
            self._add_all("attributes", (part for item in _attributes(x) for part in item))

    def _add_function(self, function: FunctionType) -> None:
        code = function.__code__
        self._add_all("function", (code, function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:
                self._say("empty")
        for name in sorted(set(_globals_read(code))):
            self._say("global", name)
            if name in function.__globals__:
                self.add(function.__globals__[name])

    def _add_code(self, code: CodeType) -> None:
        # Names of files, lines and local variables say nothing of what it does.
        self._say("code", code.co_code.hex(), str(code.co_argcount), str(code.co_kwonlyargcount))
        self._say(*code.co_names)
        self._add_all("constants", code.co_consts)

    def _add_all(self, kind: str, members: Any) -> None:
        self._say(kind)
        for member in members:
            self.add(member)
        self._say("end")

    def _say(self, *words: str) -> None:
        """Words, each with its length, so that no two lists of words read alike."""
        for word in words:
            data = word.encode()
            self._hash.update(len(data).to_bytes(8, "little"))
            self._hash.update(data)


def _attributes(x: Any) -> list[tuple[str, Any]]:
    return sorted(getattr(x, "__dict__", {}).items())


def _globals_read(code: CodeType) -> Iterator[str]:
    """The global names that code reads, that of functions inside it included."""
    for step in dis.get_instructions(code):
        if step.opname in READS_GLOBAL:
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_read(constant)
