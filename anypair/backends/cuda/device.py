"""The GPU that a backend computes on: where arrays live and kernels run."""

import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from anypair.backends.cuda.availability import require_gpu
from anypair.backends.cuda.numba_cuda import configured, cuda
from anypair.dtypes import Array, DType
from anypair.errors import DeviceFailed, NotEnoughMemory


class Device(ABC):
    """What the backend asks of a GPU; the tests have others that stand for one."""

    xp: Any
    on_host: bool = False  # whether its arrays are in memory that any MPI can send

    def __init__(self, block: int, most_blocks: int, memory_limit: int = 0) -> None:
        self.block = block  # threads of a block
        self.most_blocks = most_blocks  # of one launch; kernels stride over what is more
        self.memory_limit = memory_limit  # bytes, or 0 for none

    def dtype(self, dtype: DType) -> Any:
        """What `xp` calls this dtype."""
        return dtype

    def nbytes(self, values: Any) -> int:
        """How many bytes an array takes."""
        return int(values.nbytes)

    def as_bytes(self, values: Any) -> Any:
        """The bytes of an array, in the same memory."""
        return values.view(np.uint8)

    def from_bytes(self, data: Any, dtype: DType) -> Any:
        """The reverse, for bytes that begin where a number of this dtype may begin."""
        return data.view(dtype)

    @abstractmethod
    def to_device(self, values: Array) -> Any:
        """A copy of a host array in device memory."""

    @abstractmethod
    def to_host(self, values: Any) -> Array:
        """A copy on the host; waits for whatever computes it."""

    @abstractmethod
    def order(self, keys: Any) -> Any:
        """The stable order that sorts the keys."""

    @abstractmethod
    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        """Run a kernel on so many blocks of so many threads."""

    @abstractmethod
    def require(self, nbytes: int, what: str) -> None:
        """Raise `NotEnoughMemory` if so many bytes are more than there are."""

    @abstractmethod
    def failure(self, error: Exception) -> DeviceFailed | None:
        """What to raise in place of an error of the machine; None for any other error."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all that was launched is done."""

    @abstractmethod
    def scope(self) -> AbstractContextManager[None]:
        """Where all work on this device is done."""


