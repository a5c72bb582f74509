"""The kernels of this package, compiled once for each machine and shared by all processes."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent / "kernels"


@cache
def kernels(name: str) -> ModuleType:
    """The compiled functions of one file in `kernels/`; Numba is imported only now."""
    from anypair.compiling.modules import load_file

    return load_file(FOLDER / f"{name}.py", interpreted=True)


def without_waiting(seconds: float | None = None) -> AbstractContextManager[Callable[[], bool]]:
    """Inside, kernels that have no machine code yet are run by Python where there is little to do.

    That is over after so many seconds of it; what is given says whether they are left.
    """
    from anypair.compiling.interpreting import BUDGET, interpreter

    return interpreter.at_once(BUDGET if seconds is None else seconds)
