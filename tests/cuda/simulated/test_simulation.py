"""What is made anew of the simulator: shared arrays, barriers, threads that are used again."""

import threading
from typing import Any

import numpy as np
import pytest
from numba import cuda

from anypair.backends.cuda.device import Device
from anypair.backends.cuda.simulation import SharedArrays
from tests.cuda.support import in_simulator

pytestmark = in_simulator

BLOCK = 8


@pytest.fixture
def device() -> Device:
    return Device(BLOCK, most_blocks=4)


def test_threads_get_one_array_for_each_line() -> None:
    shared, found = SharedArrays(), []

    def ask() -> None:
        one = shared.array(3, np.int8)
        other = shared.array(3, np.int8)
        found.append((id(one), id(other)))

    threads = [threading.Thread(target=ask) for _ in range(BLOCK)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(set(found[0])) == 2


@cuda.jit
def reverse(values: Any, turns: Any) -> None:
    """Each thread reads what another one has written, again and again."""
    kept = cuda.shared.array(BLOCK, np.int64)
    place, own = cuda.threadIdx.x, cuda.blockIdx.x * BLOCK + cuda.threadIdx.x
    for _ in range(turns):
        kept[place] = values[own]
        cuda.syncthreads()
        values[own] = kept[BLOCK - 1 - place]
        cuda.syncthreads()


@pytest.mark.parametrize("turns", [1, 20, 21])
def test_threads_wait_for_each_other(device: Device, turns: int) -> None:
    values = np.arange(4 * BLOCK)
    device.launch(reverse, 4, BLOCK, values, turns)
    expected = np.arange(4 * BLOCK).reshape(4, BLOCK)
    assert values.tolist() == (expected[:, ::-1] if turns % 2 else expected).ravel().tolist()


@cuda.jit
def leave_early(values: Any) -> None:
    """Half of the threads end where the others go on to a barrier."""
    place = cuda.threadIdx.x
    values[place] = 1
    if place % 2:
        return
    cuda.syncthreads()
    values[place] = values[(place + 2) % BLOCK] + 1


def test_those_that_have_ended_are_not_waited_for(device: Device) -> None:
    values = np.zeros(BLOCK, np.int64)
    device.launch(leave_early, 1, BLOCK, values)
    assert values[1::2].tolist() == BLOCK // 2 * [1]
    assert (values[::2] > 1).all()


behind_the_barrier: list[int] = []  # as arrays that a kernel has changed are dropped if it fails


@cuda.jit
def fail() -> None:
    """One thread fails before a barrier, at which all others wait."""
    if cuda.threadIdx.x == 3:
        raise ZeroDivisionError("on purpose")
    cuda.syncthreads()
    behind_the_barrier.append(cuda.threadIdx.x)


def test_a_thread_that_fails_ends_its_block(device: Device) -> None:
    before = threading.active_count()
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match=r"tid=\[3, 0, 0\] ctaid=\[0, 0, 0\]: on purpose"):
            device.launch(fail, 1, BLOCK)
    assert not behind_the_barrier
    test_threads_wait_for_each_other(device, 3)  # by the threads that were stopped
    assert threading.active_count() <= before + BLOCK


class Unusual(Exception):
    """Not to be made of a message alone."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(one, other)


@cuda.jit
def fail_unusually(kind: int) -> None:
    if cuda.threadIdx.x == 3:
        raise Unusual(1, 2) if kind else SystemExit(5)
    cuda.syncthreads()


@pytest.mark.parametrize(("kind", "expected"), [(0, SystemExit), (1, Unusual)])
def test_no_error_keeps_a_block_waiting(
    device: Device, kind: int, expected: type[BaseException]
) -> None:
    with pytest.raises(expected):
        device.launch(fail_unusually, 1, BLOCK, kind)


def test_any_of_the_threads_may_say_yes(device: Device) -> None:
    values = np.array([0, 0, 0, 0, 0, 1, 0, 0])
    device.launch(spread, 1, BLOCK, values)
    assert values.tolist() == BLOCK * [1]


@cuda.jit
def spread(values: Any) -> None:
    place = cuda.threadIdx.x
    values[place] = cuda.syncthreads_or(values[place])
