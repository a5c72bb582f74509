"""The kernels of this package, compiled once for each machine and shared by all processes."""

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


def without_waiting() -> AbstractContextManager[None]:
    """Inside, kernels that have no machine code yet are run by Python where there is little to do."""
    from anypair.compiling.interpreting import interpreter

    return interpreter.at_once()
