"""What the MPI here says about the memory of GPUs, and what others would say."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mpi4py")

from anypair.backends.mpi.device_support import says_no, why_no_device_memory


def mpich(supported: int, status: int = 0) -> Any:
    def query(kind: int, answer: Any) -> int:
        assert kind == 0
        ctypes.cast(answer, ctypes.POINTER(ctypes.c_int))[0] = supported
        return status

    return SimpleNamespace(MPIX_GPU_query_support=query)


@pytest.mark.parametrize(
    ("library", "refused"),
    [
        (SimpleNamespace(MPIX_Query_cuda_support=lambda: 0), True),
        (SimpleNamespace(MPIX_Query_cuda_support=lambda: 1), False),
        (mpich(0), True),
        (mpich(1), False),
        (mpich(1, status=17), True),
        (SimpleNamespace(), False),
    ],
    ids=["Open MPI", "Open MPI with CUDA", "MPICH", "MPICH with CUDA", "MPICH, confused", "unknown"],
)
def test_libraries_are_asked_their_own_way(library: Any, refused: bool) -> None:
    assert says_no(library) == refused
    assert (why_no_device_memory(library) is not None) == refused


def test_the_open_mpi_of_the_wheel_is_asked() -> None:
    """It is built without CUDA, and handing it device memory would end the process."""
    from mpi4py import MPI

    if MPI.get_vendor()[0] != "Open MPI":
        pytest.skip("another MPI")
    library = ctypes.CDLL(MPI.__file__)
    assert (why_no_device_memory() is None) == bool(library.MPIX_Query_cuda_support())
    if reason := why_no_device_memory():
        assert "Open MPI" in reason
        assert "stage='host'" in reason
