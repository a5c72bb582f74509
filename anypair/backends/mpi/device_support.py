"""Whether the MPI that is loaded takes pointers into a GPU's memory: one that does not would crash."""

import ctypes
from typing import Any

from mpi4py import MPI

CUDA = 0  # MPIX_GPU_SUPPORT_CUDA, as MPICH counts


def why_no_device_memory(library: Any = None) -> str | None:
    """The reason, where the library says so; None where it takes them, or cannot be asked."""
    library = ctypes.CDLL(MPI.__file__) if library is None else library
    name = MPI.Get_library_version().splitlines()[0].split(",")[0].strip("\0 ")
    if says_no(library):
        return (
            f"{name} was built, or started, without support for CUDA; use one with it, or stage='host' "
            "(ANYPAIR_STAGE=host)"
        )
    return None


def says_no(library: Any) -> bool:
    """Whether a library that can be asked answers no; Open MPI and MPICH have a question each."""
    if (query := getattr(library, "MPIX_Query_cuda_support", None)) is not None:
        return not query()
    if (query := getattr(library, "MPIX_GPU_query_support", None)) is not None:
        answer = ctypes.c_int(0)
        return query(CUDA, ctypes.byref(answer)) != 0 or not answer.value
    return False
