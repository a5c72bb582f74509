"""The device of a real GPU on made-up libraries: what it asks of CuPy and Numba, in which order.

CuPy is NumPy here and kernels run in the simulator, so that all of `Gpu` is executed but its `_view`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.cuda import CudaBackend, device
from tests.cuda.support import in_simulator
from tests.support.graphs import SEI_EDGES, SEI_PARENTS, SEI_SOURCE

pytestmark = in_simulator


class MadeUpCupy:
    """NumPy's functions, and a runtime that notes what is entered."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.limit: int | None = None
        self.ndarray = type("ndarray", (), {})  # of no array, so that the simulator gets NumPy's
        self.cuda = SimpleNamespace(
            Device=self._device,
            Stream=self._stream,
            MemoryPool=self._pool,
            using_allocator=lambda allocator: self._scope("allocator"),
            memory=SimpleNamespace(OutOfMemoryError=type("OutOfMemoryError", (MemoryError,), {})),
            runtime=SimpleNamespace(memGetInfo=lambda: (1 << 33, 1 << 34)),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def argsort(self, keys: Any) -> Any:
        return np.argsort(keys, stable=True)

    def asarray(self, values: Any, *, copy: bool = True) -> Any:
        return values.copy()  # to another memory, always

    def asnumpy(self, values: Any, *, out: Any = None) -> Any:
        assert self.entered[-3:] == ["device", "stream", "allocator"], "outside of the scope"
        if out is None:
            return values.copy()
        out[:] = values
        return out

    @contextmanager
    def _scope(self, name: str, value: Any = None) -> Iterator[Any]:
        self.entered.append(name)
        yield value

    def _device(self, number: int) -> Any:
        return self._scope("device", SimpleNamespace(attributes={"MultiProcessorCount": 1}))

    def _stream(self, *, non_blocking: bool) -> Any:
        assert non_blocking
        return Stream(self)

    def _pool(self) -> Any:
        return SimpleNamespace(
            malloc=None,
            set_limit=self._set_limit,
            get_limit=lambda: self.limit,
            free_bytes=lambda: 0,
            used_bytes=lambda: 0,
        )

    def _set_limit(self, *, size: int) -> None:
        self.limit = size


class Stream:
    ptr = 0

    def __init__(self, cupy: MadeUpCupy) -> None:
        self.cupy = cupy

    def __enter__(self) -> "Stream":
        self.cupy.entered.append("stream")
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def synchronize(self) -> None:
        self.cupy.entered.append("synchronized")


class Reentered:
    """`cuda.gpus[0]`, which can be entered as often as one likes."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> MadeUpCupy:
    made_up = MadeUpCupy()
    numba_cuda = SimpleNamespace(external_stream=lambda pointer: pointer, gpus=[Reentered()])
    monkeypatch.setattr(device, "require_gpu", lambda: made_up)
    monkeypatch.setattr(device, "cuda", numba_cuda)
    monkeypatch.setattr(device, "page_locked", np.empty)
    return made_up


def test_a_search_runs_on_the_stream_and_from_the_pool(cupy: MadeUpCupy) -> None:
    gpu = device.Gpu(number=0, block=8, memory_limit=1 << 20)
    assert (cupy.limit, gpu.most_blocks) == (1 << 20, 32)
    backend = CudaBackend.on(gpu)
    assert backend.remark == ""
    graph = Matrix.from_edges(*np.transpose(SEI_EDGES), n=9, symmetric=True, backend=backend)
    assert bfs_parents(graph, SEI_SOURCE).to_dict() == SEI_PARENTS
    gpu.synchronize()
    assert cupy.entered[-1] == "synchronized"


def test_messages_are_made_on_the_stream_which_is_waited_for(cupy: MadeUpCupy) -> None:
    pytest.importorskip("mpi4py")
    from anypair.backends.mpi.device_stage import DeviceStage
    from anypair.backends.mpi.messages import Form

    stage = DeviceStage(CudaBackend.on(device.Gpu(number=0, block=8, memory_limit=0)))
    with stage.scope():
        assert cupy.entered[-3:] == ["device", "stream", "allocator"]
        places = stage.arrays.to_device(np.array([3, 500, 70_000]))
        message = stage.list_message(places, 1 << 20, None, Form())
        stage.memory.ready()
        assert cupy.entered[-1] == "synchronized"
        part = stage.read(message, None)
        assert stage.as_list([part], [0], 1 << 20, Form()).tolist() == [3, 500, 70_000]
