"""A pool whose workers wait in compiled code: all work is done, errors arrive, nobody hangs."""

import gc
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest
from numba import njit

from anypair.compiling.bits import pause
from anypair.threads import parts
from anypair.threads import pool as pool_module
from anypair.threads.atomics import atomic_store, compare_and_swap
from anypair.threads.parts import next_part
from anypair.threads.pool import SpinPool
from anypair.threads.team import Team

LIMIT = 30.0  # seconds


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are called each time, however busy the machine is."""
    monkeypatch.setattr(pool_module, "LONGEST_REST", 0.0)


def number_of(item: int) -> tuple[int, int]:
    time.sleep(0.001)  # lets another thread have the next one
    return item, threading.get_ident()


def squares(team: Team, count: int) -> list[int]:
    return team.run(lambda x: x * x, [(x,) for x in range(count)])


@njit(nogil=True)  # type: ignore[untyped-decorator]
def count_and_linger(header: Any, begin: Any, end: Any, times: Any, wrong: Any) -> Any:
    """Count how often each place was in a part; parts take a while. Returns how many places it had."""
    had = 0
    part = -1
    while True:
        part, low, high = next_part(header, begin, end, part)
        if low == high:
            break
        for place in range(low, high):
            if place == wrong:
                raise ZeroDivisionError("at a place")
            times[place] += 1
            for _ in range(2000):
                pause()
        had += high - low
    return had


@njit(nogil=True)  # type: ignore[untyped-decorator]
def count_under_a_lock(counters: Any, times: Any) -> None:
    """Count in counters[0] while counters[8] is 1."""
    for _ in range(times):
        while not compare_and_swap(counters, 8, 0, 1):
            pause()
        counters[0] += 1
        atomic_store(counters, 8, 0)


@njit(nogil=True)  # type: ignore[untyped-decorator]
def take_all(header: Any, taken: Any) -> None:
    """Take parts as fast as one can."""
    part = -1
    while True:
        part, low, high = next_part(header, -1, 1, part)
        if low == high:
            break
        taken[part] += 1


def together(action: Callable[[], None], count: int = 2) -> None:
    """On so many threads at once."""
    threads = [threading.Thread(target=action) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
        assert not thread.is_alive()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def workers_of(state: Any) -> int:
    """How many threads are within a worker's function, as Python's `threading` does not know them."""
    frames = [at for frame in sys._current_frames().values() for at, _ in traceback.walk_stack(frame)]
    return sum(
        at.f_code is pool_module._work.__code__ and at.f_locals["state"] is state for at in frames
    )


@pytest.mark.parametrize("size", [2, 3, 5])
def test_results_come_in_the_order_of_calls(size: int) -> None:
    team = Team(size)
    for count in (1, 2, 3, 7, 40):
        assert squares(team, count) == [x * x for x in range(count)]


def test_workers_take_their_part() -> None:
    found = Team(3).run(number_of, [(x,) for x in range(30)])
    assert [item for item, _ in found] == list(range(30))
    assert len({thread for _, thread in found}) == 3


def test_a_sleeping_worker_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "SPINS", 1)
    team = Team(3)
    for _ in range(200):
        assert squares(team, 5) == [0, 1, 4, 9, 16]
    time.sleep(0.05)
    assert squares(team, 5) == [0, 1, 4, 9, 16]


def test_an_error_of_any_thread_reaches_the_caller() -> None:
    team, caller = Team(3), threading.get_ident()

    def fail_in_worker() -> None:
        if threading.get_ident() != caller:
            raise ZeroDivisionError("in a worker")
        time.sleep(0.01)

    with pytest.raises(ZeroDivisionError, match="in a worker"):
        team.run(fail_in_worker, [() for _ in range(50)])
    with pytest.raises(ZeroDivisionError):
        team.run(lambda x: 1 // x, [(x,) for x in (1, 0, 1)])
    assert squares(team, 9) == [x * x for x in range(9)]


def test_an_interrupted_caller_waits_until_its_workers_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = SpinPool(1)
    pool.run(lambda: None, 1)
    state = pool._ready()
    close, interruptions = state.wait_for_workers, iter([KeyboardInterrupt])
    caller, begun, done = threading.get_ident(), threading.Event(), []

    def close_or_stop(*arguments: object) -> object:
        for error in interruptions:
            raise error
        return close(*arguments)

    def work() -> None:
        if threading.get_ident() == caller:
            assert begun.wait(LIMIT)
            return
        begun.set()
        time.sleep(0.1)
        done.append(True)
        raise ZeroDivisionError("of an interrupted call")

    monkeypatch.setattr(state, "wait_for_workers", close_or_stop)
    with pytest.raises(KeyboardInterrupt):
        pool.run(work, 1)
    assert done
    pool.run(lambda: None, 1)  # and nothing is left of the worker's error


def test_an_interruption_is_not_hidden_by_an_error_of_a_worker() -> None:
    pool, caller, begun = SpinPool(1), threading.get_ident(), threading.Event()

    def work() -> None:
        if threading.get_ident() == caller:
            assert begun.wait(LIMIT)
            raise KeyboardInterrupt
        begun.set()
        raise ZeroDivisionError("in a worker")

    with pytest.raises(KeyboardInterrupt):
        pool.run(work, 1)
    pool.run(lambda: None, 1)


def test_parts_of_an_interrupted_kernel_are_not_mixed_with_those_of_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    team = Team(2)
    counted = np.zeros(16, np.int64)
    for _ in range(20):
        team.share([*range(17)], count_and_linger, counted, -1)
        state = team._pool._ready()
        state.header[parts.SPIN_LIMIT] = 0  # the kernel does not wait
        with monkeypatch.context() as patch:
            patch.setattr(state, "finish", mock.Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                team.share([*range(17)], count_and_linger, counted, -1)
        times = np.zeros(16, np.int64)
        team.share([*range(17)], count_and_linger, times, -1)
        assert times.tolist() == [1] * 16


@pytest.mark.parametrize("error", [RuntimeError, MemoryError])
def test_fewer_threads_than_wanted_do_all_the_work(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    start, limit = pool_module.start_new_thread, iter([True])

    def start_one(work: Callable[..., None], arguments: tuple[Any, ...]) -> int:
        if not next(limit, False):
            raise error("can't start new thread")
        return start(work, arguments)

    monkeypatch.setattr(pool_module, "start_new_thread", start_one)
    team = Team(4)
    assert squares(team, 9) == [x * x for x in range(9)]
    times = np.zeros(16, np.int64)
    team.share([*range(17)], count_and_linger, times, -1)
    assert times.tolist() == [1] * 16


def test_nobody_waits_for_a_thread_that_has_no_memory_to_begin() -> None:
    """Python's own `start` waits for what the thread says of itself first, for which it may lack memory."""
    code = """
import threading
from anypair.threads.team import Team

def lack_memory(thread):
    raise MemoryError

threading.Thread._bootstrap = lack_memory
print(Team(3).run(abs, [(-1,), (2,)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.stdout == "[1, 2]\n", done.stderr


def test_a_second_caller_works_alone() -> None:
    team = Team(2)
    inside = threading.Event()
    go_on = threading.Event()

    def wait(_: int) -> bool:
        inside.set()
        return go_on.wait(LIMIT)

    first = threading.Thread(target=team.run, args=(wait, [(0,), (1,)]))
    first.start()
    assert inside.wait(LIMIT)
    assert squares(team, 4) == [0, 1, 4, 9]
    go_on.set()
    first.join(LIMIT)
    assert not first.is_alive()


def test_work_within_work() -> None:
    team = Team(2)
    found = team.run(lambda x: sum(squares(team, x)), [(x,) for x in range(6)])
    assert found == [0, 0, 1, 5, 14, 30]


def test_workers_go_home_when_nobody_needs_them() -> None:
    team = Team(4)
    squares(team, 8)
    state = team._pool._ready()
    wait_until(lambda: workers_of(state) == 3)
    del team
    gc.collect()
    wait_until(lambda: not workers_of(state))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_was_forked_has_workers_of_its_own() -> None:
    team = Team(2)
    squares(team, 4)
    parents: Any = team._pool._ready()
    child = os.fork()
    if not child:
        parents.stop()  # as at the end of the child, which has nobody to send home
        found = team.run(number_of, [(x,) for x in range(20)])
        os._exit(0 if len({thread for _, thread in found}) == 2 else 1)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, 9)
    pytest.fail("the child hangs")


def test_a_lock_of_two_threads() -> None:
    counters = np.zeros(16, np.int64)
    count_under_a_lock(counters, 0)
    together(lambda: count_under_a_lock(counters, 100_000))
    assert counters[[0, 8]].tolist() == [200_000, 0]


def test_no_part_is_taken_twice() -> None:
    parts = 1_000_000
    header = pool_module._empty_header(0, parts + 1)
    pool_module._set_parts(header, range(parts + 1))
    taken = np.zeros((2, parts), np.int64)
    take_all(pool_module.ALONE, taken[0].copy())
    own = iter(taken)
    together(lambda: take_all(header, next(own)))
    assert (taken.sum(axis=0) == 1).all()


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_threads_share_a_kernel(size: int) -> None:
    team = Team(size)
    for bounds in ([0, 5], [0, 1, 2], [0, 7, 9, 40], [*range(0, 8 * size + 1)]):
        for _ in range(20):
            times = np.zeros(bounds[-1], np.int64)
            had = team.share(bounds, count_and_linger, times, -1)
            assert times.tolist() == [1] * bounds[-1]
            assert sum(had) == bounds[-1]
            # One thread alone does part after part, so that Ctrl-C may come between.
            assert len(had) <= (len(bounds) - 1 if size == 1 else min(size, len(bounds) - 1))


def test_a_kernel_has_a_worker_where_there_is_a_core_for_it() -> None:
    team = Team(2)
    times = np.zeros(64, np.int64)
    with_worker = 0
    for _ in range(200):
        with_worker += len(team.share([*range(0, 65, 4)], count_and_linger, times, -1)) == 2
    assert with_worker


def test_an_error_in_any_part_of_a_kernel_reaches_the_caller() -> None:
    team = Team(3)
    bounds = [*range(0, 25)]
    for wrong in range(24):
        times = np.zeros(24, np.int64)
        with pytest.raises(ZeroDivisionError, match="at a place"):
            team.share(bounds, count_and_linger, times, wrong)
        assert max(times) <= 1
        assert not times[wrong]
    assert sum(team.share(bounds, count_and_linger, times, -1)) == 24


def test_a_kernel_wakes_workers_that_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "SPINS", 1)
    team = Team(3)
    for nap in [0.0] * 300 + [0.001] * 50:
        time.sleep(nap)
        times = np.zeros(9, np.int64)
        team.share([*range(10)], count_and_linger, times, -1)
        assert times.tolist() == [1] * 9


def test_kernels_of_two_callers_do_not_mix() -> None:
    team, wrong = Team(2), []

    def call_often() -> None:
        for _ in range(200):
            times = np.zeros(16, np.int64)
            had = team.share([*range(17)], count_and_linger, times, -1)
            if times.tolist() != [1] * 16 or sum(had) != 16:
                wrong.append((times, had))

    together(call_often, 3)
    assert not wrong


def test_many_short_jobs_end() -> None:
    """Calls and answers cross in every order; a lost one would hang."""
    pool = SpinPool(3)
    done = []
    for job in range(3000):
        todo = iter(range(4))
        pool.run(lambda todo=todo: done.extend(todo), 1 + job % 3)  # type: ignore[misc]
    assert len(done) == 4 * 3000


def test_a_worker_without_a_core_is_not_called_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "SHORTEST_REST", 0.2)
    monkeypatch.setattr(pool_module, "LONGEST_REST", 0.5)
    times, pool = np.zeros(16, np.int64), SpinPool(1)
    bounds = list(range(17))

    def threads_called() -> bool:
        calls = 0 if pool._state is None else pool._state.calls
        times[:] = 0
        pool.run_kernel(count_and_linger, bounds, (times, -1))
        assert (times == 1).all()
        assert pool._state is not None
        return pool._state.calls > calls

    def clock(worked: float, lost: float) -> None:
        monkeypatch.setattr(pool_module._Clock, "times", lambda self: (worked, lost))

    clock(1.0, 0.4)
    assert threads_called()
    assert threads_called()  # which had a core most of the time
    clock(1.0, 1.1)
    assert threads_called()
    begin = time.perf_counter()
    assert not threads_called()
    rests = []
    for _ in range(3):
        while not threads_called():
            time.sleep(0.005)
        rests.append(time.perf_counter() - begin)
        begin = time.perf_counter()
    assert rests[0] < rests[1] + 0.1  # longer, up to a limit
    assert rests[1] >= 0.35
    assert rests[2] >= 0.45
    clock(1.0, 0.0)
    while not threads_called():
        time.sleep(0.005)
    assert threads_called()
