"""The repair of the simulator: a block has one shared array, however its threads meet."""

import threading
import time
from typing import Any

from numba import cuda

from anypair.backends.cuda.device import Device
from anypair.backends.cuda.simulation import Allocations
from tests.cuda.support import in_simulator

pytestmark = in_simulator


def made_by_threads(allocations: Any) -> set[int]:
    """What eight threads get that look for one array at a time and make it, as the simulator does."""
    found: list[Any] = []

    def ask() -> None:
        array = allocations.get("line")
        if array is None:
            time.sleep(0.01)
            array = object()
            allocations["line"] = array
        found.append(array)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {id(array) for array in found}


def test_threads_get_one_array() -> None:
    assert len(made_by_threads({})) > 1  # what the repair is for
    assert len(made_by_threads(Allocations())) == 1


def test_launches_use_it() -> None:
    Device(block=2, most_blocks=1)
    kernelapi = cuda.simulator.kernelapi  # type: ignore[attr-defined]
    assert isinstance(kernelapi.FakeCUDAShared(0)._allocations, Allocations)
