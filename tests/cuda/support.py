"""When the tests of the backend `cuda` run: where its kernels can be compiled. And the emulator for one test."""

import pytest

from anypair.backends.cuda.numba_cuda import VERSION
from tests.cuda.emulator.plugin import emulate
from tests.support.own_backends import forget_backends

COMPILES = VERSION != "built in"
needs_compiler = pytest.mark.skipif(
    not COMPILES, reason="without a compiler for GPUs: pip install 'anypair[cuda-test]'"
)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `using("cuda")` open the emulator, during a test that takes no `backend`."""
    forget_backends(monkeypatch)
    emulate(monkeypatch.setattr)
