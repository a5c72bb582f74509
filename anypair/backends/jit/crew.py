"""Threads that stay awake for a moment after work: to wake one takes as long as a kernel.

A helper waits at its door in compiled code, without the GIL. It looks at it for about half a
millisecond, which spans the steps of a search, and then sleeps until it is woken. Kernels that share
their work out open the doors themselves (`sharing.py`): they have released the GIL by then, and a
helper that had to wait for it would fall asleep.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import numpy as np

from anypair.backends.jit import sharing
from anypair.backends.jit.generation import plain_kernels
from anypair.dtypes import Array
from anypair.machine import available_cores

LISTENS = 1 << 14  # times that a helper looks at its door before it goes to sleep
HESITATES = 192  # pauses of one that came in: the caller has the GIL, and is about to release it
NAP = 5e-5  # seconds between looks at a helper that takes long
PARTS_EACH = 8  # parts of a kernel's work for each thread, at most

#: The desk of a caller that shares nothing.
ALONE = np.zeros(sharing.DOORS, np.int64)


class Crew:
    """Helpers for one caller at a time; another caller does its work alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        #: There while nobody calls. To delete it takes it, in one step: Ctrl-C comes before or after,
        #: while a lock may be acquired and never released.
        self._idle = True
        self._state: _State | None = None

    def share(self, work: Callable[[], None], helpers: int) -> None:
        """Let so many helpers and the caller do `work`; it has to find out what is left to do."""
        try:
            del self._idle
        except AttributeError:
            work()
            return
        try:
            state = self._ready()

            def open_and_work() -> None:
                state.open_doors()
                work()

            state.together(open_and_work, work, helpers, HESITATES)
        finally:
            self._idle = True

    def share_kernel(
        self, kernel: Callable[..., Any], bounds: Sequence[int], arguments: tuple[Any, ...]
    ) -> list[Any]:
        """What kernel(desk, begin, end, *arguments) returns to each thread that has taken parts."""
        begin, end = bounds[0], bounds[-1]
        try:
            del self._idle
        except AttributeError:
            desk = _empty_desk(0, len(bounds))
            _lay_out(desk, bounds)
            return [kernel(desk, begin, end, *arguments)]
        try:
            state = self._ready()
            desk = state.desk
            _lay_out(desk, bounds)
            results: list[Any] = []

            def take_parts(begin: int) -> None:
                results.append(kernel(desk, begin, end, *arguments))

            helpers = min(self.size, len(bounds) - 2)
            state.together(lambda: take_parts(begin), lambda: take_parts(-1), helpers, 0)
            return results
        finally:
            self._idle = True

    def _ready(self) -> "_State":
        """Helpers of this process: a child that was forked has none."""
        if self._state is None or self._state.process != os.getpid():
            self._state = _State(self.size)
            weakref.finalize(self, self._state.stop)
        if self._state.desk[sharing.IS_OPEN]:  # a call that was interrupted just before it could wait
            self._state.finish()
        return self._state


def _empty_desk(helpers: int, room: int) -> Array:
    """A desk with doors for so many helpers, and room for so many bounds of parts."""
    bounds = sharing.DOORS + sharing.LINE * helpers
    desk = np.zeros(bounds + room, np.int64)
    desk[sharing.BOUNDS] = bounds
    return desk


def _lay_out(desk: Array, bounds: Sequence[int]) -> None:
    """Put the parts of some work on a desk."""
    at = desk[sharing.BOUNDS]
    desk[at : at + len(bounds)] = bounds
    desk[sharing.PARTS] = len(bounds) - 1
    desk[sharing.NEXT] = 0


