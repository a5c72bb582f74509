"""The option `threads`: within a call the library uses at most so many threads."""

from collections.abc import Callable
from functools import wraps
from threading import local
from typing import Any, TypeVar

from anypair.backends.suitesparse import forking
from anypair.backends.suitesparse.library import call, lib, new_object

Method = TypeVar("Method", bound=Callable[..., Any])


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


def within_thread_limit(method: Method) -> Method:
    """Run a method of a backend within its `thread_limit`, if it has one."""

    @wraps(method)
    def limited(self: Any, *arguments: Any) -> Any:
        if self.thread_limit is None:
            return method(self, *arguments)
        with self.thread_limit:
            return method(self, *arguments)

    return limited  # type: ignore[return-value]
