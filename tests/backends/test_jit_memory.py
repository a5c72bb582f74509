"""What operations of `jit` allocate: their results, and for products no more than half of that besides."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from anypair import Matrix, Vector, apply, ewise_add, ewise_mult, extract, mxm, select, vxm
from anypair.graph500 import kronecker_edges
from anypair.handle import Handle
from anypair.semiring import absolute, gt, plus, plus_pair, plus_times, strict_lower, times

SCALE = 10
N = 1 << SCALE
SMALL_THINGS = 1 << 16  # bytes: row starts, headers of arrays, what Python keeps


def real(seed: int) -> Matrix:
    """A graph with weights, in which rows have so many entries that nothing else takes much memory."""
    sources, targets = kronecker_edges(SCALE, 64, seed)
    weights = np.random.default_rng(seed).random(len(sources))
    return Matrix.from_edges(
        sources, targets, weights, n=N, symmetric=True, duplicates=plus, backend="jit"
    )


A, B = real(1), real(2)
U, V = (
    Vector.from_entries(np.arange(start, 1 << 18, 2), 1.5, 1 << 18, backend="jit") for start in (0, 1)
)


def allocated(call: Callable[[], Handle]) -> tuple[int, Handle]:
    """The most bytes that were in use at once besides those before, and the result."""
    call()  # compiled, and scratch that is kept is there
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = call().finish()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ewise_add(A, B, plus),
        lambda: ewise_mult(A, B, times),
        lambda: ewise_add(A, B, plus, mask=A.structure),
        lambda: ewise_add(A, B, plus, mask=~A.structure),
        lambda: apply(A, absolute),
        lambda: apply(A, times, right=2.0),
        lambda: select(A, gt, right=0.5),
        lambda: select(A, strict_lower),
        lambda: extract(A, slice(0, N // 2), slice(0, N // 2)),
        lambda: ewise_add(U, V, plus),
        lambda: apply(U, times, right=2.0),
    ],
    ids=[
        "add",
        "mult",
        "add_inside",
        "add_outside",
        "apply",
        "apply_right",
        "select",
        "lower",
        "extract",
        "add_vectors",
        "apply_vector",
    ],
)
def test_an_element_wise_operation_allocates_its_result_only(call: Callable[[], Handle]) -> None:
    most, result = allocated(call)
    assert most <= 1.02 * result.nbytes + SMALL_THINGS


@pytest.mark.parametrize(
    "call",
    [
        lambda: mxm(A, A, plus_times),
        lambda: mxm(A, A, plus_times, mask=A.structure),
        lambda: mxm(A, A, plus_times, mask=~A.structure),
        lambda: mxm(A, B, plus_pair, mask=B.structure),
        lambda: vxm(Vector.full(N, 1.0, backend="jit"), A, plus_times),
    ],
    ids=["unmasked", "inside", "outside", "counted", "vector"],
)
def test_a_product_takes_half_as_much_as_operands_and_result_besides(call: Callable[[], Handle]) -> None:
    most, result = allocated(call)
    operands = A.nbytes + B.nbytes
    assert operands + most <= 1.5 * (operands + result.nbytes) + SMALL_THINGS
