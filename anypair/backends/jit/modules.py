"""Modules of kernels: a template with its operators, known by a hash of all that it depends on.

The text is made anew in each process and never read from disk; its machine code is, under that hash
(`caching.py`). So nothing is ever stale, a second process finds what the first has compiled, and two
at once write the same thing.
"""

import gc
import hashlib
import linecache
import platform
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import config, event

from anypair.backends.jit.caching import IDENTITY
from anypair.semiring.numba_form import jitted
from anypair.version import __version__

HERE = Path(__file__).parent
HEADER = """import math

import numpy as np

from anypair.backends.jit import casting
from anypair.backends.jit.caching import compiled, kernel

"""


class NoCollection(event.Listener):
    """The garbage collector rests while Numba compiles: there is much to look at and little to find."""

    def __init__(self) -> None:
        self._rested: list[bool] = []

    def on_start(self, event: Any) -> None:
        """Called for each function, those included that are compiled for another one."""
        self._rested.append(gc.isenabled())
        gc.disable()

    def on_end(self, event: Any) -> None:
        if self._rested.pop():
            gc.enable()


event.register("numba:compile", NoCollection())  # type: ignore[no-untyped-call]

CALLED = (
    "bits.py",
    "caching.py",
    "casting.py",
    "searching.py",
    "sharing.py",
)  # what templates import of ours

# What of Numba's configuration changes the machine code.
CHOSEN = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")

_loaded: dict[str, ModuleType] = {}


def load_template(template: str, prelude: str, injected: Mapping[str, Callable[..., Any]]) -> ModuleType:
    """The kernels of a template, with the definitions of `prelude` before them.

    Functions without a text are injected as objects; such a module is compiled in memory only.
    """
    source = f"{HEADER}{prelude}\n\n{_template(template)}"
    if injected:
        return _in_memory(template, source, injected)
    return load_source(template, source, _environment())


def load_source(name: str, source: str, environment: str) -> ModuleType:
    """The module of this text; its machine code depends on it and on this environment."""
    digest = hashlib.sha256(f"{environment}\n{source}".encode()).hexdigest()[:24]
    if digest not in _loaded:
        _loaded[digest] = _executed(f"{name}_{digest}", source, {IDENTITY: f"{name}_{digest}"})
    return _loaded[digest]


def load_file(path: Path) -> ModuleType:
    """The kernels of a whole file; it may call functions of files in the same folder."""
    source = path.read_text("utf-8")
    beside = "".join(other.read_text("utf-8") for other in sorted(path.parent.glob("*.py")))
    return load_source(path.stem, source, f"{_environment()}\n{beside}")


@cache
def _template(name: str) -> str:
    return (HERE / "templates" / f"{name}.py").read_text("utf-8")


@cache
def _environment() -> str:
    """What else the machine code depends on."""
    ours = "".join((HERE / name).read_text("utf-8") for name in CALLED)
    versions = (__version__, numba.__version__, np.__version__, sys.version, platform.machine())
    chosen = [f"{name}={getattr(config, name, None)}" for name in CHOSEN]
    return f"{versions}\n{chosen}\n{ours}"


def _executed(name: str, source: str, names: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(f"anypair_kernels.{name}")
    module.__dict__.update(names)
    sys.modules[module.__name__] = module  # Numba unpickles machine code by module name
    file = f"<{module.__name__}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    return module


def _in_memory(name: str, source: str, injected: Mapping[str, Callable[..., Any]]) -> ModuleType:
    module = ModuleType(f"anypair_kernels.{name}")
    module.__dict__.update({key: jitted(f, nogil=True) for key, f in injected.items()})
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return module
