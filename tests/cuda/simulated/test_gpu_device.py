"""The device of a real GPU on made-up libraries: what it asks of CuPy and Numba, in which order."""

import numpy as np
import pytest

from anypair import Matrix
from anypair.algorithms import bfs_parents
from anypair.backends.cuda import CudaBackend, device
from tests.cuda.simulated.made_up_cupy import MadeUpCupy, installed
from tests.cuda.support import in_simulator
from tests.support.graphs import SEI_EDGES, SEI_PARENTS, SEI_SOURCE

pytestmark = in_simulator


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> MadeUpCupy:
    return installed(monkeypatch)


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

    gpu = device.Gpu(number=0, block=8, memory_limit=0)
    with gpu.scope():
        stage = DeviceStage(CudaBackend.on(gpu))
    with stage.scope():
        assert cupy.entered[-3:] == ["device", "stream", "allocator"]
        places = stage.arrays.to_device(np.array([3, 500, 70_000]))
        message = stage.list_message(places, 1 << 20, None, Form())
        stage.memory.ready()
        assert cupy.entered[-1] == "synchronized"
        part = stage.read(message, None)
        assert stage.as_list([part], [0], 1 << 20, Form()).tolist() == [3, 500, 70_000]
