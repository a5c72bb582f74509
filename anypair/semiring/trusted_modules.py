"""Modules that stay as they are, those of Python and of NumPy; others change between runs or in one."""

import os
import sys
from functools import cache
from pathlib import Path


@cache
def is_trusted(name: str) -> bool:
    """Whether the module of this name comes with Python or NumPy.

    >>> is_trusted("math"), is_trusted("numpy.linalg"), is_trusted("anypair")
    (True, True, False)
    """
    top = name.partition(".")[0]
    if top == "numpy":
        return True
    if top not in sys.stdlib_module_names and top != "builtins":
        return False
    # A script's own folder comes first: a file of the user may have the name of a module of Python.
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is None or Path(file).resolve().is_relative_to(_library())


@cache
def _library() -> Path:
    """Where the modules of Python are, those written in C below it."""
    return Path(os.__file__).resolve().parent
