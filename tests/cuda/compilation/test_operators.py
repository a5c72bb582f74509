"""Casts, atomics and the operators of the catalogue compile for a GPU, for every dtype that they meet."""

import math
from typing import Any

import numba
import numpy as np
import pytest

from anypair import semiring as s
from anypair.backends.cuda.casting import saturate
from anypair.backends.cuda.kernels import (
    accumulator,
    applied_kernels,
    bound_kernels,
    combines_in_place,
    product_kernels,
)
from anypair.compiling.casting import define_cast
from anypair.dtypes import SUPPORTED, DType, caster
from anypair.semiring import Semiring
from tests.cuda.compilation.compiling import to_ptx
from tests.cuda.operators import smallest
from tests.cuda.support import needs_compiler
from tests.support.covering import FULL
from tests.support.strategies import BINARY, MONOIDS, UNARY

pytestmark = needs_compiler

ANY_GPU = (7, 5)


def array(dtype: DType) -> str:
    return f"array({dtype}, 1d, C)"


@pytest.mark.parametrize("source", SUPPORTED, ids=str)
def test_casts_compile(source: DType) -> None:
    for target in SUPPORTED:
        op = s.identity.typed(source)
        kernels: Any = applied_kernels(type(op)(op.op, source, source, target), 256)
        types = [
            array(np.dtype(np.int32)),
            array(source),
            "int64",
            array(target),
            array(np.dtype(np.int32)),
        ]
        assert "st.global" in to_ptx(kernels.apply_to_vector.py_func, types, ANY_GPU)


NUMBERS = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    127.0,
    128.0,
    255.5,
    -129.0,
    2.0**31,
    2.0**32,
    -(2.0**31) - 1,
]
NUMBERS += [2.0**63, 2.0**64, -(2.0**63), 1e300, -1e300, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("target", SUPPORTED, ids=str)
@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_casts_mean_the_same_where_they_can_be_run(source: Any, target: DType) -> None:
    """The instructions that a GPU gets, compiled for this processor."""
    cast = define_cast(str(target), saturate=saturate)
    function = numba.njit(lambda x: cast(x))
    with np.errstate(over="ignore"):
        values = [source(x) for x in NUMBERS]
    for value in values:
        found, expected = function(value), caster(target)(float(value))
        assert found == expected or (math.isnan(found) and math.isnan(expected)), value


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for number, name in enumerate([*MONOIDS, "a user's"])
        for dtype in SUPPORTED
        if FULL or dtype.kind != "iu"[number % 2]
    ],
    ids=str,
)
def test_atomics_compile(name: str, dtype: DType) -> None:
    """Sums in place: by atomics, by compare-and-swap, and of floats as integers of the same order.

    Of integers of each size, with a sign for every other monoid and without for the rest.
    """
    monoid = MONOIDS.get(name, smallest)
    typed = Semiring(monoid, s.first).typed(dtype, dtype)
    if not combines_in_place(typed.add):
        pytest.skip("sums of floats are not made in place")
    kept = typed.result if typed.add.takes_any else accumulator(typed.result)
    kernels: Any = product_kernels("two_phase", typed, 256)
    flags, index, start = (array(np.dtype(kind)) for kind in (np.int8, np.int32, np.int64))
    values, words = array(dtype), array(np.dtype(np.uint32))
    types = [
        flags, start, index, values, "int64", values, "int64", words, "uint32", array(kept), flags, index,
    ]  # fmt: skip
    ptx = to_ptx(kernels.expand_vertices.py_func, types, ANY_GPU)
    assert typed.add.takes_any or "atom" in ptx or "red." in ptx


KINDS = [np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.uint8)]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for number, name in enumerate([*UNARY, *BINARY])
        for dtype in (KINDS if FULL else [KINDS[number % len(KINDS)]])
    ],
    ids=str,
)
def test_operators_of_the_catalogue_compile(name: str, dtype: DType) -> None:
    """For one dtype each; the conformance suite runs them in the emulator for others."""
    finished = array(np.dtype(np.int32))
    if name in UNARY:
        op = UNARY[name].typed(dtype)
        kernels: Any = applied_kernels(op, 256)
        types = [array(np.dtype(np.int32)), array(dtype), "int64", array(op.result), finished]
        assert to_ptx(kernels.apply_to_vector.py_func, types, ANY_GPU)
    else:
        both = BINARY[name].typed(dtype, dtype)
        kernels = bound_kernels(both, False, 256)
        types = [array(both.right), array(dtype), array(both.result), finished]
        assert to_ptx(kernels.apply_bound.py_func, types, ANY_GPU)
