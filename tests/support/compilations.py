"""What Numba compiles, or loads from the disk, while somebody looks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

from anypair.compiling import caching


class _Listener(event.Listener):
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def on_start(self, event: Any) -> None:
        self.seen.append(f"compiled {event.data['dispatcher'].py_func.__name__} {event.data['args']}")

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def compilations() -> Iterator[list[str]]:
    """The functions that are compiled or loaded inside the `with` block, with their types."""
    seen: list[str] = []
    listener = _Listener(seen)
    load = caching.KernelCache.load_overload

    def noting(self: Any, sig: Any, target_context: Any) -> Any:
        found = load(self, sig, target_context)
        if found is not None:
            seen.append(f"loaded {self._function} {sig}")
        return found

    caching.KernelCache.load_overload = noting
    event.register("numba:compile", listener)
    try:
        yield seen
    finally:
        event.unregister("numba:compile", listener)
        caching.KernelCache.load_overload = load
