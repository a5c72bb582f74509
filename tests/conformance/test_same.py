"""`same` compares numbers, not their nearest floats, whatever the dtypes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anypair import Vector, same

INTEGERS = [np.dtype(name) for name in ("int8", "uint8", "int32", "int64", "uint64")]
EDGES = [0, 1, -1, 127, 2**24 + 1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, 2**63,
         2**63 + 1, 2**64 - 1, -(2**63), 2**32, -(2**32), -(2**32) - 1]  # fmt: skip


def is_same(backend: str, x: Any, y: Any) -> bool:
    one, other = (Vector.from_numpy(np.array([value]), backend=backend) for value in (x, y))
    assert same(one, other) == same(other, one)
    return same(one, other)


def exactly(x: Any, y: Any) -> bool:
    return math.isfinite(y) and Fraction(int(x)) == Fraction(float(y))


@pytest.mark.parametrize("float_type", [np.float32, np.float64])
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_an_integer_and_a_float(backend: str, dtype: Any, float_type: Any) -> None:
    info = np.iinfo(dtype)
    integers = [dtype.type(edge) for edge in EDGES if info.min <= edge <= info.max]
    floats = [
        float_type(edge) for edge in (*EDGES, 0.5, -0.0, -1e-30, 1e30, math.inf, -math.inf, math.nan)
    ]
    for x in integers:
        for y in floats if backend == "reference" else [float_type(x), *floats[-7:]]:
            assert is_same(backend, x, y) == exactly(x, y), (x, y)


@settings(max_examples=30)
@given(data=st.data())
def test_random_integers_and_floats(backend: str, data: st.DataObject) -> None:
    x = np.int64(data.draw(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)))
    y = np.float64(data.draw(st.sampled_from([float(x), float(x) + 1, np.nextafter(float(x), 0)])))
    assert is_same(backend, x, y) == exactly(x, y)


def test_integers_of_two_dtypes_and_bools(backend: str) -> None:
    assert not is_same(backend, np.int64(-1), np.uint64(2**64 - 1))
    assert is_same(backend, np.int64(2**63 - 1), np.uint64(2**63 - 1))
    assert is_same(backend, np.bool_(True), np.float64(1))
    assert is_same(backend, np.float32(math.nan), np.float64(math.nan))
