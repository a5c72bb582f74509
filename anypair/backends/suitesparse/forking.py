"""After a fork: the library computes on one thread, as those of OpenMP stay behind in the parent.

The child still counts on them, and its first parallel loop would wait for them for ever. A loop on one
thread waits for nobody.
"""

import os
from typing import Protocol
from weakref import WeakSet

from anypair.backends.suitesparse.library import call, lib


class Limited(Protocol):
    """Something with a number of threads of its own."""

    def limit(self, number: int) -> None:
        """Use at most so many from now on."""
        ...


_loaded_in = os.getpid()
_limited: WeakSet[Limited] = WeakSet()


def is_child() -> bool:
    """Whether this process was forked from the one that loaded the library."""
    return os.getpid() != _loaded_in


def limit_in_child(limited: Limited) -> None:
    """Let this use one thread in processes that are forked from now on, and in this one if it was."""
    _limited.add(limited)
    if is_child():
        limited.limit(1)


def _compute_on_one_thread() -> None:
    call(lib.GxB_Global_Option_set_INT32, lib.GxB_GLOBAL_NTHREADS, 1)
    for limited in _limited:
        limited.limit(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_compute_on_one_thread)
