"""The source text of a user's function, with what it captures, so that its machine code can be cached.

A function whose text cannot be had for certain (typed at a prompt, changed on disk, capturing objects)
still runs: it is compiled in memory, once for each process.
"""

import ast
import builtins
import copy
import math
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from anypair.compiling.function_syntax import node_of
from anypair.semiring.captures import FrozenArray, Namespace, captured
from anypair.semiring.numba_form import holds_arrays, is_helper, is_minus_zero
from anypair.semiring.trusted_modules import is_trusted

LARGEST_ARRAY = 1 << 16  # bytes of an array that becomes part of a text


def text_of(function: Callable[..., Any], name: str) -> str | None:
    """A text that defines `function` under another name, or None if there is none to be trusted.

    What it captures comes with it: numbers as constants, arrays that are not large by their bytes,
    functions under names that begin with `name`, as nothing else in a module does. The text marks
    functions as `compiled`, or as `checked` if there are arrays, whose indices have to be checked; what
    that means, the module says that it becomes part of.
    """
    if not isinstance(function, FunctionType):
        return None
    writer = _Writer(name, "checked" if holds_arrays(function) else "compiled")
    try:
        writer.define(function, name)
    except (_NoText, RecursionError):  # Python unparses no expression that is very deep
        return None
    return writer.text


class _NoText(Exception):
    """Something for which there is no text that means the same in every process."""


class _Writer:
    """Writes the text of one operator's function, and before it those of what it calls."""

    def __init__(self, prefix: str, decorator: str) -> None:
        self.prefix = prefix
        self.decorator = decorator
        self.text = ""
        self.count = 0
        self.names: dict[Any, str] = {}  # of functions, by identity, of modules and numbers

    def define(self, function: FunctionType, name: str) -> None:
        found = node_of(function)
        if found is None:
            raise _NoText
        node = _as_definition(copy.deepcopy(found), name)
        _set_defaults(node.args, function)
        values = captured(function)
        _check_names(node, set(values), self.prefix)
        node.args.defaults = [self._default(each) for each in node.args.defaults]
        body = [_Replaced(self, values).visit(statement) for statement in node.body]
        node.body = body
        self.text += f"@{self.decorator}\n{ast.unparse(ast.fix_missing_locations(node))}\n\n"

    def _default(self, number: ast.expr) -> ast.expr:
        """The value of a default argument, of a type of its own if Numba takes it for another one."""
        if not is_minus_zero(ast.literal_eval(number)):
            return number
        return ast.Call(ast.Attribute(self._module("numpy"), "float64", ast.Load()), [number], [])

    def expression(self, value: Any) -> ast.expr:
        """What stands for a captured value."""
        if value is None:
            return ast.Constant(None)
        if (number := _constant(value)) is not None:
            return number
        if type(value) is float:  # an infinity or NaN, which have no literal
            return self._defined(("number", str(value)), "number", f"{{}} = float('{value}')\n")
        if type(value) is tuple:
            return ast.Tuple([self.expression(item) for item in value], ast.Load())
        if isinstance(value, FrozenArray):
            return self._array(value)
        if isinstance(value, ModuleType):
            return self._module(value.__name__)
        if is_helper(value):
            return self._helper(value)
        module, attribute = getattr(value, "__module__", None), getattr(value, "__name__", "")
        for place in ("numpy" if isinstance(value, np.ufunc) else module, "builtins"):
            if isinstance(place, str) and is_trusted(place) and _finds(place, attribute, value):
                return ast.Attribute(self._module(place), attribute, ast.Load())
        raise _NoText

    def _module(self, name: str) -> ast.expr:
        if not is_trusted(name):
            raise _NoText
        return self._defined(name, name.replace(".", "_"), f"import {name} as {{}}\n")

    def _array(self, array: FrozenArray) -> ast.expr:
        if array.nbytes > LARGEST_ARRAY:
            raise _NoText
        numpy = ast.unparse(self._module("numpy"))
        content = f"bytes.fromhex('{array.tobytes().hex()}')"
        made = f"{numpy}.frombuffer({content}, '{array.dtype}').reshape({array.shape})"
        return self._defined(("array", made), "array", f"{{}} = {made}\n")

    def _helper(self, function: FunctionType) -> ast.expr:
        key = id(function)
        if key not in self.names:
            name = self._new_name(function.__name__)
            self.define(function, name)
            self.names[key] = name
        return ast.Name(self.names[key], ast.Load())

    def _defined(self, key: Any, hint: str, definition: str) -> ast.expr:
        if key not in self.names:
            self.names[key] = self._new_name(hint)
            self.text += definition.format(self.names[key])
        return ast.Name(self.names[key], ast.Load())

    def _new_name(self, hint: str) -> str:
        readable = hint if hint.isidentifier() and hint.isascii() else "function"
        self.count += 1
        return f"{self.prefix}_{self.count}_{readable}"


