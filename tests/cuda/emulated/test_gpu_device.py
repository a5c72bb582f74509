"""The device of a real GPU on made-up libraries: what it asks of CuPy and Numba, in which order."""

import threading
import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, using
from anypair.algorithms import bfs_parents
from anypair.backends.cuda import CudaBackend, device
from anypair.errors import DeviceFailed, NotEnoughMemory
from anypair.semiring import times
from tests.cuda.emulated.made_up_cupy import MadeUpCupy, installed
from tests.cuda.support import emulated, needs_compiler  # noqa: F401  a fixture
from tests.support.graphs import SEI_EDGES, SEI_PARENTS, SEI_SOURCE

pytestmark = needs_compiler


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> MadeUpCupy:
    return installed(monkeypatch)


def test_a_search_runs_on_the_stream_and_from_the_pool(cupy: MadeUpCupy) -> None:
    gpu = device.Gpu(number=0, block=32, memory_limit=1 << 20)
    assert (cupy.limit, gpu.most_blocks) == (1 << 20, 32)
    backend = CudaBackend.on(gpu)
    graph = Matrix.from_edges(*np.transpose(SEI_EDGES), n=9, symmetric=True, backend=backend)
    assert bfs_parents(graph, SEI_SOURCE).to_dict() == SEI_PARENTS
    gpu.synchronize()
    assert cupy.entered[-1] == "synchronized"


def test_messages_are_made_on_the_stream_which_is_waited_for(cupy: MadeUpCupy) -> None:
    pytest.importorskip("mpi4py")
    from anypair.backends.wire.messages import Form

    gpu = device.Gpu(number=0, block=32, memory_limit=0)
    with gpu.scope():
        stage = CudaBackend.on(gpu).device_arrays()
    with stage.scope():
        assert cupy.entered[-3:] == ["device", "stream", "allocator"]
        places = stage.arrays.to_device(np.array([3, 500, 70_000]))
        message = stage.list_message(places, 1 << 20, None, Form())
        stage.memory.ready()
        assert cupy.entered[-1] == "synchronized"
        part = stage.read(message, None)
        assert stage.as_list([part], [0], 1 << 20, Form()).tolist() == [3, 500, 70_000]


class IllegalAddressError(Exception):
    """What a driver says, from a module of its library."""

    __module__ = "cupy_backends.cuda.api.driver"


def failing(*_: Any) -> Any:
    raise IllegalAddressError("an illegal memory access was encountered")


def test_a_failure_of_the_machine_names_the_gpu_and_the_kernel(
    cupy: MadeUpCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = CudaBackend.on(device.Gpu(number=0, block=32, memory_limit=0))
    u = Vector.full(5, 1, backend=backend)
    monkeypatch.setattr(device, "configured", lambda *_: failing)
    with pytest.raises(DeviceFailed, match="GPU 0 failed: IllegalAddressError: an illegal") as caught:
        apply(u, times, right=2)
    assert "1 blocks of 32 threads" in caught.value.__notes__[0]


def test_a_failure_between_kernels_is_no_operators_either(
    cupy: MadeUpCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = CudaBackend.on(device.Gpu(number=0, block=32, memory_limit=0))
    u = Vector.full(5, 1, backend=backend)
    monkeypatch.setattr(backend.arrays, "empty", failing)
    with pytest.raises(DeviceFailed, match="GPU 0 failed: IllegalAddressError"):
        apply(u, times, right=2)


def test_two_threads_open_one_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_opened", cache(lambda *_: time.sleep(0.05) or object()))
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(device.open_device(0, 8, 0))) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


@pytest.mark.usefixtures("emulated")
def test_the_limit_of_memory_is_kept() -> None:
    with using("cuda", memory_limit=1 << 10), pytest.raises(NotEnoughMemory, match="memory_limit=1024"):
        Matrix.from_entries([0], [0], [1], (1000, 1000))
