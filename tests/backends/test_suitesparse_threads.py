"""Threads and backend suitesparse: those that it computes with, and those of the user that share objects."""

import subprocess
import sys

import pytest

import anypair
from anypair import Matrix, Vector, unary_op
from anypair.backends.base import Backend
from anypair.backends.registry import load
from anypair.errors import OperatorError
from anypair.semiring import plus_times

pytest.importorskip("suitesparse_graphblas")

CALLS_NOTHING = {"transpose"}

#: Rows of a product may be left unsorted, and whoever reads it first sorts them, in place.
SHARED = """
import threading
import numpy as np
import anypair
from anypair import Matrix, Vector, mxm, vxm
from anypair.semiring import plus_times

random, n = np.random.default_rng(0), 400
with anypair.using("suitesparse", threads=2):
    for _ in range(60):
        places = np.unique(random.integers(0, n * n, 3000))
        A = Matrix.from_entries(places // n, places % n, random.random(len(places)), (n, n))
        B, u = mxm(A, A, plus_times), Vector.from_entries([1], [1.0], n, like=A)
        together = threading.Barrier(4)

        def look():
            together.wait()
            assert not B.has_symmetric_structure
            vxm(u, B.T, plus_times).nvals

        readers = [threading.Thread(target=look) for _ in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
"""


def test_every_operation_of_the_contract_is_within_the_limit() -> None:
    """A method that is forgotten would use all processors whatever the user says."""
    kind = type(load("suitesparse", {}))
    methods = {*Backend.__abstractmethods__, "write", "merge", "build_full", "finish", "as_symmetric"}
    free = {name for name in methods if not hasattr(getattr(kind, name), "__wrapped__")}
    assert free == CALLS_NOTHING


def test_threads_that_read_one_matrix_take_turns() -> None:
    """In a process of its own, which the library ends with SIGSEGV otherwise."""
    done = subprocess.run(
        [sys.executable, "-c", SHARED], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_limit_is_engaged_within_a_call_only() -> None:
    """Also when one method calls another, and when an operator raises."""
    backend = load("suitesparse", {"threads": 1})
    depths = []
    enter = type(backend.thread_limit).__enter__

    class Noting(type(backend.thread_limit)):  # type: ignore[misc]
        """Writes down how deep the calls are."""

        def __enter__(self) -> None:
            enter(self)
            depths.append(self.entered.depth)

    @unary_op(result=float)
    def inverse(x):  # type: ignore[no-untyped-def]
        return 1 / x

    plain = backend.thread_limit
    backend.thread_limit = limit = Noting(1)
    try:
        graph = Matrix.from_entries([0, 1], [1, 0], [2.0, 3.0], (2, 2), backend=backend)
        u = Vector.from_entries([0, 1], [0.0, 1.0], 2, backend=backend)
        assert anypair.vxm(u, graph, plus_times).to_dict() == {0: 3.0, 1: 0.0}
        with pytest.raises(OperatorError, match="inverse"):
            anypair.apply(u, inverse)
    finally:
        backend.thread_limit = plain
    assert depths
    assert limit.entered.depth == 0
