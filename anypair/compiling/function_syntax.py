"""The piece of syntax that a function was compiled from, found in its file."""

import ast
import linecache
import types
from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any

from anypair.compiling.syntax import parse


def node_of(function: FunctionType) -> ast.Lambda | ast.FunctionDef | None:
    """The piece of syntax that the function was compiled from, if its file still says the same."""
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
