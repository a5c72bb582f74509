"""When the tests of the backend `cuda` run: in the simulator, or where kernels can be compiled."""

import pytest

from anypair.backends.cuda.numba_cuda import SIMULATED, VERSION

in_simulator = pytest.mark.skipif(not SIMULATED, reason="needs NUMBA_ENABLE_CUDASIM=1")
outside_simulator = pytest.mark.skipif(
    SIMULATED or VERSION == "built in",
    reason="the simulator does not compile, and without it: pip install 'anypair[cuda-test]'",
)
