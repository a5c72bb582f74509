"""Casts inside compiled code. Numba puts in the functions marked `overload`; Python never runs these.

Which one it puts in depends on the types of the arguments, so a cast costs what it needs and no more.
"""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

POINTER: Any = types.CPointer
GREATEST_SIGNED = np.uint64(np.iinfo(np.int64).max)


def _typed_pointer(typing: Any, address: Any, like: Any) -> Any:
    """A pointer to a value of the type of `like` at that address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return POINTER(like)(types.int64, like), generate


pointer: Any = intrinsic(_typed_pointer)


def cast(value: Any, like: Any) -> Any:
    """`value` in the dtype of `like`, by the rule of anypair.dtypes."""
    raise NotImplementedError


@overload(cast, strict=False)
def _compiled_cast(value: Any, like: Any) -> Any:
    like_type = like
    if isinstance(like, types.Boolean):
        return lambda value, like: value != 0
    if not (isinstance(value, types.Float) and isinstance(like, types.Integer)):
        return lambda value, like: like_type(value)
    info = np.iinfo(str(like))
    least, greatest = float(info.min), float(info.max)
    smallest, largest = info.dtype.type(info.min), info.dtype.type(info.max)

    def saturated(value: Any, like: Any) -> Any:
        if value != value:
            return like
        if value <= least:
            return smallest
        return largest if value >= greatest else like_type(value)

    return saturated


def wide(value: Any) -> Any:
    """`value` as the type closest to a Python number."""
    raise NotImplementedError


@overload(wide, strict=False)
def _compiled_wide(value: Any) -> Any:
    if isinstance(value, types.Boolean) or value == types.uint64:
        return lambda value: value
    number = types.float64 if isinstance(value, types.Float) else types.int64
    return lambda value: number(value)


def signed(value: Any) -> Any:
    """`wide`, but a uint64 that fits becomes an int64: Numba mixes the two as floats."""
    raise NotImplementedError


@overload(signed, strict=False)
def _compiled_signed(value: Any) -> Any:
    return (lambda value: types.int64(value)) if value == types.uint64 else (lambda value: wide(value))


def fits(value: Any) -> Any:
    """Whether `signed` keeps the value."""
    raise NotImplementedError


@overload(fits, strict=False)
def _compiled_fits(value: Any) -> Any:
    return (lambda value: value <= GREATEST_SIGNED) if value == types.uint64 else (lambda value: True)
