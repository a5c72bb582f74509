"""Lets the backend `cuda` open the emulator, where the tests ask for it and there is no GPU."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any
from zlib import crc32

from anypair.backends.cuda import backend, device
from anypair.backends.cuda.availability import require_gpu
from anypair.errors import BackendUnavailable
from tests.cuda.emulator.device import Emulated
from tests.support.covering import FULL

open_gpu, take_gpu = device._opened, device.take_device  # as they are without a plugin
#: Of schedules: each test draws one.
SEEDS = range(1, int(os.environ.get("ANYPAIR_TEST_SEEDS", "3")) + 1)

_opened: list[Emulated] = []


@cache
def open_emulated(number: int, block: int, memory_limit: int) -> device.Device:
    """In place of a GPU; small blocks, so that small graphs have several. In a full run each launch runs
    under all schedules.
    """
    schedules = len(SEEDS) if FULL else 1
    _opened.append(Emulated(block or 32, 6, memory_limit, schedules=schedules))
    return _opened[-1]


def draw_schedule(test: str) -> None:
    """The same one for a test each time, whatever has run before it."""
    for emulated in _opened:
        emulated.seed = SEEDS[crc32(test.encode()) % len(SEEDS)]
        emulated.launches = 0


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
