"""The emulator finds what is wrong in kernels that are, and computes what a GPU would in those that are not."""

from typing import Any

import numpy as np
import pytest

from anypair.dtypes import Array
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

BLOCKS, BLOCK = 3, 32
SEEDS = range(1, 9)


def run(name: str, values: Array, out: Array, seed: int = 1) -> list[Any]:
    from tests.cuda.emulated import kernels
    from tests.cuda.emulator.device import argument_types, ptx_of
    from tests.cuda.emulator.launching import launch

    function = getattr(kernels, name)
    ptx = ptx_of(function, argument_types([values, out]))
    return launch(ptx, ("values", "out"), [values, out], BLOCKS, BLOCK, seed)


def numbers() -> Array:
    return np.arange(BLOCKS * BLOCK, dtype=np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_barriers_order_what_threads_do(seed: int) -> None:
    out = np.zeros(BLOCKS * BLOCK, np.int64)
    assert run("neighbours", numbers(), out, seed) == []
    assert out.tolist() == [32 * (i // 32) + (i + 1) % 32 for i in range(BLOCKS * BLOCK)]


def test_a_missing_barrier_is_a_race() -> None:
    (race,) = run("neighbours_without_barrier", numbers(), np.zeros_like(numbers()))[:1]
    assert race.array == "shared"
    assert {thread for _, thread in race.threads} == {0, 1}


def test_updates_without_atomics_race_between_blocks() -> None:
    races = run("lost_updates", numbers(), np.zeros(1, np.int64))
    assert {race.array for race in races} == {"out"}
    assert all(race.threads[0][0] != race.threads[1][0] for race in races)


@pytest.mark.parametrize("seed", SEEDS)
def test_atomics_do_not_race(seed: int) -> None:
    out = np.zeros(1, np.int64)
    assert run("atomic_updates", numbers(), out, seed) == []
    assert out[0] == numbers().sum()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unwritten", "shared memory that nobody has written"),
        ("beyond", "memory out of bounds: block 2, thread 31"),
        ("diverging", "wait at another one"),
        ("endless", "does not end: block 1, thread 5"),
    ],
)
def test_faults_say_who_and_where(name: str, words: str) -> None:
    from tests.cuda.emulator.launching import EmulatedFault

    with pytest.raises(EmulatedFault, match=words):
        run(name, numbers(), np.zeros(BLOCKS * BLOCK, np.int64))


def test_threads_that_have_ended_are_not_waited_for() -> None:
    values = numbers()
    values[[3, 40, 41, 95]] = -1
    out = np.zeros_like(values)
    assert run("some_leave", values, out) == []
    present = [31, 30, 31]
    assert out.tolist() == [0 if values[i] < 0 else present[i // 32] for i in range(len(values))]


def test_arithmetic_is_that_of_the_types() -> None:
    from numba import njit

    rng = np.random.default_rng(5)
    values = rng.integers(-(2**63), 2**63, BLOCKS * BLOCK, dtype=np.int64)
    values[:8] = [0, 1, -1, 2**63 - 1, -(2**63), 2, -2, 255]
    out = np.zeros_like(values)
    assert run("arithmetic", values, out) == []

    @njit
    def expected(x: Any, y: Any) -> Any:
        by = y & 127
        far = (np.int64(-1) if x < 0 else np.int64(0)) if by > 63 else x >> by
        total = far ^ (x << (y & 63)) ^ (x * y) ^ (x - y)
        total ^= np.int64(np.int32(x)) ^ np.int64(np.uint8(y))
        if y != 0 and y != -1:
            total ^= (x // y) ^ (x % y)
        total ^= np.int64(x < y) ^ min(x, y) ^ np.int64(np.uint64(x) > np.uint64(y)) ^ abs(y) ^ ~x
        return total

    assert out.tolist() == [expected(x, values[(i * 7 + 3) % len(values)]) for i, x in enumerate(values)]