class _Replaced(ast.NodeTransformer):
    """Puts what stands for captured values in the place of their names."""

    def __init__(self, writer: _Writer, values: dict[str, Any]) -> None:
        self.writer = writer
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.values:
            return node
        value = self.values[node.id]
        if isinstance(value, Namespace):
            raise _NoText
        return self.writer.expression(value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        found = self._in_namespace(node)
        if found is _NOTHING:
            return self.generic_visit(node)
        return self.writer.expression(found)

    def _in_namespace(self, node: ast.expr) -> Any:
        """The value of name.a.b, if name.a is a frozen module or class."""
        if isinstance(node, ast.Attribute):
            base = node.value
            inner = self.values.get(base.id) if isinstance(base, ast.Name) else self._in_namespace(base)
            if isinstance(inner, Namespace):
                return getattr(inner, node.attr)
        return _NOTHING


_NOTHING = object()


def _constant(value: Any) -> ast.expr | None:
    """A number as it is written; minus is an operator, which is put in brackets where that matters."""
    if type(value) not in (bool, int, float) or (type(value) is float and not math.isfinite(value)):
        return None
    is_negative = value < 0 or is_minus_zero(value)
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if is_negative else ast.Constant(value)


def _finds(module: str, name: str, value: Any) -> bool:
    return getattr(sys.modules.get(module), name, _NOTHING) is value


def _as_definition(node: ast.Lambda | ast.FunctionDef, name: str) -> ast.FunctionDef:
    body: list[ast.stmt] = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    made = ast.FunctionDef(name, node.args, body, [], None, None, lineno=0, col_offset=0)
    if sys.version_info >= (3, 12):
        made.type_params = []
    return made


def _set_defaults(arguments: ast.arguments, function: FunctionType) -> None:
    """The values that default arguments had, for the expressions that gave them."""
    keywords = function.__kwdefaults__ or {}
    positional: list[Any] = [_constant(value) for value in function.__defaults__ or ()]
    by_name: list[Any] = [
        _constant(keywords[a.arg]) if a.arg in keywords else ... for a in arguments.kwonlyargs
    ]
    if None in positional or None in by_name:
        raise _NoText
    arguments.defaults = positional
    arguments.kw_defaults = [None if value is ... else value for value in by_name]


def _check_names(node: ast.FunctionDef, captured_names: set[str], prefix: str) -> None:
    """Raise unless every name in the function is captured, built in, or clearly its own."""
    own = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own |= {n.name for n in ast.walk(node) if isinstance(n, _NAMING) and n is not node and n.name}
    read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - own
    # A function inside may have a variable of a name that the outer one captures.
    unclear = own & captured_names
    taken = {name for name in own if name.startswith((prefix, "_anypair"))}
    unknown = {name for name in read - captured_names if not hasattr(builtins, name)}
    if unclear or taken or unknown or any(isinstance(n, _SCOPING) for n in ast.walk(node)):
        raise _NoText


_NAMING = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
_SCOPING = ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal
