"""A repair of the CUDA simulator: threads that ask for one shared array at a time get one, not several.

Numba looks for the array and makes it in two steps, with nothing to keep a second thread from doing the
same in between; the block then works on two arrays, and now and then an answer is wrong.
"""

import threading
from importlib import import_module
from typing import Any


class Allocations(dict[Any, Any]):
    """The shared arrays of a launch: whoever finds none makes it before anyone else looks.

    >>> found = Allocations()
    >>> found.get("line 1")
    >>> found["line 1"] = "array"
    >>> found.get("line 1")
    'array'
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def get(self, key: Any, default: Any = None) -> Any:
        self._lock.acquire()
        found = super().get(key, default)
        if found is not None:
            self._lock.release()
        return found  # None: the lock stays with this thread until it has set what it makes

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._lock.release()


def repair_shared_arrays() -> None:
    """Let all launches from now on use such allocations; does no harm if called again."""
    shared: Any = import_module("numba.cuda.simulator.kernelapi").FakeCUDAShared
    if getattr(shared, "is_repaired", False):
        return
    set_up = shared.__init__

    def with_allocations(self: Any, *arguments: Any) -> None:
        set_up(self, *arguments)
        self._allocations = Allocations()

    shared.__init__ = with_allocations
    shared.is_repaired = True
