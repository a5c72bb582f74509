"""Functions for kernels that are written in LLVM's terms."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from numba.extending import intrinsic as numbas_intrinsic

Parameters = ParamSpec("Parameters")


def intrinsic(function: Callable[Concatenate[Any, Parameters], Any]) -> Callable[Parameters, Any]:
    """Numba's decorator, and what it does to a signature: kernels do not give the typing context."""
    made: Any = numbas_intrinsic(function)
    called: Callable[Parameters, Any] = made
    return called
