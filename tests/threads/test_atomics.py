"""Atomics under several threads that do the same at once: no step is lost, each is seen in full."""

import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from anypair.dtypes import SUPPORTED, Array
from anypair.threads.atomics import (
    atomic_add,
    atomic_load,
    atomic_min,
    atomic_or,
    atomic_store,
    compare_and_swap,
)

INTEGERS = [dtype for dtype in SUPPORTED if dtype.kind in "iu"]
THREADS, TIMES = 2, 1_000_000  # long enough for threads to meet on two busy cores


@njit(nogil=True)  # type: ignore[untyped-decorator]
def add_each(numbers: Any, values: Any, before: Any) -> None:
    for p in range(len(values)):
        before[p] = atomic_add(numbers, 1, values[p])


@njit(nogil=True)  # type: ignore[untyped-decorator]
def set_and_clear(numbers: Any, bit: Any, times: Any) -> Any:
    """How often a bit that nobody else writes was not as this thread has left it."""
    wrong = 0
    for _ in range(times):
        wrong += atomic_or(numbers, 1, bit) & bit != 0
        wrong += atomic_or(numbers, 1, bit) & bit == 0
        atomic_add(numbers, 1, -bit)
    return wrong


@njit(nogil=True)  # type: ignore[untyped-decorator]
def min_each(numbers: Any, values: Any, before: Any) -> None:
    for p in range(len(values)):
        before[p] = atomic_min(numbers, 1, values[p])


@njit(nogil=True)  # type: ignore[untyped-decorator]
def swap_each(numbers: Any, values: Any, before: Any) -> None:
    """atomic_add, by compare_and_swap."""
    for p in range(len(values)):
        while True:
            seen = atomic_load(numbers, 1)
            if compare_and_swap(numbers, 1, seen, seen + values[p]):
                before[p] = seen
                break


@njit(nogil=True)  # type: ignore[untyped-decorator]
def send_each(message: Any, flag: Any, count: Any) -> None:
    """Write a message and then that it is there, when the one before was taken."""
    for number in range(1, count + 1):
        while atomic_load(flag, 0) != 0:
            pass
        message[:] = number
        atomic_store(flag, 0, 1)


@njit(nogil=True)  # type: ignore[untyped-decorator]
def receive_each(message: Any, flag: Any, count: Any) -> Any:
    """How many messages were not the next one."""
    wrong = 0
    for number in range(1, count + 1):
        while atomic_load(flag, 0) == 0:
            pass
        for p in range(len(message)):
            wrong += message[p] != number
        atomic_store(flag, 0, 0)
    return wrong


def at_once(work: Callable[[int], None], threads: int = THREADS) -> None:
    begin = threading.Barrier(threads)

    def run(thread: int) -> None:
        begin.wait()
        work(thread)

    all_of_them = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join(60)
        assert not thread.is_alive()


def hammer(loop: Any, begin: int, values: list[Array]) -> tuple[Array, list[Array]]:
    """What stands in the end in a number of which each thread has had its values, and what each saw."""
    numbers = np.array([7, begin, 9], values[0].dtype)
    seen = [np.empty_like(each) for each in values]
    loop(numbers.copy(), values[0][:1], seen[0][:1])  # compiled before the threads begin
    at_once(lambda thread: loop(numbers, values[thread], seen[thread]), len(values))
    assert numbers[[0, 2]].tolist() == [7, 9]
    return numbers[1], seen


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("loop", [add_each, swap_each])
def test_no_sum_is_lost(loop: Any, dtype: Any) -> None:
    ones = [np.ones(TIMES, dtype) for _ in range(THREADS)]
    total, seen = hammer(loop, 0, ones)
    steps = np.arange(THREADS * TIMES).astype(dtype)  # each was there once, in wrapped numbers
    assert total == np.array(THREADS * TIMES).astype(dtype)
    assert np.array_equal(np.sort(np.concatenate(seen)), np.sort(steps))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_no_bit_is_lost(dtype: Any) -> None:
    """Each thread sets and clears a bit of its own in the same number, the highest among them."""
    numbers, wrong = np.zeros(3, dtype), []
    bits = [(np.uint64(1) << np.uint64(b)).astype(dtype) for b in (0, 8 * dtype.itemsize - 1)]
    set_and_clear(numbers.copy(), bits[0], 1)
    at_once(lambda thread: wrong.append(set_and_clear(numbers, bits[thread], TIMES)))
    assert wrong == [0] * THREADS
    assert numbers.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_least_of_all_stays(dtype: Any) -> None:
    info = np.iinfo(dtype)
    span, steps = int(info.max) - int(info.min), np.arange(THREADS * TIMES, dtype=np.uint64)
    down = steps * (span // len(steps)) if span > len(steps) else steps * span // (len(steps) - 1)
    falling = (np.array(info.max).astype(np.uint64) - down).astype(dtype)
    values = [falling[thread::THREADS].copy() for thread in range(THREADS)]
    least, seen = hammer(min_each, int(info.max), values)
    assert least == min(int(each.min()) for each in values)
    assert all((np.diff(each.astype(object)) <= 0).all() for each in seen)  # it never rises again


@pytest.mark.parametrize(
    ("loop", "instruction"),
    [
        (add_each, "= (atomicrmw|cmpxchg) "),  # processors without such an instruction have the other
        (set_and_clear, "= (atomicrmw|cmpxchg) "),
        (min_each, "= (atomicrmw|cmpxchg) "),
        (swap_each, "= cmpxchg "),
        (swap_each, "= load atomic "),
        (send_each, "store atomic "),
    ],
)
def test_there_is_one_instruction_for_it(loop: Any, instruction: str) -> None:
    """Two threads on busy cores may never meet."""
    numbers = np.zeros(3, np.int64)
    arguments = {set_and_clear: (numbers, 1, 0), send_each: (numbers, numbers, 0)}
    loop(*arguments.get(loop, (numbers, numbers[:0], numbers[:0])))
    assert all(re.search(instruction, text) for text in loop.inspect_llvm().values())


def test_what_was_written_before_a_store_is_seen_after_the_load() -> None:
    message, flag, wrong = np.zeros(100, np.int64), np.zeros(1, np.int64), []
    send_each(message, flag, 0)
    receive_each(message, flag, 0)
    count = 2000

    def work(thread: int) -> None:
        if thread:
            wrong.append(receive_each(message, flag, count))
        else:
            send_each(message, flag, count)

    at_once(work, 2)
    assert wrong == [0]


@pytest.mark.parametrize(
    ("array", "index", "value", "said"),
    [
        (np.zeros((2, 2), np.int64), 0, 1, "a contiguous array of one dimension"),
        (np.zeros(4, np.int64)[::2], 0, 1, "a contiguous array of one dimension"),
        (np.zeros(4), 0, 1, "an array of integers, not of float64"),
        (np.zeros(4, bool), 0, True, "an array of integers, not of bool"),
        (np.zeros(4, np.int64), 0, 1.5, "takes integers, not float64"),
        (np.zeros(4, np.int64), 0.0, 1, "takes integers, not float64"),
        (np.broadcast_to(np.int64(0), 1), 0, 1, "is read-only"),
    ],
)
def test_what_has_no_atomics_is_refused(array: Array, index: Any, value: Any, said: str) -> None:
    @njit  # type: ignore[untyped-decorator]
    def add(array: Any, index: Any, value: Any) -> Any:
        return atomic_add(array, index, value)

    with pytest.raises(TypingError, match=said):
        add(array, index, value)
