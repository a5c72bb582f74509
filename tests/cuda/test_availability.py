"""No driver, no device, the wrong CUDA version, too little memory: each is said as what it is."""

import os
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from anypair.backends.cuda import device
from anypair.backends.cuda.availability import missing, require_gpu
from anypair.backends.registry import why_not
from anypair.errors import AnypairError, BackendUnavailable, NotEnoughMemory
from tests.cuda.support import needs_compiler

ROOT = Path(__file__).parents[2]


class CUDARuntimeError(RuntimeError):
    pass


def runtime(driver: int, built_for: int = 13000, devices: int | str = 1) -> Any:
    """CuPy's runtime module on some machine."""

    def count() -> int:
        if isinstance(devices, str):
            raise CUDARuntimeError(devices)
        return devices

    return SimpleNamespace(
        driverGetVersion=lambda: driver,
        runtimeGetVersion=lambda: built_for,
        getDeviceCount=count,
        CUDARuntimeError=CUDARuntimeError,
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (runtime(driver=0), "no NVIDIA driver is loaded"),
        (runtime(driver=12040), "the driver speaks CUDA 12.4 and CuPy was built for 13.0"),
        (runtime(13000, devices="cudaErrorNoDevice: no CUDA-capable device"), "finds no device"),
        (runtime(13000, devices=0), "finds no device"),
        (runtime(13000, devices="cudaErrorSystemNotReady: later"), "cudaErrorSystemNotReady"),
    ],
    ids=["no driver", "old driver", "no device", "no visible device", "other"],
)
def test_what_is_missing(found: Any, said: str) -> None:
    assert said in str(missing(found))


@pytest.mark.parametrize("driver", [13000, 13040, 14000])
def test_nothing_is_missing(driver: int) -> None:
    assert missing(runtime(driver, built_for=13020)) is None


def test_a_version_that_cannot_be_asked_for_means_no_driver() -> None:
    broken = runtime(13000)
    broken.driverGetVersion = lambda: 1 // 0
    assert "no NVIDIA driver" in str(missing(broken))


def test_without_cupy_the_remedy_is_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(BackendUnavailable, match=re.escape("pip install 'anypair[cuda]'")):
        require_gpu()


def test_a_missing_driver_is_a_backend_that_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(cuda=SimpleNamespace(runtime=runtime(driver=0)))
    monkeypatch.setitem(sys.modules, "cupy", fake)
    with pytest.raises(BackendUnavailable, match="no NVIDIA driver is loaded"):
        require_gpu()


def said_by_anypair_backends(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "anypair", "backends"],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return done.stdout


def test_the_simulator_of_numba_is_no_gpu() -> None:
    said = said_by_anypair_backends(NUMBA_ENABLE_CUDASIM="1")
    assert re.search(r"cuda +not ready .*\n.*compiles nothing; unset NUMBA_ENABLE_CUDASIM", said), said


def test_it_is_called_experimental_wherever_it_is_offered() -> None:
    """Until the checklist of docs/gpu.md has been run on a GPU."""
    texts = {
        name: (ROOT / name).read_text() for name in ("README.md", "docs/gpu.md", "docs/backends.md")
    }
    texts["anypair backends"] = said_by_anypair_backends()
    for place, text in texts.items():
        said = [part for part in re.split(r"\n\n|\n(?=[|*] |  \w)", text) if "experimental" in part]
        assert any("cuda" in part for part in said), place


@needs_compiler
def test_it_is_ready_or_says_why() -> None:
    assert why_not("cuda") is None or "backend 'cuda' is not ready: " in str(why_not("cuda"))


class OutOfMemoryError(MemoryError):
    pass


def test_running_out_of_memory_gives_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The allocator that the scope of a GPU sets, on made-up libraries: errors need not leave the scope."""
    allocators = []

    def using_allocator(allocator: Any) -> Any:
        allocators.append(allocator)
        return nullcontext()

    def malloc(nbytes: int) -> None:
        raise OutOfMemoryError(f"Out of memory allocating {nbytes:,} bytes.")

    cupy = SimpleNamespace(
        cuda=SimpleNamespace(
            Device=lambda number: nullcontext(),
            using_allocator=using_allocator,
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            runtime=SimpleNamespace(memGetInfo=lambda: (1_000_000_000, 24_000_000_000)),
        )
    )
    gpu = device.Gpu.__new__(device.Gpu)
    gpu.xp, gpu.number, gpu.stream = cupy, 2, nullcontext()
    gpu.pool = SimpleNamespace(
        malloc=malloc, used_bytes=lambda: 7_500_000_000, get_limit=lambda: 8 << 30
    )
    monkeypatch.setattr(device, "cuda", SimpleNamespace(gpus=[nullcontext()] * 3))
    with gpu.scope(), pytest.raises(NotEnoughMemory) as caught:
        allocators[0](9_000)
    said = str(caught.value)
    for figure in (
        "GPU 2",
        "9,000 bytes",
        "7.5 GB of 24 GB",
        f"memory_limit={8 << 30}",
        "1 GB are free",
    ):
        assert figure in said
    assert isinstance(caught.value, AnypairError)
    assert isinstance(caught.value, MemoryError)
    gpu.pool.free_bytes = lambda: 500_000_000
    gpu.require(1_000_000_000, "this")
    with pytest.raises(NotEnoughMemory, match=r"this needs about 2 GB and 1.09 GB are free on GPU 2"):
        gpu.require(2_000_000_000, "this")
