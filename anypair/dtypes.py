"""The eleven dtypes that anypair stores, and the one rule by which a value changes from one to another.

The rule of `cast`, the same on every backend:

| from     | to       | what happens                                                      |
| -------- | -------- | ----------------------------------------------------------------- |
| anything | bool     | True where the value is not zero (NaN is not zero)                |
| bool     | a number | 0 or 1                                                            |
| integer  | integer  | the low bits are kept (wraps around)                              |
| integer  | float    | the nearest float                                                 |
| float    | integer  | truncated towards zero; beyond the range its end; NaN becomes 0   |
| float64  | float32  | the nearest float32, beyond the range infinity                    |
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from anypair.errors import InvalidValue, UnsupportedDType

DType: TypeAlias = np.dtype[Any]
Array: TypeAlias = np.ndarray[Any, Any]
Scalar: TypeAlias = bool | int | float

BOOL: DType = np.dtype(np.bool_)
UINT32: DType = np.dtype(np.uint32)
INT32: DType = np.dtype(np.int32)
INT64: DType = np.dtype(np.int64)
FLOAT32: DType = np.dtype(np.float32)
FLOAT64: DType = np.dtype(np.float64)
SUPPORTED: tuple[DType, ...] = (
    BOOL,
    *(np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)),
    *(np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)),
    *(np.dtype(f"float{bits}") for bits in (32, 64)),
)


def as_dtype(dtype: Any) -> DType:
    """The NumPy dtype meant by `dtype`, if anypair stores it.

    >>> as_dtype(int)
    dtype('int64')
    """
    try:
        found: DType | None = None if dtype is None else np.dtype(dtype).newbyteorder("=")
    except TypeError:
        found = None
    if found is None or found not in SUPPORTED:
        names = ", ".join(map(str, SUPPORTED))
        raise UnsupportedDType(f"dtype {dtype!r} is not supported; use one of {names}")
    return found


def index_dtype(bound: int) -> DType:
    """The smallest dtype of indices below `bound`, and of `bound` itself: 32 bits while they suffice.

    >>> index_dtype(100), index_dtype(2**32)
    (dtype('uint32'), dtype('int64'))
    """
    return UINT32 if bound < 2**32 else INT64


def cast(values: Array, dtype: DType) -> Array:
    """A new array of `dtype` by the rule of this module."""
    if values.dtype.kind == "f" and dtype.kind in "iu":
        return _truncate(values, dtype)
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def _truncate(values: Array, dtype: DType) -> Array:
    info = np.iinfo(dtype)
    with np.errstate(invalid="ignore"):
        result = values.astype(dtype)
    # float(info.max) may round up to the first float beyond the range, so both mean "the end".
    result[values >= float(info.max)] = info.max
    result[values <= float(info.min)] = info.min
    result[np.isnan(values)] = 0
    return result


def loses_kind(dtype: DType, into: DType) -> bool:
    """Whether a cast takes fractions off (float to integer) or leaves only zero or not (to bool).

    >>> loses_kind(FLOAT64, INT64), loses_kind(INT64, np.dtype("int8")), loses_kind(INT64, FLOAT64)
    (True, False, False)
    """
    return _BREADTH[dtype.kind] > _BREADTH[into.kind]


_BREADTH = {"b": 0, "u": 1, "i": 1, "f": 2}


@cache
def caster(dtype: DType) -> Callable[[Any], Scalar]:
    """`cast` for one Python number: a function that returns the Python number stored for it."""
    if dtype.kind == "b":
        return bool
    if dtype.kind == "f":
        return float if dtype == FLOAT64 else _as_float32
    return _integer_caster(dtype)


def _as_float32(value: Any) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _integer_caster(dtype: DType) -> Callable[[Any], int]:
    info = np.iinfo(dtype)
    least, greatest = int(info.min), int(info.max)
    span = greatest - least + 1

    def as_integer(value: Any) -> int:
        if isinstance(value, float):
            if math.isnan(value):
                return 0
            return least if value <= least else greatest if value >= greatest else int(value)
        number = int(value)
        return number if least <= number <= greatest else (number - least) % span + least

    return as_integer


def largest(dtype: DType) -> Scalar:
    """The greatest value of `dtype`: infinity, the greatest integer, True."""
    if dtype.kind == "f":
        return math.inf
    return True if dtype.kind == "b" else int(np.iinfo(dtype).max)


def smallest(dtype: DType) -> Scalar:
    """The least value of `dtype`: minus infinity, the least integer, False."""
    if dtype.kind == "f":
        return -math.inf
    return False if dtype.kind == "b" else int(np.iinfo(dtype).min)


def holds(dtype: DType, value: Scalar) -> bool:
    """Whether `dtype` stores `value` with its meaning kept (a float may be rounded)."""
    if dtype.kind == "f":
        return True
    return caster(dtype)(value) == value


def scalar_dtype(value: Any, beside: DType | None = None) -> DType:
    """The dtype of a single number; a plain Python number adapts to the dtype it stands beside.

    >>> scalar_dtype(2, beside=np.dtype("int8"))
    dtype('int8')
    >>> scalar_dtype(0.5, beside=np.dtype("int8"))
    dtype('float64')
    """
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0:
        return as_dtype(value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if beside is not None and beside.kind in "iuf" and holds(beside, value):
            return beside
        return next((t for t in (INT64, np.dtype(np.uint64)) if holds(t, value)), FLOAT64)
    if isinstance(value, float):
        return beside if beside is not None and beside.kind == "f" else FLOAT64
    raise InvalidValue(f"{value!r} is not a number; give a bool, an int or a float")
