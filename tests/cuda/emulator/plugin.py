"""Lets the backend `cuda` open the emulator, where the tests ask for it and there is no GPU."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from anypair.backends.cuda import backend, device
from anypair.backends.cuda.availability import require_gpu
from anypair.errors import BackendUnavailable
from tests.cuda.emulator.device import Emulated

open_gpu, take_gpu = device._opened, device.take_device  # as they are without a plugin
#: Under how many schedules each launch runs, and each test that names its schedules.
SEEDS = range(1, int(os.environ.get("ANYPAIR_TEST_SEEDS", "3")) + 1)


@cache
def open_emulated(number: int, block: int, memory_limit: int) -> device.Device:
    """In place of a GPU; small blocks, so that small graphs have several."""
    return Emulated(block or 32, most_blocks=6, memory_limit=memory_limit, schedules=len(SEEDS))


def emulate(replace: Callable[[Any, str, Any], None] = setattr) -> None:
    """Let `using("cuda")` open the emulator, of which each rank has one."""
    replace(device, "_opened", open_emulated)
    replace(backend, "take_device", lambda number: 0)


def emulate_without_gpu() -> None:
    """The same, unless a GPU is there."""
    try:
        require_gpu()
    except BackendUnavailable:
        emulate()