class Gpu(Device):
    """CuPy arrays from a memory pool of our own, and one stream for arrays and kernels alike."""

    def __init__(self, number: int, block: int, memory_limit: int) -> None:
        self.xp = require_gpu()
        self.number = number
        with self.xp.cuda.Device(number) as device, cuda.gpus[number]:
            super().__init__(block, 32 * device.attributes["MultiProcessorCount"], memory_limit)
            self.stream = self.xp.cuda.Stream(non_blocking=True)
            self.pool = self.xp.cuda.MemoryPool()
            self.pool.set_limit(size=memory_limit)
            self._launched_on = cuda.external_stream(self.stream.ptr)

    def to_device(self, values: Array) -> Any:
        return self.xp.asarray(values)  # by way of page-locked memory, as CuPy does it

    def to_host(self, values: Any) -> Array:
        if not values.size:
            empty: Array = self.xp.asnumpy(values)
            return empty
        staged = page_locked(values.shape, values.dtype)
        self.xp.asnumpy(values, out=staged)
        return staged.copy()  # that memory is scarce, and goes back to its pool

    def order(self, keys: Any) -> Any:
        return self.xp.argsort(keys)  # CuPy's is stable

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        given = [self._view(argument) for argument in arguments]
        try:
            configured(kernel, blocks, block, self._launched_on)(*given)
        except Exception as error:
            if failure := self.failure(error):
                name = getattr(kernel, "__name__", "?")
                failure.add_note(f"kernel {name}, {blocks} blocks of {block} threads")
                raise failure from error
            raise

    def _view(self, argument: Any) -> Any:
        """A CuPy array as Numba sees it; all runs on one stream, so neither has to wait."""
        if not isinstance(argument, self.xp.ndarray):
            return argument
        described = {**argument.__cuda_array_interface__, "stream": None}
        return cuda.from_cuda_array_interface(described, owner=argument, sync=False)

    def require(self, nbytes: int, what: str) -> None:
        free = self.xp.cuda.runtime.memGetInfo()[0] + self.pool.free_bytes()
        if limit := self.pool.get_limit():
            free = min(free, limit - self.pool.used_bytes())
        if nbytes > free:
            raise NotEnoughMemory(
                f"{what} needs about {nbytes / 1e9:.3g} GB and {free / 1e9:.3g} GB are free "
                f"on GPU {self.number}"
            )

    def failure(self, error: Exception) -> DeviceFailed | None:
        if not _of_the_machine(error):
            return None
        said = next((line for line in str(error).splitlines() if line.strip()), "no message")
        return DeviceFailed(f"GPU {self.number} failed: {type(error).__name__}: {said}")

    def synchronize(self) -> None:
        self.stream.synchronize()

    @contextmanager
    def scope(self) -> Iterator[None]:
        with (
            self.xp.cuda.Device(self.number),
            cuda.gpus[self.number],
            self.stream,
            self.xp.cuda.using_allocator(self._allocate),
        ):
            yield

    def _allocate(self, nbytes: int) -> Any:
        """Memory of our pool, or the figures: here, as ranks catch errors inside of the scope."""
        try:
            return self.pool.malloc(nbytes)
        except self.xp.cuda.memory.OutOfMemoryError as error:
            raise NotEnoughMemory(self._figures(str(error))) from error

    def _figures(self, said: str) -> str:
        free, total = self.xp.cuda.runtime.memGetInfo()
        limit = self.pool.get_limit()
        allowed = f"memory_limit={limit}" if limit else "no memory_limit"
        return (
            f"GPU {self.number} is out of memory: {said.rstrip('.')}; anypair holds "
            f"{self.pool.used_bytes() / 1e9:.3g} GB of {total / 1e9:.3g} GB ({allowed}), "
            f"{free / 1e9:.3g} GB are free; use a smaller graph, a smaller buffer= or a larger GPU"
        )


def page_locked(shape: tuple[int, ...], dtype: Any) -> Array:
    """Host memory that a GPU writes to by itself; what ranks send passes through it."""
    from cupyx import empty_pinned

    locked: Array = empty_pinned(shape, dtype)
    return locked


def take_device(number: int) -> int:
    """Which of the GPUs that this process can see is for a rank of that number.

    It becomes the current one: what goes back to the current GPU would make a context on the first.
    """
    cupy = require_gpu()
    taken = number % int(cupy.cuda.runtime.getDeviceCount())
    cupy.cuda.Device(taken).use()
    return taken


DRIVER_OF_NUMBA = ("numba.cuda.cudadrv", "numba_cuda.numba.cuda.cudadrv")


def _of_the_machine(error: Exception) -> bool:
    """Whether CuPy, CUDA or the driver raised it."""
    return type(error).__module__.startswith(("cupy", "cuda.", *DRIVER_OF_NUMBA))


def refuses_a_text(error: Exception) -> bool:
    """Whether Numba does not compile what it was given: its errors have several roots, or none."""
    module = type(error).__module__
    if module == "builtins" and (frames := traceback.extract_tb(error.__traceback__)):
        return "numba" in Path(frames[-1].filename).parts
    return module.startswith(("numba.", "numba_cuda.")) and not module.startswith(DRIVER_OF_NUMBA)


_OPENING = threading.Lock()


def open_device(number: int, block: int, memory_limit: int) -> Device:
    """The GPU of that number.

    One for all backends that ask the same, in whatever thread: those that a grid tells to push and to
    pull use what the others compute, which is right on one stream only.
    """
    with _OPENING:
        return _opened(number, block, memory_limit)


@cache
def _opened(number: int, block: int, memory_limit: int) -> Device:
    return Gpu(number, block or 256, memory_limit)
