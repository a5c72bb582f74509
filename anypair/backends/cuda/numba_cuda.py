"""Numba's CUDA module; how much of it is typed depends on the package that it comes from."""

import threading
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from anypair.errors import BackendUnavailable

if import_module("numba.core.config").ENABLE_CUDASIM:
    raise BackendUnavailable(
        "backend 'cuda' is not ready: Numba's CUDA simulator is on, which compiles nothing; "
        "unset NUMBA_ENABLE_CUDASIM"
    )

cuda: Any = import_module("numba.cuda")
types: Any = import_module("numba.types")
intrinsic: Any = import_module("numba.cuda.extending").intrinsic

try:
    VERSION = version("numba-cuda")
except PackageNotFoundError:
    VERSION = "built in"  # into Numba itself

_CONFIGURING = threading.Lock()


def configured(kernel: Any, blocks: int, block: int, stream: Any) -> Any:
    """kernel[blocks, block, stream], without the warning that a grid is small: so are many graphs.

    The switch for it is global; programs that launch kernels of their own keep their warnings.
    """
    config: Any = import_module("numba.cuda.core.config")
    with _CONFIGURING:
        usual = config.CUDA_LOW_OCCUPANCY_WARNINGS
        config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
        try:
            return kernel[blocks, block, stream]
        finally:
            config.CUDA_LOW_OCCUPANCY_WARNINGS = usual
