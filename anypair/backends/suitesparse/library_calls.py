"""Calls of the library: one at a time, and on at most as many threads as the option `threads` says.

The library puts work off, sorts and converts operands in place, also those that it only reads, whenever
it needs them. So threads of the user that share a matrix take turns; each call uses all cores.
"""

import os
from collections.abc import Callable
from functools import wraps
from threading import RLock, local
from typing import Any, TypeVar

from anypair.backends.suitesparse import forking
from anypair.backends.suitesparse.library import call, lib, new_object

Method = TypeVar("Method", bound=Callable[..., Any])

_turn = RLock()  # one method may call another


def _new_turn() -> None:
    """In a child that was forked, whoever has had the turn in the parent is not there."""
    global _turn
    _turn = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_turn)


class ThreadLimit:
    """A context manager, which may be entered again inside itself: one method may call another."""

    def __init__(self, number: int) -> None:
        self.context = new_object("GxB_Context", lib.GxB_Context_new)
        self.limit(number)
        self.entered = local()
        forking.limit_in_child(self)

    def limit(self, number: int) -> None:
        """Use at most so many from now on."""
        call(lib.GxB_Context_set_INT32, self.context[0], lib.GxB_CONTEXT_NTHREADS, number)

    def __enter__(self) -> None:
        depth = getattr(self.entered, "depth", 0)
        if not depth:
            call(lib.GxB_Context_engage, self.context[0])
        self.entered.depth = depth + 1

    def __exit__(self, *error: object) -> None:
        self.entered.depth -= 1
        if not self.entered.depth:
            call(lib.GxB_Context_disengage, self.context[0])


def calls_library(method: Method) -> Method:
    """Let a method of a backend have the library for itself, within its `thread_limit` if it has one."""

    @wraps(method)
    def alone(self: Any, *arguments: Any) -> Any:
        with _turn:
            if self.thread_limit is None:
                return method(self, *arguments)
            with self.thread_limit:
                return method(self, *arguments)

    return alone  # type: ignore[return-value]
