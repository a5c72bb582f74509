"""Numba's CUDA module; how much of it is typed depends on the package that it comes from."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

cuda: Any = import_module("numba.cuda")
types: Any = import_module("numba.types")

try:
    VERSION = version("numba-cuda")
except PackageNotFoundError:
    VERSION = "built in"  # into Numba itself

#: Whether kernels run as plain Python, by NUMBA_ENABLE_CUDASIM=1 before Numba was imported.
SIMULATED = bool(import_module("numba.core.config").ENABLE_CUDASIM)
