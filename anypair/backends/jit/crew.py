"""Threads that stay awake for a moment after work: to wake one takes as long as a kernel.

A helper waits for its bell in compiled code, without the GIL. It listens for about half a
millisecond, which spans the steps of a search, and then sleeps until it is woken.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np

from anypair.backends.jit.generation import plain_kernels
from anypair.machine import available_cores

LISTENS = 1 << 14  # times that a helper looks at its bell before it goes to sleep
HESITATES = 192  # pauses of one that was called: the caller has the GIL, and is about to release it
NAP = 5e-5  # seconds between looks at a helper that takes long
LINE = 8  # numbers of a cache line, so that nobody waits for what another one writes
STOP = -1


class Crew:
    """Helpers for one caller at a time; another caller does its work alone."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._caller = threading.Lock()
        self._state: _State | None = None

    def share(self, work: Callable[[], None], helpers: int) -> None:
        """Let so many helpers and the caller do `work`; it has to find out what is left to do."""
        if not self._caller.acquire(blocking=False):
            work()
            return
        try:
            state = self._ready()
            state.start(work, helpers)
            try:
                work()
            finally:
                state.finish(helpers)
        finally:
            self._caller.release()

    def _ready(self) -> "_State":
        """Helpers of this process: a child that was forked has none."""
        if self._state is None or self._state.process != os.getpid():
            self._state = _State(self.size)
            weakref.finalize(self, self._state.stop)
        return self._state


class _State:
    """What caller and helpers share. Helpers know this only, so that an unused crew can go."""

    def __init__(self, size: int) -> None:
        self.process = os.getpid()
        self.hear = plain_kernels("waiting").hear
        # Without a core for each, one that listens is in the way of one that works.
        self.listens = LISTENS if size < available_cores() else 1
        self.bells = np.zeros((size, LINE), np.int64)
        self.answers = np.zeros((size, LINE), np.int64)
        self.asleep = [False] * size
        self.alarms = [threading.Semaphore(0) for _ in range(size)]
        self.work: Callable[[], None] = lambda: None
        self.errors: list[BaseException] = []
        self.count = 0
        for helper in range(size):
            threading.Thread(
                target=_help, args=(self, helper), name=f"anypair_{helper}", daemon=True
            ).start()

    def start(self, work: Callable[[], None], helpers: int) -> None:
        """Call the first helpers to some work."""
        self.count += 1
        self.work = work
        for helper in range(helpers):
            self._ring(helper, self.count)

    def finish(self, helpers: int) -> None:
        """Wait until they have done it, and raise what one of them has raised.

        Ctrl-C has to wait as well: until then they write to the caller's arrays.
        """
        interruption: BaseException | None = None
        for helper in range(helpers):
            looks = self.listens
            while True:
                try:
                    if self.hear(self.answers[helper], self.count, looks):
                        break
                    time.sleep(NAP)
                except BaseException as error:
                    interruption = error
                looks = 1
        self.work = _nothing
        errors = [*self.errors]
        self.errors.clear()
        if interruption is not None:
            raise interruption
        if errors:
            raise errors[0]

    def stop(self) -> None:
        """Send the helpers home."""
        for helper in range(len(self.asleep)):
            self._ring(helper, STOP)

    def _ring(self, helper: int, number: int) -> None:
        self.bells[helper, 0] = number
        if self.asleep[helper]:
            self.alarms[helper].release()


def _nothing() -> None:
    pass


def _help(state: _State, helper: int) -> None:
    bell, answer = state.bells[helper], state.answers[helper]
    answer_and_listen = plain_kernels("waiting").answer_and_listen
    done = 0
    while True:
        if not answer_and_listen(answer, bell, done, state.listens, HESITATES):
            state.asleep[helper] = True  # whoever rings after this wakes it
            while bell[0] == done:
                state.alarms[helper].acquire()
            state.asleep[helper] = False
        done = int(bell[0])
        if done == STOP:
            return
        try:
            state.work()
        except BaseException as error:  # the caller raises it
            state.errors.append(error)
