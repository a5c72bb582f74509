"""A thread pool that spins for a moment before it sleeps: to wake a thread takes as long as a kernel.

A worker waits at its slot in compiled code, without the GIL. It spins for about half a millisecond,
which spans the steps of a search, and then sleeps until it is woken. Kernels that share their work out
post their call themselves (`parts.py`): they have released the GIL by then, and a worker that had to
wait for it would fall asleep.
"""

import os
import time
import weakref
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from anypair.compiling.modules import load_file
from anypair.dtypes import Array
from anypair.machine import available_cores
from anypair.threads import parts

SPINS = 1 << 14  # times that a worker looks at its slot before it goes to sleep
SPINS_AFTER_WAKE = 192  # pauses of one that has claimed a call: its caller is about to release the GIL
SPINS_OF_CALLER = 1 << 10  # times that a caller looks at its workers before it asks what the time is
NAP = 5e-5  # seconds between looks at a worker that takes long
PARTS_EACH = 8  # parts of a kernel's work for each thread, at most
SHORTEST_REST, LONGEST_REST = 1e-2, 0.5  # seconds without workers after one had no core for its part

#: The header of a caller that shares nothing.
ALONE = np.zeros(parts.SLOTS, np.int64)


class SpinPool:
    """Workers for one caller at a time; another caller does its work alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        #: There while nobody calls. To delete it takes it, in one step: Ctrl-C comes before or after,
        #: while a lock may be acquired and never released.
        self._idle = True
        self._state: _State | None = None
        #: Until then the caller of a kernel works alone; the last rest was so long.
        self._rests_until = self._rest = 0.0

    def run(self, work: Callable[[], None], workers: int) -> None:
        """Let so many workers and the caller do `work`; it has to find out what is left to do."""
        try:
            del self._idle
        except AttributeError:
            work()
            return
        try:
            state = self._ready()

            def post_and_work() -> None:
                state.post_call()
                work()

            state.together(post_and_work, work, workers, SPINS_AFTER_WAKE)
        finally:
            self._idle = True

    def run_kernel(
        self, kernel: Callable[..., Any], bounds: Sequence[int], arguments: tuple[Any, ...]
    ) -> list[Any]:
        """What kernel(header, begin, end, *arguments) returns to each thread that has taken parts."""
        if self._rests_until > time.perf_counter():
            return _run_alone(kernel, bounds, arguments)
        try:
            del self._idle
        except AttributeError:
            return _run_alone(kernel, bounds, arguments)
        begin, end = bounds[0], bounds[-1]
        try:
            state = self._ready()
            header = state.header
            _set_parts(header, bounds)
            results: list[Any] = []

            def take_parts(begin: int) -> None:
                results.append(kernel(header, begin, end, *arguments))

            workers = min(self.size, len(bounds) - 2)
            late = state.together(lambda: take_parts(begin), lambda: take_parts(-1), workers, 0)
            self._rest_after(late)
            return results
        finally:
            self._idle = True

    def _rest_after(self, late: bool) -> None:
        """Let the caller work alone for a while if a worker was late, twice as long as the last time.

        One that comes late has no core of its own: somebody else has it, and will have it for longer
        than a short call takes.
        """
        if late:
            self._rest = min(max(2 * self._rest, SHORTEST_REST), LONGEST_REST)
            self._rests_until = time.perf_counter() + self._rest
        else:
            self._rest = 0.0

    def _ready(self) -> "_State":
        """Workers of this process: a child that was forked has none."""
        if self._state is None or self._state.process != os.getpid():
            self._state = _State(self.size)
            weakref.finalize(self, self._state.stop)
        if self._state.header[parts.IS_POSTED]:  # a call that was interrupted just before it could wait
            self._state.finish()
        return self._state


def _empty_header(workers: int, room: int) -> Array:
    """A header with slots for so many workers, and room for so many bounds of parts."""
    bounds = parts.SLOTS + parts.LINE * workers
    header = np.zeros(bounds + room, np.int64)
    header[parts.BOUNDS] = bounds
    return header


def _set_parts(header: Array, bounds: Sequence[int]) -> None:
    """Put the parts of some work in a header."""
    at = header[parts.BOUNDS]
    header[at : at + len(bounds)] = bounds
    header[parts.PARTS] = len(bounds) - 1
    header[parts.NEXT] = 0


class _State:
    """What caller and workers share. Workers know this only, so that an unused pool can go."""

    def __init__(self, size: int) -> None:
        self.process = os.getpid()
        waiting: Any = load_file(Path(__file__).parent / "kernels" / "waiting.py")
        self.wait_for_call, self.wait_for_workers = waiting.wait_for_call, waiting.wait_for_workers
        # Without a core for each, one that spins is in the way of one that works.
        self.spins = SPINS if size < available_cores() else 1
        self.header = _empty_header(size, PARTS_EACH * (size + 1) + 1)
        self.header[parts.SPIN_LIMIT] = min(self.spins, SPINS_OF_CALLER)
        self.asleep = [False] * size
        #: What wakes sleepers. Ctrl-C cannot come within, as it can in a semaphore, which is Python.
        self.wake_queues: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(size)]
        self.work: Callable[[], None] = _nothing
        self.errors: list[BaseException] = []
        self.lost = 0.0  # seconds that a worker had no core for, in this call
        self.calls = 0
        # Compiled now, not by all workers at once, nor where Ctrl-C has to wait.
        self.wait_for_call(self.header, 0, False, 0)
        self.wait_for_workers(self.header, 0)
        # No more threads to be had; nobody waits for one that is not there, as `threading.Thread.start`
        # would for one that has no memory to begin.
        with suppress(RuntimeError, MemoryError):
            for worker in range(size):
                start_new_thread(_work, (self, worker))

    def together(
        self, own: Callable[[], None], work: Callable[[], None], workers: int, spins_after_wake: int
    ) -> bool:
        """Do `own`, which posts the call, while so many workers do `work`; their errors come second.

        Returns whether they and the caller were without a core for longer than the caller has worked.
        """
        clock = _Clock()
        try:
            self.call(work, workers, spins_after_wake)
            own()
        finally:
            worked, lost = clock.times()
            errors = self.finish()
        if errors:
            try:
                raise errors[0]
            finally:
                errors.clear()  # or an error and its traceback keep each other, and the caller's arrays
        return lost + self.lost > worked

    def call(self, work: Callable[[], None], workers: int, spins_after_wake: int) -> None:
        """Have some work ready for the first workers, and wake them; it is not posted yet."""
        self.work = work
        self.errors.clear()
        self.lost = 0.0
        self.calls += 1  # before anybody asks who sleeps: see `sleep`
        header = self.header
        header[parts.CALL] = 2 * self.calls
        header[parts.WORKERS] = workers
        header[parts.SPINS_AFTER_WAKE] = spins_after_wake
        for worker in range(workers):
            if self.asleep[worker]:
                self.wake_queues[worker].put(None)

    def post_call(self) -> None:
        """As kernels do it, for work that is none."""
        header = self.header
        header[parts.IS_POSTED] = 1
        for worker in range(header[parts.WORKERS]):
            header[parts.SLOTS + parts.LINE * worker] = header[parts.CALL]

    def finish(self) -> list[BaseException]:
        """Wait until those who have claimed the call are done; returns what they have raised.

        Ctrl-C has to wait as well: until then they write to the caller's arrays.
        """
        interruption: BaseException | None = None
        spins = self.spins
        while self.header[parts.IS_POSTED]:
            try:
                self.wait_for_workers(self.header, spins)
                if self.header[parts.IS_POSTED]:
                    time.sleep(NAP)
            except BaseException as error:
                interruption = error
            spins = 1
        self.work = _nothing
        errors = [*self.errors]
        self.errors.clear()
        if interruption is not None:
            raise interruption
        return errors

    def stop(self) -> None:
        """Let the workers end; a child that was forked has none."""
        if self.process != os.getpid():
            return
        self.calls += 1
        for worker in range(len(self.asleep)):
            self.header[parts.SLOTS + parts.LINE * worker] = parts.STOP
            self.wake_queues[worker].put(None)

    def sleep(self, worker: int, known: int) -> None:
        """Let a worker sleep that knows of so many calls, unless there was another one meanwhile.

        A caller counts its call and then asks who sleeps; a worker does it in the other order. So one
        of them sees the other.
        """
        self.asleep[worker] = True
        while self.calls == known:
            self.wake_queues[worker].get()
        self.asleep[worker] = False


class _Clock:
    """How long this thread has worked, and how long it was kept from that."""

    def __init__(self) -> None:
        self._begin, self._cpu = time.perf_counter(), time.thread_time()

    def times(self) -> tuple[float, float]:
        """Seconds that it had a core for, and seconds that it had none for, until now."""
        worked = time.thread_time() - self._cpu
        return worked, time.perf_counter() - self._begin - worked


def _run_alone(
    kernel: Callable[..., Any], bounds: Sequence[int], arguments: tuple[Any, ...]
) -> list[Any]:
    """What a kernel returns to the caller, who takes all parts."""
    header = _empty_header(0, len(bounds))
    _set_parts(header, bounds)
    return [kernel(header, bounds[0], bounds[-1], *arguments)]


def _nothing() -> None:
    pass


def _work(state: _State, worker: int) -> None:
    known, has_worked = 0, False
    while True:
        calls = state.calls
        spins = state.spins if calls == known else SPINS  # where somebody calls, a call will be posted
        claimed = state.wait_for_call(state.header, worker, has_worked, spins)
        if claimed == parts.STOP:
            return
        has_worked = claimed == 1
        if not has_worked:
            known = calls
            state.sleep(worker, known)
            continue
        known = state.calls
        try:
            clock = _Clock()
            state.work()
            state.lost = max(state.lost, clock.times()[1])
        except BaseException as error:  # the caller raises it
            state.errors.append(error)
