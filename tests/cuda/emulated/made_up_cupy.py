"""CuPy that is NumPy, and GPUs whose kernels run in the emulator: all of `Gpu` is executed but its `_view`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from anypair.backends.cuda import device
from tests.cuda.emulator.device import run_kernel


class OutOfMemoryError(MemoryError):
    """CuPy's."""


class Here(threading.local):
    """What this thread has entered, the allocator that it is told to use, and whether memory is full."""

    full = False
    current = 0

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.allocators: list[Any] = []


class MadeUpCupy:
    """NumPy's functions, and a runtime that notes what is entered."""

    def __init__(self, gpus: int) -> None:
        self.here = Here()
        self.limit: int | None = None
        self.ndarray = type("ndarray", (), {})  # of no array, so that the emulator gets NumPy's
        self.cuda = SimpleNamespace(
            Device=self._device,
            Stream=self._stream,
            MemoryPool=self._pool,
            using_allocator=self._using_allocator,
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            runtime=SimpleNamespace(memGetInfo=lambda: (1 << 33, 1 << 34), getDeviceCount=lambda: gpus),
        )

    @property
    def entered(self) -> list[str]:
        return self.here.entered

    def __getattr__(self, name: str) -> Any:
        """A function of NumPy, each of which wants memory."""
        self.here.allocators[-1](9000)
        return getattr(np, name)

    def argsort(self, keys: Any) -> Any:
        return np.argsort(keys, stable=True)

    def asarray(self, values: Any, *, copy: bool = True) -> Any:
        return values.copy()  # to another memory, always

    def asnumpy(self, values: Any, *, out: Any = None) -> Any:
        assert self.here.allocators, "outside of the scope"
        if out is None:
            return values.copy()
        out[:] = values
        return out

    @contextmanager
    def _using_allocator(self, allocator: Any) -> Iterator[None]:
        self.entered.append("allocator")
        self.here.allocators.append(allocator)
        try:
            yield
        finally:
            self.here.allocators.pop()

    def _malloc(self, nbytes: int) -> None:
        if self.here.full:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes} bytes.")

    def _device(self, number: int) -> Any:
        return MadeUpDevice(self, number)

    def _stream(self, *, non_blocking: bool) -> Any:
        assert non_blocking
        return Stream(self)

    def _pool(self) -> Any:
        return SimpleNamespace(
            malloc=self._malloc,
            set_limit=self._set_limit,
            get_limit=lambda: self.limit,
            free_bytes=lambda: 0,
            used_bytes=lambda: 0,
        )

    def _set_limit(self, *, size: int) -> None:
        self.limit = size


class MadeUpDevice:
    attributes: ClassVar = {"MultiProcessorCount": 1}

    def __init__(self, cupy: MadeUpCupy, number: int) -> None:
        self.cupy = cupy
        self.number = number

    def use(self) -> None:
        self.cupy.here.current = self.number

    def __enter__(self) -> "MadeUpDevice":
        self.cupy.entered.append("device")
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Stream:
    ptr = 0

    def __init__(self, cupy: MadeUpCupy) -> None:
        self.cupy = cupy

    def __enter__(self) -> "Stream":
        self.cupy.entered.append("stream")
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def synchronize(self) -> None:
        self.cupy.entered.append("synchronized")


class Reentered:
    """`cuda.gpus[0]`, which can be entered as often as one likes."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def installed(patch: pytest.MonkeyPatch, gpus: int = 1) -> MadeUpCupy:
    """A machine with so many GPUs, as `Gpu` sees it."""
    made_up = MadeUpCupy(gpus)
    numba_cuda = SimpleNamespace(external_stream=lambda pointer: pointer, gpus=[Reentered()] * gpus)
    patch.setattr(device, "require_gpu", lambda: made_up)
    patch.setattr(device, "cuda", numba_cuda)
    patch.setattr(device, "page_locked", np.empty)
    patch.setattr(device, "configured", _configured)
    return made_up


def _configured(kernel: Any, blocks: int, block: int, stream: Any) -> Any:
    return lambda *given: run_kernel(kernel, blocks, block, given, seed=1)
