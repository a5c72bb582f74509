"""Modules of kernels: a template with its operators, in a file named by what it holds.

Numba's own cache is keyed by file: one file for each text means that nothing is ever stale, that a
second process finds what the first has compiled, and that two at once write the same thing.
"""

import gc
import hashlib
import importlib.util
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import event

from anypair.version import __version__

HERE = Path(__file__).parent
HEADER = """import math

import numpy as np
from numba import njit

from anypair.backends.jit import casting

# Nobody calls from C, nor from Python what only kernels call: the way in takes a tenth of the time.
compiled = njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)
kernel = njit(nogil=True, no_cfunc_wrapper=True, cache=True)
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

CALLED = ("bits.py", "casting.py", "searching.py", "sharing.py")  # what templates import of ours

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
    """The module of this text, from a file named by it and by what else its machine code depends on."""
    digest = hashlib.sha256(f"{environment}\n{source}".encode()).hexdigest()[:24]
    if digest not in _loaded:
        _loaded[digest] = _import(_write(f"{name}_{digest}", source))
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
    return f"{versions}\n{ours}"


@cache
def cache_folder() -> Path:
    """Where generated modules live: ANYPAIR_CACHE, the user's cache, or else a temporary folder."""
    given = os.environ.get("ANYPAIR_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    for folder in (Path(given),) if given else (Path(base) / "anypair",):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="anypair-"))


def _write(name: str, source: str) -> Path:
    path = cache_folder() / f"{name}.py"
    if not path.exists():
        # A rename is atomic: another process sees the whole file or none.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".tmp", delete=False) as file:
            file.write(source)
        os.replace(file.name, path)  # noqa: PTH105
    return path


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"anypair_kernels.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Numba unpickles cached code by module name
    spec.loader.exec_module(module)
    return module


def _in_memory(name: str, source: str, injected: Mapping[str, Callable[..., Any]]) -> ModuleType:
    module = ModuleType(f"anypair_kernels.{name}")
    module.__dict__.update({key: numba.njit(nogil=True)(f) for key, f in injected.items()})
    exec(compile(source.replace("cache=True", "cache=False"), f"<{name}>", "exec"), module.__dict__)
    return module
