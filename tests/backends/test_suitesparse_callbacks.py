"""Operators of users on backend suitesparse: compiled once, found on disk by the processes after."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("suitesparse_graphblas")

PROGRAM = """
import sys

import numpy as np
from numba.core.ccallback import CFunc

import anypair
from anypair import MAX, Matrix, Semiring, Vector, binary_op, index_unary_op, monoid, unary_op
from anypair.errors import OperatorError

compiled = []
original = CFunc._compile_uncached


def compile_and_count(self):
    compiled.append(self.__name__)
    return original(self)


CFunc._compile_uncached = compile_and_count
RATE = {rate}
TABLE = np.array([[1.0, 2.0, {rate}], [np.nan, -0.0, 7.0]])


@binary_op(result=np.float64)
def scaled(x, y):
    return x * y * RATE


@monoid(identity=MAX, result=np.float64)
def nearest(x, y):
    return x if abs(x - 1.5) < abs(y - 1.5) else y


@binary_op(positional=True, result=np.float64)
def shifted(x, y, k):
    return x + y / (k + RATE)


@unary_op(result=np.int64)
def inverse(x):
    return 12 // (x - 7)


@index_unary_op(result=np.float64)
def ramp(x, i, j):
    return x * RATE + i - j


@unary_op(result=np.float64)
def looked_up(x):
    return TABLE[0, int(x)] + len(TABLE)


@unary_op(result=np.float64)
def beyond(x):
    return TABLE[int(x), 0]


def answers(backend):
    u = Vector.from_numpy(np.array([0.0, 1.0, 2.0]), backend=backend)
    a = Matrix.from_entries([0, 1, 2, 0], [1, 2, 0, 2], [4, 5, 6, 7], (3, 3), backend=backend)
    yield anypair.ewise_mult(u, u, scaled).to_dict()
    yield anypair.vxm(u, a, Semiring(nearest, shifted)).to_dict()
    yield [column.tolist() for column in anypair.mxm(a, a, Semiring(nearest, scaled)).to_entries()]
    yield [column.tolist() for column in anypair.apply(a, ramp).to_entries()]
    yield anypair.apply(u, looked_up).to_dict()
    yield anypair.reduce(u, nearest)
    try:
        anypair.apply(u, beyond)
    except OperatorError as error:
        yield "IndexError" in str(error)
    try:
        anypair.apply(a, inverse)
    except OperatorError as error:
        yield str(error)


assert list(answers("suitesparse")) == list(answers("reference"))
print(len(compiled))
"""


def compilations(path: Path, cache: Path, rate: float, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many operators a new process compiles."""
    monkeypatch.setenv("ANYPAIR_CACHE", str(cache))
    path.write_text(PROGRAM.format(rate=rate))
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_second_process_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless what an operator captures has changed: numbers and arrays are part of its text."""
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    first = compilations(program, cache, 2.5, monkeypatch)
    assert first >= 7
    assert compilations(program, cache, 2.5, monkeypatch) == 0
    assert compilations(tmp_path / "elsewhere.py", cache, 2.5, monkeypatch) == 0
    of_rate = compilations(program, cache, 3.5, monkeypatch)
    assert 0 < of_rate < first
