"""Hypothesis strategies: handles of every dtype and shape, masks, operators.

Handles are made on the `reference` backend; a test moves them with `.to(backend)`. Floats are
multiples of a quarter, so that sums are exact in any order, except where specials are asked for.
`ANYPAIR_TEST_DTYPES=bool,int64` draws these dtypes only, where compiling for all takes too long. Unless all
is asked for, each operator is tested on dtypes of each kind, with integers of both ends, and each semiring, as
products take longest, on one of each kind.
"""

import os
from typing import Any

import numpy as np
from hypothesis import strategies as st

from anypair import Matrix, Vector, semiring
from anypair.dtypes import SUPPORTED, DType, as_dtype
from anypair.semiring import BinaryOp, Monoid, Semiring, UnaryOp
from tests.support.covering import FULL

CHOSEN = [as_dtype(name) for name in os.environ.get("ANYPAIR_TEST_DTYPES", "").split(",") if name]
DTYPES = CHOSEN or list(SUPPORTED)


def _some(*names: str) -> list[DType]:
    return DTYPES if CHOSEN or FULL else [as_dtype(name) for name in names]


OPERATOR_DTYPES = _some("bool", "int8", "int64", "uint64", "float32")
PRODUCT_DTYPES = _some("bool", "int64", "float32")
dtypes = st.sampled_from(DTYPES)


def of_kind(kind: type) -> dict[str, Any]:
    """The catalogue entries of one kind, by name."""
    found = {name: getattr(semiring, name) for name in semiring.__all__}
    return {name: entry for name, entry in found.items() if isinstance(entry, kind)}


SEMIRINGS: dict[str, Semiring] = of_kind(Semiring)
MONOIDS: dict[str, Monoid] = of_kind(Monoid)
UNARY: dict[str, UnaryOp] = of_kind(UnaryOp)
BINARY: dict[str, BinaryOp] = {k: op for k, op in of_kind(BinaryOp).items() if not op.positional}


def values(dtype: DType, *, specials: bool = False, ends: bool = True) -> st.SearchStrategy[Any]:
    """Numbers of a dtype: small ones, its ends, and for floats on request NaN and infinities."""
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind == "f":
        finite = st.integers(-400, 400).map(lambda quarters: quarters / 4)
        return finite | st.sampled_from([np.nan, np.inf, -np.inf, -0.0]) if specials else finite
    info = np.iinfo(dtype)
    small = st.integers(max(-9, int(info.min)), 9)
    if not ends:
        return small
    return small | st.sampled_from([int(info.min), int(info.max), int(info.max) - 1])


sizes = st.integers(0, 6)


@st.composite
def vectors(draw: Any, size: int | None = None, dtype: DType | None = None, **limits: bool) -> Vector:
    """A vector on the reference backend."""
    n = draw(sizes) if size is None else size
    kind = draw(dtypes) if dtype is None else dtype
    places = draw(st.sets(st.integers(0, n - 1))) if n else set()
    numbers = [draw(values(kind, **limits)) for _ in places]
    return Vector.from_entries(sorted(places), numbers, n, dtype=kind, backend="reference")


@st.composite
def matrices(
    draw: Any, shape: tuple[int, int] | None = None, dtype: DType | None = None, **limits: bool
) -> Matrix:
    """A matrix on the reference backend."""
    nrows, ncols = (draw(sizes), draw(sizes)) if shape is None else shape
    kind = draw(dtypes) if dtype is None else dtype
    place = st.tuples(st.integers(0, nrows - 1), st.integers(0, ncols - 1))
    places = sorted(draw(st.sets(place, max_size=14))) if nrows and ncols else []
    numbers = [draw(values(kind, **limits)) for _ in places]
    rows, cols = [i for i, _ in places], [j for _, j in places]
    return Matrix.from_entries(rows, cols, numbers, (nrows, ncols), dtype=kind, backend="reference")


def handles_of(
    shape: tuple[int, ...], dtype: DType | None = None, **limits: bool
) -> st.SearchStrategy[Any]:
    """A vector or a matrix, as the shape says."""
    if len(shape) == 1:
        return vectors(shape[0], dtype, **limits)
    return matrices((shape[0], shape[1]), dtype, **limits)


shapes = st.tuples(sizes) | st.tuples(sizes, sizes)


@st.composite
def masks_for(draw: Any, shape: tuple[int, ...]) -> tuple[Matrix | Vector, bool] | None:
    """A handle to take the structure of and whether to complement it, or no mask."""
    if draw(st.integers(0, 3)) == 0:
        return None
    return draw(handles_of(shape, np.dtype(bool))), draw(st.booleans())
