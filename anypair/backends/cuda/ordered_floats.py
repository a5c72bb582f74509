"""Floats as integers of the same order, because atomics know minima and maxima of integers only.

The bits of a float that is not negative are such an integer; those of a negative one, all but the sign
turned over. NaN, which minimum and maximum pass over, becomes the end that loses against every number.
"""

from typing import Any

import numpy as np

from anypair.backends.cuda.numba_cuda import types
from anypair.dtypes import DType
from anypair.semiring import TypedMonoid

KEYS = {"float32": "int32", "float64": "int64"}


def is_ordered(monoid: TypedMonoid) -> bool:
    """Whether sums of floats by this monoid are minima or maxima."""
    return monoid.domain.kind == "f" and monoid.selects in ("min", "max")


def key_dtype(dtype: DType) -> DType:
    """The integer dtype that stands for a float dtype."""
    return np.dtype(KEYS[str(dtype)])


def losing_key(monoid: TypedMonoid) -> int:
    """What a sum begins with, and what NaN becomes."""
    info = np.iinfo(key_dtype(monoid.domain))
    return int(info.max if monoid.selects == "min" else info.min)


def definitions(monoid: TypedMonoid) -> str:
    """key_of(x) and float_of(key), for generated kernels."""
    real, key = str(monoid.domain), str(key_dtype(monoid.domain))
    most = np.iinfo(key).max
    return f"""
@compiled
def key_of(x):
    bits = ordered_floats.bits_of_{real}(x)
    key = bits if bits >= 0 else casting.to_{key}(bits ^ {most})
    return key if x == x else casting.to_{key}({losing_key(monoid)})

@compiled
def float_of(key):
    bits = key if key >= 0 else casting.to_{key}(key ^ {most})
    number = ordered_floats.{real}_of_bits(bits)
    return casting.to_{real}(np.nan) if key == {losing_key(monoid)} else number
"""


def _reinterpret(name: str, target: str) -> Any:
    """The function of this name, which takes the bits of a number for those of another dtype."""
    from numba.cuda.extending import intrinsic

    wanted = getattr(types, target)

    def reinterpret(typing_context: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(wanted))

        return wanted(value), generate

    reinterpret.__name__ = name
    return intrinsic(reinterpret)


bits_of_float32 = _reinterpret("bits_of_float32", "int32")
bits_of_float64 = _reinterpret("bits_of_float64", "int64")
float32_of_bits = _reinterpret("float32_of_bits", "float32")
float64_of_bits = _reinterpret("float64_of_bits", "float64")
