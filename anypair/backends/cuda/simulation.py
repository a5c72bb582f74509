"""Two parts of the CUDA simulator, made anew: shared arrays, and blocks of threads.

Numba looks for a shared array and makes it in two steps, with nothing to keep a second thread from doing
the same in between; the block then works on two arrays, and now and then an answer is wrong. To know
the place that asks, it reads the text of the whole stack. And it asks its threads again and again
whether they have come to a barrier, which takes the time that they need to get there, and starts new
ones for each block, which takes longer than most of them work.
"""

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np


class SharedArrays:
    """The shared arrays of a launch, one for each line that asks: whoever is first makes it.

    >>> shared = SharedArrays()
    >>> one, other = (shared.array(2, np.int8) for _ in range(2))
    >>> one is other
    True
    """

    def __init__(self, dynamic: int = 0) -> None:
        self._made: dict[tuple[Any, int], Any] = {}
        self._asking = threading.Lock()

    def array(self, shape: Any, dtype: Any) -> Any:
        """The array of the line that calls."""
        caller = sys._getframe(1)
        with self._asking:
            return self._made.setdefault((caller.f_code, caller.f_lineno), np.empty(shape, dtype))


class Barrier:
    """Where the threads of a block wait for each other, and somebody else for all of them."""

    def __init__(self, threads: int) -> None:
        self._changing = threading.Lock()
        self._all_are_there = threading.Semaphore(0)
        self._on_their_way = threads
        self._gate = threading.Semaphore(0)
        self._waiting = 0

    def arrive(self, *, stays: bool) -> None:
        """One thread is there; if it stays, it waits for the others."""
        with self._changing:
            self._on_their_way -= 1
            self._waiting += stays
            gate = self._gate
            if not self._on_their_way:
                self._all_are_there.release()
        if stays:
            gate.acquire()

    def wait_for_all(self) -> int:
        """Returns how many threads wait when all are there."""
        self._all_are_there.acquire()
        return self._waiting

    def open(self) -> None:
        """Let those that wait go on to the next barrier, which has a gate of its own."""
        gate, count = self._gate, self._waiting
        self._gate, self._waiting, self._on_their_way = threading.Semaphore(0), 0, count
        gate.release(max(count, 1))


def repair_simulator() -> None:
    """Let all launches from now on use these parts; does no harm if called again."""
    kernelapi: Any = import_module("numba.cuda.simulator.kernelapi")
    kernel: Any = import_module("numba.cuda.simulator.kernel")
    if kernelapi.FakeCUDAShared is SharedArrays:
        return

    class Thread(kernel.BlockThread):  # type: ignore[misc]
        """A thread that says where it is, and works for one block after another."""

        exception: tuple[BaseException, Any] | None

        def __init__(self) -> None:
            threading.Thread.__init__(self, name="CUDA", daemon=True)
            self._called = threading.Semaphore(0)
            self.start()

        def call(self, block: "Block", work: Callable[[], None], at: Any, point: Any) -> None:
            """Be the thread at that point of a block, at that point of the grid."""
            self._manager, self._work = block, work
            self.blockIdx, self.threadIdx = kernel.Dim3(*at), kernel.Dim3(*point)
            self.exception = None
            self.abort = False
            self._called.release()

        def run(self) -> None:
            while True:
                self._called.acquire()
                try:
                    self._work()
                except BaseException as error:  # whatever it is, the block waits for this thread
                    where = f"tid={list(self.threadIdx)} ctaid={list(self.blockIdx)}"
                    self.exception = _placed(error, where), error.__traceback__
                self._manager.barrier.arrive(stays=False)

        def syncthreads(self) -> None:
            self._manager.barrier.arrive(stays=True)
            if self.abort:
                raise RuntimeError("another thread of the block has failed")

    idle: list[Thread] = []

    class Block(kernel.BlockManager):  # type: ignore[misc]
        """A block whose threads run until each of them has ended or waits at a barrier."""

        def run(self, grid_point: Any, *arguments: Any) -> None:
            points = list(np.ndindex(*self._block_dim))
            self.barrier = Barrier(len(points))
            threads = [_taken(idle) or Thread() for _ in points]
            for thread, point in zip(threads, points, strict=True):
                thread.call(self, lambda: self._f(*arguments), grid_point, point)
            errors: list[tuple[BaseException, Any]] = []
            while self.barrier.wait_for_all():
                errors = errors or [thread.exception for thread in threads if thread.exception]
                for thread in threads:
                    thread.abort = bool(errors)
                self.barrier.open()
            errors = errors or [thread.exception for thread in threads if thread.exception]
            idle.extend(threads)
            if errors:
                error, traceback = errors[0]
                raise error.with_traceback(traceback)

    kernel.BlockManager = Block
    kernelapi.FakeCUDAShared = SharedArrays


def _placed(error: BaseException, where: str) -> BaseException:
    """The same error with a message that says where; itself, if such cannot be made of a message."""
    try:
        return type(error)(f"{where}: {error}" if str(error) else where)
    except Exception:
        return error


def _taken(idle: list[Any]) -> Any:
    """One of them, or None; another thread may take the last."""
    try:
        return idle.pop()
    except IndexError:
        return None
