"""The one list of backends: a new backend is one row here. Nothing is imported until it is asked for."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from anypair.backends.base import Backend
from anypair.backends.options import settled
from anypair.errors import BackendUnavailable, UnknownBackend

DEFAULT = "jit"


@dataclass(frozen=True)
class Row:
    """Where a backend lives, what it is for and how to get what it needs."""

    module: str
    class_name: str
    summary: str
    install: str = "pip install anypair"
    options: tuple[str, ...] = ()  # names alone: what a backend that is not imported could be given
    packages: tuple[str, ...] = ()  # what it is made of, for records of versions
    is_measured: bool = True  # whether a comparison of all backends has it


BACKENDS: dict[str, Row] = {
    "reference": Row(
        "anypair.backends.reference",
        "ReferenceBackend",
        "plain dicts: the definition of every operation, and the oracle of the tests",
        is_measured=False,  # it would make others wait
    ),
    "scipy": Row(
        "anypair.backends.scipy",
        "ScipyBackend",
        "NumPy and SciPy: runs everywhere, takes any Python function as an operator",
        packages=("scipy",),
    ),
    "suitesparse": Row(
        "anypair.backends.suitesparse",
        "SuiteSparseBackend",
        "SuiteSparse:GraphBLAS: the mature engine, written in C",
        "pip install 'anypair[suitesparse]'",
        options=("threads", "direction"),
        packages=("suitesparse-graphblas",),
    ),
    "jit": Row(
        "anypair.backends.jit",
        "JitBackend",
        "Numba kernels on all cores: the fast default, for any semiring",
        options=("threads", "direction", "frontier"),
        packages=("numba", "llvmlite"),
    ),
    "list": Row(
        "anypair.backends.list",
        "ListBackend",
        "adjacency lists, one thread: the SEI note's baseline, quick to build and slow to search",
        packages=("numba", "scipy"),
    ),
    "streamed": Row(
        "anypair.backends.streamed",
        "StreamedBackend",
        "blocks on disk, streamed through another backend: graphs larger than memory",
        options=("local", "threads", "memory_limit", "scratch"),
    ),
    "mpi": Row(
        "anypair.backends.mpi",
        "MpiBackend",
        "MPI ranks on a 2D grid, any other backend in each of them",
        "pip install 'anypair[mpi]'",
        options=(
            *("grid", "local", "threads", "direction", "expand", "fold", "parents"),
            *("stage", "lanes", "unit", "chunk", "timeout"),
        ),
        packages=("mpi4py",),
    ),
    "cuda": Row(
        "anypair.backends.cuda",
        "CudaBackend",
        "experimental, one GPU: CuPy arrays, numba-cuda kernels from the same operators",
        "pip install 'anypair[cuda]'",
        options=("device", "direction", "strategy", "block", "buffer", "memory_limit"),
        packages=("cupy-cuda13x", "numba-cuda"),
    ),
    "hybrid": Row(
        "anypair.backends.hybrid",
        "HybridBackend",
        "experimental, a CPU and a GPU by turns: the matrix on both, a choice for each operation",
        "pip install 'anypair[hybrid]'",
        options=("cpu", "threads", "direction", "method", "device", "memory_limit"),
        packages=("numba", "llvmlite", "cupy-cuda13x", "numba-cuda"),
        is_measured=False,  # without a GPU it is another one
    ),
}


def known(name: Any, place: str) -> str:
    """`name`, if the registry has it; `place` is where the name was given."""
    if not isinstance(name, str) or name not in BACKENDS:
        raise UnknownBackend(
            f"unknown backend {name!r} in {place}; known backends are {', '.join(BACKENDS)}"
        )
    return name


def load(name: str, options: Mapping[str, Any] | None = None) -> Backend:
    """The backend of that name with these options; the same object for the same call.

    >>> load("reference").name
    'reference'
    """
    cls = backend_class(known(name, "load()"))
    chosen = settled(name, cls.declared, options or {})
    try:
        return _make(cls, tuple(sorted(chosen.items())))
    except BackendUnavailable:
        raise
    except ImportError as error:
        raise _not_ready(name, error) from error


def default_options(name: str) -> Mapping[str, Any]:
    """The options of a backend with their defaults."""
    return {option: declared.default for option, declared in backend_class(name).declared.items()}


def why_not(name: str) -> str | None:
    """None if the backend is ready here, else the reason and the remedy in one line."""
    try:
        load(name)
    except BackendUnavailable as reason:
        return str(reason)
    return None


@cache
def _make(cls: type[Backend], options: tuple[tuple[str, Any], ...]) -> Backend:
    return cls(**dict(options))


def backend_class(name: str) -> type[Backend]:
    """The class of a backend that the registry has."""
    row = BACKENDS[name]
    try:
        module = importlib.import_module(row.module)
    except ImportError as error:
        raise _not_ready(name, error) from error
    found: type[Backend] = getattr(module, row.class_name)
    return found


def _not_ready(name: str, error: ImportError) -> BackendUnavailable:
    remedy = f"install it with: {BACKENDS[name].install}"
    return BackendUnavailable(f"backend {name!r} is not ready: {error}; {remedy}")
