"""Lets the backend `cuda` open the emulator, where the tests ask for it and there is no GPU."""

import os
from functools import cache

from anypair.backends.cuda import backend, device
from anypair.backends.cuda.availability import require_gpu
from anypair.backends.cuda.numba_cuda import SIMULATED
from anypair.errors import BackendUnavailable
from tests.cuda.emulator.device import Emulated

SEED = int(os.environ.get("ANYPAIR_TEST_SEED", "1"))


@cache
def open_emulated(number: int, block: int, memory_limit: int) -> device.Device:
    """In place of `open_device`; small blocks, so that small graphs have several."""
    return Emulated(block or 32, most_blocks=6, memory_limit=memory_limit, seed=SEED)


def emulate_without_gpu() -> None:
    """Let `using("cuda")` open the emulator unless a GPU or the simulator is there."""
    if SIMULATED:
        return
    try:
        require_gpu()
    except BackendUnavailable:
        backend.open_device = open_emulated
