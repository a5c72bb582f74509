"""Made-up GPUs on ranks that are threads: each rank takes its own, and one that is full is told to all."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import anypair
from anypair import Matrix, Vector
from anypair.backends import registry
from anypair.backends.cuda import backend, device
from anypair.errors import NotEnoughMemory
from anypair.semiring import plus_monoid, plus_times
from tests.cuda.emulated.made_up_cupy import MadeUpCupy, installed
from tests.cuda.emulated.staged import on
from tests.cuda.emulator.plugin import open_gpu, take_gpu
from tests.cuda.support import needs_compiler
from tests.mpi.threaded import ThreadGroup, run_ranks

pytestmark = needs_compiler


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], MadeUpCupy]:
    """Machines with so many GPUs, which `local="cuda"` finds; none is left in a cache."""

    def made(gpus: int) -> MadeUpCupy:
        monkeypatch.setattr(backend, "take_device", take_gpu)
        # Ranks are processes elsewhere, and each has its own cache.
        monkeypatch.setattr(device, "_opened", cache(open_gpu.__wrapped__))
        monkeypatch.setattr(registry, "_make", registry._make.__wrapped__)
        return installed(monkeypatch, gpus)

    return made


@pytest.mark.parametrize(
    ("gpus", "numbers"), [(1, [0, 0, 0, 0]), (3, [0, 1, 2, 0]), (4, [0, 1, 2, 3]), (9, [0, 1, 2, 3])]
)
@pytest.mark.parametrize("stage", ["host", "device"])
def test_ranks_take_the_gpus_in_turn(machine: Any, gpus: int, numbers: list[int], stage: str) -> None:
    cupy = machine(gpus)

    def number(world: ThreadGroup) -> int:
        backend = on(world, stage=stage)
        (own,) = {local.device for local in backend.by_direction.values()}
        assert cupy.here.current == own.number  # no rank touches another one's
        return int(own.number)

    assert run_ranks(4, number) == numbers


def test_ranks_of_two_machines_count_for_themselves(machine: Any) -> None:
    machine(2)

    def number(world: ThreadGroup) -> int:
        world.place_here = lambda: (world.rank % 2, [frozenset({0})] * 2)  # type: ignore[method-assign]
        return int(on(world, stage="host").local.device.number)

    assert run_ranks(4, number) == [0, 1, 0, 1]


def without_memory(cupy: MadeUpCupy, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, on a GPU that is full while it runs."""

    def run(*given: Any, **keywords: Any) -> Any:
        cupy.here.full = True
        try:
            return method(*given, **keywords)
        finally:
            cupy.here.full = False

    return run


@pytest.mark.parametrize(
    ("phase", "expand", "fold"),
    [
        ("list_message", "list", "alltoall"),
        ("values_of", "list", "scan"),
        ("as_list", "list", "wave"),
        ("vector", "bitmap", "alltoall"),
        ("bitmap_message", "bitmap", "scan"),
        ("no_words", "bitmap", "wave"),
    ],
)
def test_a_full_gpu_is_told_to_all_ranks(machine: Any, phase: str, expand: str, fold: str) -> None:
    """In the stage itself: as messages are made, read, and become vectors of the local backend."""
    cupy = machine(4)

    def run(world: ThreadGroup) -> None:
        backend = on(world, grid="2x2", unit=32, fold=fold, expand=expand, direction="push")
        graph = Matrix.from_edges(np.arange(99), np.arange(1, 100), n=100, backend=backend)
        u = Vector.from_numpy(np.arange(100.0), backend=backend)
        usual = getattr(backend.arrays, phase)
        if world.rank == 2:
            setattr(backend.arrays, phase, without_memory(cupy, usual))
        with pytest.raises(
            NotEnoughMemory, match=r"^vxm: rank 2: GPU 2 is out of memory: .* 9000 bytes; .*GB"
        ):
            anypair.vxm(u, graph, plus_times)
        setattr(backend.arrays, phase, usual)
        assert anypair.vxm(u, graph, plus_times).to_dict() == {i + 1: i for i in range(99)}

    run_ranks(4, run)


def test_sums_by_rows_too(machine: Any) -> None:
    cupy = machine(2)

    def run(world: ThreadGroup) -> None:
        backend = on(world, grid="1x2")
        graph = Matrix.from_edges([0, 1], [1, 2], [3, 4], n=3, backend=backend)
        if world.rank == 1:
            backend.arrays.taken = without_memory(cupy, backend.arrays.taken)
        with pytest.raises(NotEnoughMemory, match=r"^reduce: rank 1: GPU 1 is out of memory"):
            anypair.reduce(graph, plus_monoid, by="rows")

    run_ranks(2, run)
