"""The cast rule of `anypair.dtypes` for GPU kernels: `to_int8(value)` and its ten brothers."""

from typing import Any

import numpy as np

from anypair.backends.cuda.numba_cuda import intrinsic
from anypair.compiling.casting import define_cast


def saturate(context: Any, builder: Any, source: Any, target: Any, number: Any) -> Any:
    """The range's ends beyond it, 0 for NaN; what LLVM leaves open is never asked for.

    Its saturating conversion, which the processor's kernels call, has no instructions of a GPU.
    """
    real = context.get_value_type(source)
    integer = context.get_value_type(target)
    info = np.iinfo(str(target))
    low, high = (real(float(np.dtype(str(source)).type(end))) for end in (info.min, info.max))
    below = builder.fcmp_ordered("<=", number, low)
    above = builder.fcmp_ordered(">=", number, high)
    known = builder.fcmp_ordered("==", number, number)
    inside = builder.and_(known, builder.not_(builder.or_(below, above)))
    safe = builder.select(inside, number, real(0.0))
    converted = (builder.fptosi if target.signed else builder.fptoui)(safe, integer)
    converted = builder.select(below, integer(int(info.min)), converted)
    return builder.select(above, integer(int(info.max)), converted)


to_bool = define_cast("bool", intrinsic, saturate)
to_int8 = define_cast("int8", intrinsic, saturate)
to_int16 = define_cast("int16", intrinsic, saturate)
to_int32 = define_cast("int32", intrinsic, saturate)
to_int64 = define_cast("int64", intrinsic, saturate)
to_uint8 = define_cast("uint8", intrinsic, saturate)
to_uint16 = define_cast("uint16", intrinsic, saturate)
to_uint32 = define_cast("uint32", intrinsic, saturate)
to_uint64 = define_cast("uint64", intrinsic, saturate)
to_float32 = define_cast("float32", intrinsic, saturate)
to_float64 = define_cast("float64", intrinsic, saturate)