class _State:
    """What caller and helpers share. Helpers know this only, so that an unused crew can go."""

    def __init__(self, size: int) -> None:
        self.process = os.getpid()
        waiting: Any = plain_kernels("waiting")
        self.listen, self.close = waiting.listen, waiting.close
        # Without a core for each, one that listens is in the way of one that works.
        self.listens = LISTENS if size < available_cores() else 1
        self.desk = _empty_desk(size, PARTS_EACH * (size + 1) + 1)
        self.desk[sharing.LOOKS] = self.listens
        self.asleep = [False] * size
        #: What wakes sleepers. Ctrl-C cannot come within, as it can in a semaphore, which is Python.
        self.alarms: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(size)]
        self.work: Callable[[], None] = _nothing
        self.errors: list[BaseException] = []
        self.calls = 0
        # Compiled now, not by all helpers at once, nor where Ctrl-C has to wait.
        self.listen(self.desk, 0, False, 0)
        self.close(self.desk, 0)
        with suppress(RuntimeError):  # no more threads to be had; nobody waits for one that is not there
            for helper in range(size):
                threading.Thread(
                    target=_help, args=(self, helper), name=f"anypair_{helper}", daemon=True
                ).start()

    def together(
        self, own: Callable[[], None], work: Callable[[], None], helpers: int, patience: int
    ) -> None:
        """Do `own`, which opens the doors, while so many helpers do `work`; their errors come second."""
        try:
            self.call(work, helpers, patience)
            own()
        finally:
            errors = self.finish()
        if errors:
            try:
                raise errors[0]
            finally:
                errors.clear()  # or an error and its traceback keep each other, and the caller's arrays

    def call(self, work: Callable[[], None], helpers: int, patience: int) -> None:
        """Have some work ready for the first helpers, and wake them; doors are still closed."""
        self.work = work
        self.errors.clear()
        self.calls += 1  # before anybody asks who sleeps: see `sleep`
        desk = self.desk
        desk[sharing.CALL] = 2 * self.calls
        desk[sharing.HELPERS] = helpers
        desk[sharing.PATIENCE] = patience
        for helper in range(helpers):
            if self.asleep[helper]:
                self.alarms[helper].put(None)

    def open_doors(self) -> None:
        """As kernels do it, for work that is none."""
        desk = self.desk
        desk[sharing.IS_OPEN] = 1
        for helper in range(desk[sharing.HELPERS]):
            desk[sharing.DOORS + sharing.LINE * helper] = desk[sharing.CALL]

    def finish(self) -> list[BaseException]:
        """Wait until those who have come are done; returns what they have raised.

        Ctrl-C has to wait as well: until then they write to the caller's arrays.
        """
        interruption: BaseException | None = None
        looks = self.listens
        while self.desk[sharing.IS_OPEN]:
            try:
                self.close(self.desk, looks)
                if self.desk[sharing.IS_OPEN]:
                    time.sleep(NAP)
            except BaseException as error:
                interruption = error
            looks = 1
        self.work = _nothing
        errors = [*self.errors]
        self.errors.clear()
        if interruption is not None:
            raise interruption
        return errors

    def stop(self) -> None:
        """Send the helpers home; a child that was forked has none."""
        if self.process != os.getpid():
            return
        self.calls += 1
        for helper in range(len(self.asleep)):
            self.desk[sharing.DOORS + sharing.LINE * helper] = sharing.STOP
            self.alarms[helper].put(None)

    def sleep(self, helper: int, known: int) -> None:
        """Let a helper sleep that knows of so many calls, unless there was another one meanwhile.

        A caller counts its call and then asks who sleeps; a helper does it in the other order. So one
        of them sees the other.
        """
        self.asleep[helper] = True
        while self.calls == known:
            self.alarms[helper].get()
        self.asleep[helper] = False


def _nothing() -> None:
    pass


def _help(state: _State, helper: int) -> None:
    known, was_inside = 0, False
    while True:
        calls = state.calls
        looks = state.listens if calls == known else LISTENS  # where somebody calls, a door will open
        came_in = state.listen(state.desk, helper, was_inside, looks)
        if came_in == sharing.STOP:
            return
        was_inside = came_in == 1
        if not was_inside:
            known = calls
            state.sleep(helper, known)
            continue
        known = state.calls
        try:
            state.work()
        except BaseException as error:  # the caller raises it
            state.errors.append(error)
