"""The cast rule of `anypair.dtypes` for GPU kernels: `to_int8(value)` and its ten brothers."""

from typing import Any

import numba
import numpy as np

from anypair.backends.cuda.numba_cuda import types
from anypair.dtypes import DType


def compiled_cast(dtype: DType, intrinsic: Any) -> Any:
    """The cast as an intrinsic of some target of Numba."""
    target: Any = numba.from_dtype(dtype)

    def convert(typing_context: Any, value: Any) -> Any:
        source = types.unliteral(value)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (number,) = arguments
            if isinstance(target, types.Boolean):
                return context.is_true(builder, source, number)
            if isinstance(source, types.Float) and isinstance(target, types.Integer):
                return _saturated(context, builder, source, number)
            return context.cast(builder, number, source, target)

        return target(source), generate

    def _saturated(context: Any, builder: Any, source: Any, number: Any) -> Any:
        """The range's ends beyond it, 0 for NaN; what LLVM leaves open is never asked for."""
        real = context.get_value_type(source)
        integer = context.get_value_type(target)
        info = np.iinfo(dtype)
        low, high = (real(float(np.dtype(str(source)).type(end))) for end in (info.min, info.max))
        below = builder.fcmp_ordered("<=", number, low)
        above = builder.fcmp_ordered(">=", number, high)
        known = builder.fcmp_ordered("==", number, number)
        inside = builder.and_(known, builder.not_(builder.or_(below, above)))
        safe = builder.select(inside, number, real(0.0))
        converted = (builder.fptosi if target.signed else builder.fptoui)(safe, integer)
        converted = builder.select(below, integer(int(info.min)), converted)
        return builder.select(above, integer(int(info.max)), converted)

    convert.__name__ = f"to_{dtype}"
    return intrinsic(convert)


def _define(name: str) -> Any:
    dtype = np.dtype(name)
    from numba.cuda.extending import intrinsic

    return compiled_cast(dtype, intrinsic)


to_bool = _define("bool")
to_int8 = _define("int8")
to_int16 = _define("int16")
to_int32 = _define("int32")
to_int64 = _define("int64")
to_uint8 = _define("uint8")
to_uint16 = _define("uint16")
to_uint32 = _define("uint32")
to_uint64 = _define("uint64")
to_float32 = _define("float32")
to_float64 = _define("float64")
