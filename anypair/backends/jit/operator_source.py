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
from textwrap import indent
from typing import Any

import numpy as np


def text_of(function: Callable[..., Any], name: str) -> str | None:
    """A text that defines `function` under another name, or None if there is none to be trusted."""
    node = _node_of(function)
    if node is None:
        return None
    captured = _captured(function, node)
    if captured is None:
        return None
    if isinstance(node, ast.Lambda):
        return f"{captured}{name} = njit(nogil=True)({ast.unparse(node)})\n"
    plain = ast.FunctionDef(name, node.args, node.body, [], None, None, lineno=0, col_offset=0)
    for argument in ast.walk(plain.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return f"{captured}@njit(nogil=True)\n{ast.unparse(ast.fix_missing_locations(plain))}\n"


def _node_of(function: Callable[..., Any]) -> ast.Lambda | ast.FunctionDef | None:
    """The piece of syntax that the function was compiled from, found by line and proved by code."""
    if not isinstance(function, types.FunctionType) or function.__defaults__:
        return None
    code = function.__code__
    tree = _tree(code.co_filename, "".join(linecache.getlines(code.co_filename)))
    if tree is None:
        return None
    found = [node for node in _functions(tree) if _first_line(node) == code.co_firstlineno]
    same = [node for node in found if _compiles_to(node, code)]
    return same[0] if len({ast.dump(node) for node in same}) == 1 else None


@lru_cache(maxsize=32)
def _tree(filename: str, text: str) -> ast.Module | None:
    try:
        return ast.parse(text, filename) if text else None
    except SyntaxError:
        return None


def _functions(tree: ast.Module) -> Iterator[ast.Lambda | ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef))


def _first_line(node: ast.Lambda | ast.FunctionDef) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _compiles_to(node: ast.Lambda | ast.FunctionDef, code: types.CodeType) -> bool:
    """Whether this syntax gives this code: the file may have changed since it was imported."""
    text = ast.unparse(node)
    if isinstance(node, ast.FunctionDef):
        text = ast.unparse(
            ast.FunctionDef(node.name, node.args, node.body, [], node.returns, None, lineno=0)
        )
    # Captured variables are compiled differently inside a function that defines them.
    captured = ", ".join(code.co_freevars)
    statement = text if isinstance(node, ast.FunctionDef) else f"return {text}"
    outer = f"def _outer({captured}):\n{indent(statement, '    ')}"
    compiled = compile(f"from __future__ import annotations\n{outer}", "<anypair>", "exec")
    inner = next(c for c in compiled.co_consts if isinstance(c, types.CodeType))
    return any(
        isinstance(c, types.CodeType)
        and c.co_code == code.co_code
        and c.co_names == code.co_names
        and c.co_freevars == code.co_freevars
        and _plain(c.co_consts) == _plain(code.co_consts)
        for c in inner.co_consts
    )


def _plain(constants: tuple[Any, ...]) -> list[str]:
    return [repr(c) for c in constants if not isinstance(c, types.CodeType | str)]


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
