"""Modules of kernels: a text with its operators, known by a hash of all that it depends on.

The text is made anew in each process and never read from disk; its machine code is, under that hash
(`caching.py`). So nothing is ever stale, a second process finds what the first has compiled, and two
at once write the same thing.
"""

import hashlib
import linecache
import platform
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import config

from anypair.compiling.caching import ABOUT, IDENTITY, INTERPRETED
from anypair.semiring.numba_form import jitted
from anypair.version import __version__

# What of Numba's configuration changes the machine code.
CHOSEN = ("BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE")

ROOT = Path(__file__).parents[2]
SERVICES = ("anypair.compiling.", "anypair.threads.")

_loaded: dict[str, ModuleType] = {}


def load_source(
    name: str,
    source: str,
    injected: Mapping[str, Callable[..., Any]] | None = None,
    *,
    besides: str = "",
    operators: Sequence[str] = (),
    interpreted: bool = False,
) -> ModuleType:
    """The module of this text; `besides` it and what it imports, its machine code may depend on more.
    The names of the operators in it are for people only. What is `interpreted` may be run by Python
    where there is little to do.

    Functions without a text are injected as objects; such a module is compiled in memory only.
    """
    if injected:
        return _in_memory(name, source, injected)
    environment = f"{_environment()}\n{besides}\n{_texts_imported_by(source)}"
    digest = hashlib.sha256(f"{environment}\n{source}".encode()).hexdigest()[:24]
    if digest not in _loaded:
        about = {"module": name, "operators": "; ".join(operators), "text": source}
        names = {IDENTITY: f"{name}_{digest}", ABOUT: about, INTERPRETED: interpreted}
        _loaded[digest] = _executed(f"{name}_{digest}", source, names)
    return _loaded[digest]


def load_file(path: Path, *, interpreted: bool = False) -> ModuleType:
    """The kernels of a whole file."""
    return load_source(path.stem, path.read_text("utf-8"), interpreted=interpreted)


@cache
def _environment() -> str:
    """What of the machine and of other libraries the machine code depends on."""
    versions = (__version__, numba.__version__, np.__version__, sys.version, platform.machine())
    chosen = [f"{name}={getattr(config, name, None)}" for name in CHOSEN]
    return f"{versions}\n{chosen}"


def _texts_imported_by(source: str) -> str:
    """The texts of our modules that a kernel's text imports, and of what these import of our services
    or of their own folder: functions of these become part of the machine code.
    """
    names: list[str] = []
    wanted = _imports(source)
    while wanted:
        name = wanted.pop()
        if name not in names:
            names.append(name)
            package = name.rpartition(".")[0]
            wanted += [n for n in _imports(_text(name)) if n.startswith((f"{package}.", *SERVICES))]
    return "".join(_text(name) for name in sorted(names))


def _imports(source: str) -> list[str]:
    """Modules of ours that a text imports at its top: `from package import module` too."""
    found = []
    for name, several, one in _IMPORT.findall(source):
        inner = [f"{name}.{item.split()[0]}" for item in (several or one).split(",") if item.strip()]
        found += [module for module in (name, *inner) if _text(module)]
    return found


_IMPORT = re.compile(r"^(?:from|import) (anypair[\w.]*)(?: import (?:\(([^)]*)\)|([^(\n#]*)))?", re.M)


@cache
def _text(module: str) -> str:
    """The text of a module of ours; nothing of a package, or if there is none of this name."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return path.read_text("utf-8") if path.is_file() else ""


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
