"""A device for the backend `cuda` that runs the PTX of its kernels on the CPU; its arrays are NumPy's."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from anypair.backends.cuda.device import Device
from anypair.backends.cuda.numba_cuda import cuda, types
from anypair.dtypes import Array
from tests.cuda.emulator.launching import launch
from tests.cuda.emulator.races import RaceFound, unintended

CAPABILITY = (8, 0)


class Poisoned:
    """NumPy, but for `empty`: its memory holds what no kernel should rely on."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def empty(n: Any, dtype: Any = None) -> Array:
        """An array of 0xCB, which is negative, large and odd."""
        made: Array = np.empty(n, dtype)
        made.view(np.uint8)[...] = 1 if made.dtype == np.bool_ else 0xCB
        return made


class Emulated(Device):
    """Blocks of a launch run at once under a schedule that the seed draws; races and faults raise."""

    simulated = False
    xp: Any = Poisoned()

    def __init__(self, block: int, most_blocks: int, memory_limit: int = 0, seed: int = 1) -> None:
        super().__init__(block, most_blocks, memory_limit)
        self.seed = seed
        self.launches = 0

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        assert all(a.flags.c_contiguous for a in arguments if isinstance(a, np.ndarray))
        function = kernel.py_func
        names = function.__code__.co_varnames[: len(arguments)]
        self.launches += 1
        seed = self.seed * 1_000_003 + self.launches
        found = launch(ptx_of(function, _types(arguments)), names, arguments, blocks, block, seed)
        if wrong := unintended(function.__name__, found):
            raise RaceFound(function.__name__, wrong)

    @contextmanager
    def scope(self) -> Iterator[None]:
        yield


@lru_cache(maxsize=4096)
def ptx_of(function: Any, argument_types: tuple[Any, ...]) -> str:
    """What a GPU of that capability would be given."""
    signature = types.void(*argument_types)
    options = {"cc": CAPABILITY, "device": False, "abi": "numba"}
    return str(cuda.compile(function, signature, output="ptx", **options)[0])


def _types(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """As Numba types what it is given on a GPU, where arrays are writable and aligned."""
    return tuple(
        types.Array(numba.from_dtype(a.dtype), 1, "C") if isinstance(a, np.ndarray) else numba.typeof(a)
        for a in arguments
    )
