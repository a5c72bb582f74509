"""Why there is no GPU to compute on here: the parts that can be missing, told apart."""

from typing import Any

from anypair.errors import BackendUnavailable

INSTALL = "pip install 'anypair[cuda]'"
DRIVER = "https://www.nvidia.com/drivers"


def require_gpu() -> Any:
    """CuPy, once a driver and a device of it have answered."""
    try:
        import cupy
    except ImportError as error:
        raise BackendUnavailable(
            f"backend 'cuda' is not ready: {error}; install it with: {INSTALL}"
        ) from error
    if reason := missing(cupy.cuda.runtime):
        raise BackendUnavailable(f"backend 'cuda' is not ready: {reason}")
    return cupy


def missing(runtime: Any) -> str | None:
    """What CUDA lacks here, by the answers of CuPy's `runtime` module, or None."""
    driver, built_for = _version(runtime.driverGetVersion), _version(runtime.runtimeGetVersion)
    if not driver:
        return f"no NVIDIA driver is loaded; install one ({DRIVER})"
    if built_for and driver // 1000 < built_for // 1000:
        return (
            f"the driver speaks CUDA {_dotted(driver)} and CuPy was built for {_dotted(built_for)}; "
            f"update the driver ({DRIVER}) or install the CuPy wheel for CUDA {driver // 1000}.x"
        )
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        return f"the driver finds no device ({error})" if "NoDevice" in str(error) else str(error)
    return None if count else "the driver finds no device; is one plugged in, and visible to this user?"


def _version(ask: Any) -> int:
    """13000 for CUDA 13.0; 0 where the question itself fails, as it does without a driver."""
    try:
        return int(ask())
    except Exception:
        return 0


def _dotted(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
