"""Blocks of 1,024 threads have 64 registers for each: kernels keep to that, however heavy the operator."""

from pathlib import Path

import numpy as np
import pytest

from anypair import Matrix, Semiring, Vector, vxm
from anypair.backends.cuda import CudaBackend
from anypair.backends.cuda.kernels import plain_kernels
from anypair.semiring import min_monoid, plus_monoid
from tests.cuda.compilation.compiling import assemble, assembler, to_ptx
from tests.cuda.compilation.recording import Recorder
from tests.cuda.emulator.device import Emulated
from tests.cuda.emulator.launching import EmulatedFault
from tests.cuda.operators import heavy
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

BLOCK = 1024
REGISTERS = 65536  # that the threads of a block share
CAPABILITY = (8, 0)


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    """What products with the heavy operator launch."""
    recorder = Recorder(BLOCK)
    for add, direction in ((min_monoid, "push"), (plus_monoid, "pull")):
        backend = CudaBackend.on(recorder, direction=direction)
        backend.arrays.long = 2
        graph = Matrix.from_edges([0, 0, 1, 2], [1, 2, 2, 0], np.arange(1.0, 5), n=4, backend=backend)
        vxm(Vector.full(4, 1.5, backend=backend), graph, Semiring(add, heavy))
    return recorder


@pytest.mark.skipif(not assembler(), reason="no ptxas here")
@pytest.mark.parametrize("name", ["push", "pull", "pull_long_rows"])
def test_a_heavy_operator_leaves_registers_for_all_threads(
    recorder: Recorder, name: str, tmp_path: Path
) -> None:
    (launch,) = (entry for entry in recorder.launched.values() if entry.kernel == name)
    given = launch.function, launch.types, CAPABILITY
    usage = assemble(to_ptx(*given, BLOCK), CAPABILITY, tmp_path)
    assert usage.registers * BLOCK <= REGISTERS
    assert assemble(to_ptx(*given), CAPABILITY, tmp_path).registers * BLOCK > REGISTERS


def test_larger_blocks_than_the_bounds_are_noticed() -> None:
    backend = CudaBackend.on(Emulated(BLOCK, most_blocks=1))
    kernel = plain_kernels("structure", 32).count_bits
    words, counts = np.zeros(3, np.uint32), np.zeros(3, np.int32)
    with pytest.raises(EmulatedFault, match="1024 threads, where launch bounds are 32"):
        backend.arrays.run(kernel, 3, words, counts)
