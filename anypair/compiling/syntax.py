"""Python text as a tree, for one thread at a time."""

import ast
import threading

_PARSING = threading.Lock()  # CPython 3.11 fails now and then when two threads parse at once


def parse(text: str, filename: str = "<operators>") -> ast.Module:
    """The tree of a text.

    >>> ast.unparse(parse("x  =  1"))
    'x = 1'
    """
    with _PARSING:
        return ast.parse(text, filename)
