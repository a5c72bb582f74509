"""array-api-strict as a device: it refuses what is not in the standard, and every mixture with the host."""

from typing import Any

import numpy as np
import pytest

from anypair.dtypes import Array, DType
from tests.cuda.emulator.device import Emulated

array_api_strict = pytest.importorskip("array_api_strict")

ELSEWHERE = array_api_strict.Device("device1")  # not the default one, which NumPy may look into
MAKERS = ("arange", "asarray", "empty", "full", "zeros")


class StrictNamespace:
    """`xp`, whose new arrays are made on that device."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(array_api_strict, name)
        if name not in MAKERS:
            return function
        return lambda *args, **keywords: function(*args, device=ELSEWHERE, **keywords)


BLOCK = 32


class StrictDevice(Emulated):
    """The emulator on arrays that only kernels look into."""

    xp = StrictNamespace()

    def dtype(self, dtype: DType) -> Any:
        return getattr(array_api_strict, str(dtype))

    def to_device(self, values: Array) -> Any:
        return array_api_strict.asarray(values.copy(), device=ELSEWHERE)

    def to_host(self, values: Any) -> Array:
        return np.asarray(values.to_device(array_api_strict.Device("CPU_DEVICE"))).copy()

    def nbytes(self, values: Any) -> int:
        return int(values._array.nbytes)

    def as_bytes(self, values: Any) -> Any:
        return array_api_strict.asarray(values._array.view(np.uint8), device=ELSEWHERE)

    def from_bytes(self, data: Any, dtype: DType) -> Any:
        return array_api_strict.asarray(data._array.view(dtype), device=ELSEWHERE)

    def order(self, keys: Any) -> Any:
        return self.xp.argsort(keys)  # by the standard it is stable

    def launch(self, kernel: Any, blocks: int, block: int, *arguments: Any) -> None:
        inside = [x._array if hasattr(x, "_array") else x for x in arguments]
        assert not any(isinstance(x, np.ndarray) for x in arguments), "a host array went to a kernel"
        super().launch(kernel, blocks, block, *inside)
