"""The source text of a user's function, with what it captures, so that its machine code can be cached.

A function whose text cannot be had for certain (typed at a prompt, changed on disk, capturing objects)
still runs: it is compiled in memory, once for each process.
"""

import ast
import builtins
import inspect
import linecache
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from anypair.backends.jit.syntax import parse


def text_of(function: Callable[..., Any], name: str) -> str | None:
    """A text that defines `function` under another name, or None if there is none to be trusted.

    The text marks functions as `compiled`; what that means, the module says that it becomes part of.
    """
    node = _node_of(function)
    if node is None:
        return None
    captured = _captured(function, node)
    if captured is None:
        return None
    if isinstance(node, ast.Lambda):
        return f"{captured}{name} = compiled({ast.unparse(node)})\n"
    plain = ast.FunctionDef(name, node.args, node.body, [], None, None, lineno=0, col_offset=0)
    for argument in ast.walk(plain.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"{captured}@compiled\n{ast.unparse(ast.fix_missing_locations(plain))}\n"


def _node_of(function: Callable[..., Any]) -> ast.Lambda | ast.FunctionDef | None:
    """The piece of syntax that the function was compiled from, if its file still says the same."""
    if not isinstance(function, types.FunctionType) or function.__defaults__:
        return None
    code = function.__code__
    parsed = _parsed(code.co_filename, "".join(linecache.getlines(code.co_filename)))
    if parsed is None:
        return None
    tree, compiled = parsed
    if not any(_alike(other, code) for other in _codes(compiled)):
        return None
    begin, end = _span(code)
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda | ast.FunctionDef)
        and _first_line(node) == code.co_firstlineno
        and (node.lineno, node.col_offset) <= begin
        and end <= (node.end_lineno or 0, node.end_col_offset or 0)
    ]
    # Of lambdas inside one another, the innermost that holds all of the code.
    return found[-1] if found else None


@lru_cache(maxsize=32)
def _parsed(filename: str, text: str) -> tuple[ast.Module, types.CodeType] | None:
    if not text:
        return None
    try:
        return parse(text, filename), compile(text, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _alike(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two pieces of code stand in the same line and do the same: files change."""
    names = ("co_firstlineno", "co_code", "co_names", "co_varnames", "co_freevars")
    same = all(getattr(one, name) == getattr(other, name) for name in names)
    return same and _plain(one.co_consts) == _plain(other.co_consts)


def _plain(constants: tuple[Any, ...]) -> list[str]:
    return [repr(c) for c in constants if not isinstance(c, types.CodeType)]


def _span(code: types.CodeType) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the code of a function begins and ends in its file."""
    places = [p for p in code.co_positions() if None not in p and p[3]] or [(0, 0, 0, 0)]
    begins = [(line or 0, column or 0) for line, _, column, _ in places]
    ends = [(line or 0, column or 0) for _, line, _, column in places]
    return min(begins), max(ends)


def _first_line(node: ast.Lambda | ast.FunctionDef) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _captured(function: Any, node: ast.AST) -> str | None:
    """Definitions of the global and captured names that the function reads; None if one has no text."""
    known = inspect.getclosurevars(function)
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    arguments = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    body = node.body if isinstance(node, ast.Lambda) else ast.Module(node.body, [])  # type: ignore[attr-defined]
    read = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} - stored - arguments
    lines = []
    for name in sorted(read):
        if name in known.nonlocals or name in known.globals:
            value = known.nonlocals.get(name, known.globals.get(name))
            line = _definition(name, value)
            if line is None:
                return None
            lines.append(line)
        elif not hasattr(builtins, name):
            return None
    return "".join(lines)


def _definition(name: str, value: Any) -> str | None:
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}\n"
    if isinstance(value, bool | int | float):
        return f"{name} = float({str(value)!r})\n" if isinstance(value, float) else f"{name} = {value}\n"
    if isinstance(value, np.generic):
        return f"{name} = np.{value.dtype}({value.item()!r})\n" if np.isfinite(value) else None
    inner = getattr(value, "py_func", value)  # what numba.njit made
    return text_of(inner, name) if isinstance(inner, types.FunctionType) else None
