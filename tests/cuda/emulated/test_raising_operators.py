"""Operators that raise on the GPU: in whichever thread, nothing else is touched and the error is named."""

from typing import Any

import numpy as np
import pytest

from anypair import Matrix, Semiring, Vector, binary_op, monoid, vxm
from anypair.errors import OperatorError
from anypair.semiring import any_monoid, min_monoid, plus_monoid
from tests.cuda.support import needs_compiler

pytestmark = needs_compiler

BLOCK = 32
N = 100


@binary_op
def divide(edge: Any, value: Any) -> Any:
    return value // edge


@monoid(identity=0)
def careful(x: Any, y: Any) -> Any:
    return x + y if y != 7 else 1 // (y - 7)


def ring(zeros: list[int], backend: Any) -> Matrix:
    """Three edges from each vertex; the weights of those named are zero."""
    sources = np.repeat(np.arange(N), 3)
    weights = np.ones(len(sources), np.int64)
    weights[zeros] = 0
    targets = (sources + np.tile([1, 7, 31], N)) % N
    order = np.lexsort([targets, sources])
    return Matrix.from_entries(sources, targets[order], weights, shape=(N, N), backend=backend)


RAISING = {
    "the first": [0],
    "the last of a block": [BLOCK - 1],
    "the first of the second block": [BLOCK],
    "one in the midst": [150],
    "the very last": [3 * N - 1],
    "a whole block": list(range(2 * BLOCK, 3 * BLOCK)),
    "all": list(range(3 * N)),
}


CASES = [(who, add) for who in RAISING for add in (min_monoid, plus_monoid)]
CASES += [("a whole block", any_monoid), ("all", any_monoid)]  # of fewer, any other edge will do


@pytest.mark.parametrize("direction", ["push", "pull"])
@pytest.mark.parametrize(("who", "add"), CASES, ids=str)
def test_wherever_the_operator_raises(direction: str, who: str, add: Any) -> None:
    from anypair.backends.cuda import CudaBackend
    from tests.cuda.emulator.device import Emulated

    for seed in (1, 2, 3):
        backend = CudaBackend.on(Emulated(BLOCK, 4, seed=seed), direction=direction)
        broken = ring(RAISING[who], backend)
        everything = Vector.full(N, 5, backend=backend)
        with pytest.raises(OperatorError, match="divide"):
            vxm(everything, broken, Semiring(add, divide))
        # What was left behind does not disturb the next product.
        whole = vxm(everything, ring([], backend), Semiring(min_monoid, divide))
        assert whole.to_dict() == dict.fromkeys(range(N), 5)


@pytest.mark.parametrize("direction", ["push", "pull"])
def test_a_sum_that_raises(direction: str) -> None:
    from anypair.backends.cuda import CudaBackend
    from tests.cuda.emulator.device import Emulated

    backend = CudaBackend.on(Emulated(BLOCK, 4), direction=direction)
    values = Vector.full(N, 7, backend=backend)
    with pytest.raises(OperatorError, match="careful"):
        vxm(values, ring([], backend), Semiring(careful, divide))
