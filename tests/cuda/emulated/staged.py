"""A grid of threads whose ranks send arrays of a strict device, and whatever watches that device."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from anypair.backends.cuda import CudaBackend
from anypair.backends.cuda.device import Device
from anypair.dtypes import Array
from tests.cuda.emulated.strict import BLOCK, StrictDevice, StrictNamespace
from tests.mpi.threaded import ThreadGroup

pytest.importorskip("mpi4py")

from anypair.backends.mpi import MpiBackend


class Watched(threading.local):
    """What this thread is inside of, and what it has moved between host and device."""

    depth = 0

    def __init__(self) -> None:
        self.moved: list[int] = []  # how many numbers, for each time


class ScopedNamespace(StrictNamespace):
    """`xp`, which is called on the device's stream or not at all."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched

    def __getattr__(self, name: str) -> Any:
        assert self.watched.depth, f"xp.{name} outside of the scope"
        return super().__getattr__(name)


class GridDevice(StrictDevice):
    """A strict device for the threads of a grid; notes what comes from the host and goes there."""

    def __init__(self) -> None:
        self.watched = Watched()
        self.xp: Any = ScopedNamespace(self.watched)
        super().__init__(BLOCK, most_blocks=4)

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        assert self.watched.depth, "a launch outside of the scope"
        super().launch(kernel, blocks, block, *arguments)

    def to_device(self, values: Array) -> Any:
        self.watched.moved.append(values.size)
        return super().to_device(values)

    def to_host(self, values: Any) -> Array:
        self.watched.moved.append(values.size)
        return super().to_host(values)

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.watched.depth += 1
        try:
            yield
        finally:
            self.watched.depth -= 1


def put_on_ranks(device: Device, patch: pytest.MonkeyPatch) -> None:
    """Let backends of this device be what `local="cuda"` means."""
    made = {d: CudaBackend.on(device, direction=d) for d in ("auto", "push", "pull")}
    patch.setattr("anypair.backends.mpi.backend.load_local", lambda *given: made)


def on(world: ThreadGroup, **options: Any) -> Any:
    return MpiBackend(**{"local": "cuda", "stage": "device", **options}, world=world)
