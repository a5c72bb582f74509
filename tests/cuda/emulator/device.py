"""A device for the backend `cuda` that runs the PTX of its kernels on the CPU; its arrays are NumPy's."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numba
import numpy as np

from anypair import memory
from anypair.backends.cuda.device import Device
from anypair.backends.cuda.numba_cuda import cuda, types
from anypair.compiling.caching import IDENTITY
from anypair.dtypes import Array
from anypair.errors import DeviceFailed, NotEnoughMemory
from tests.cuda.emulator.disk import kept
from tests.cuda.emulator.launching import compile_ptx, launch
from tests.cuda.emulator.races import RaceFound, unintended

CAPABILITY = (8, 0)

_COMPILING = threading.Lock()


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
    """Blocks of a launch run at once under a schedule that the seed draws; races and faults raise.

    With several `schedules` each launch runs under all of them; its results are those of the last one.
    """

    xp: Any = Poisoned()
    on_host = True

    def __init__(
        self, block: int, most_blocks: int, memory_limit: int = 0, seed: int = 1, schedules: int = 1
    ) -> None:
        super().__init__(block, most_blocks, memory_limit)
        self.seed = seed
        self.schedules = schedules
        self.launches = 0

    def to_device(self, values: Array) -> Any:
        return values.copy()

    def to_host(self, values: Any) -> Array:
        host: Array = values.copy()
        return host

    def order(self, keys: Any) -> Any:
        return np.argsort(keys, stable=True)

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        before = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        for schedule in range(self.schedules):
            for array, usual in zip(arguments, before, strict=True):
                if schedule and isinstance(array, np.ndarray):
                    array[...] = usual
            self.launches += 1
            run_kernel(kernel, blocks, block, arguments, self.seed * 1_000_003 + self.launches)

    def require(self, nbytes: int, what: str) -> None:
        if self.memory_limit and nbytes > self.memory_limit:
            raise NotEnoughMemory(
                f"{what} needs about {nbytes / 1e9:.3g} GB and memory_limit={self.memory_limit}"
            )
        memory.require(nbytes, what)

    def failure(self, error: Exception) -> DeviceFailed | None:
        return None

    def synchronize(self) -> None:
        """Launches have ended when they return."""

    @contextmanager
    def scope(self) -> Iterator[None]:
        yield


def run_kernel(kernel: Any, blocks: int, block: int, arguments: Sequence[Any], seed: int) -> None:
    """Run a kernel on arrays of the host; raises `EmulatedFault`, or `RaceFound` for a race not meant."""
    assert all(a.flags.c_contiguous for a in arguments if isinstance(a, np.ndarray))
    function = kernel.py_func
    names = function.__code__.co_varnames[: len(arguments)]
    with _COMPILING:  # ranks that are threads ask for one kernel at a time
        ptx = ptx_of(function, argument_types(arguments), kernel.targetoptions["launch_bounds"])
        compile_ptx(ptx)
    found = launch(ptx, names, arguments, blocks, block, seed)
    if wrong := unintended(function.__name__, found):
        raise RaceFound(function.__name__, wrong)


@lru_cache(maxsize=4096)
def ptx_of(function: Any, given: tuple[Any, ...], launch_bounds: int | None = None) -> str:
    """What a GPU of that capability would be given; kept on disk if the text of the kernel is."""
    options = {"cc": CAPABILITY, "device": False, "abi": "numba", "launch_bounds": launch_bounds}

    def make() -> bytes:
        return str(cuda.compile(function, types.void(*given), output="ptx", **options)[0]).encode()

    if (module := function.__globals__.get(IDENTITY)) is None:
        return make().decode()
    kinds = hashlib.sha256(f"{given} {options}".encode()).hexdigest()
    return kept(f"{module}.{function.__name__}-ptx-{kinds[:24]}", make).decode()


def argument_types(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """As Numba types what it is given on a GPU, where arrays are writable and aligned."""
    return tuple(
        types.Array(numba.from_dtype(a.dtype), 1, "C") if isinstance(a, np.ndarray) else numba.typeof(a)
        for a in arguments
    )
