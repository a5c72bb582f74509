"""The cast rule of `anypair.dtypes` for compiled code: `to_int8(value)` and its ten brothers."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from anypair.compiling.intrinsics import intrinsic


def _saturate(context: Any, builder: Any, source: Any, target: Any, number: Any) -> Any:
    """LLVM's saturating conversion is our rule: the range's ends beyond it, 0 for NaN."""
    kind = "s" if target.signed else "u"
    function_name = f"llvm.fpto{kind}i.sat.i{target.bitwidth}.f{source.bitwidth}"
    integer, real = context.get_value_type(target), context.get_value_type(source)
    function_type = ir.FunctionType(integer, [real])
    function = cgutils.get_or_insert_function(builder.module, function_type, function_name)  # type: ignore[no-untyped-call]
    return builder.call(function, [number])


def define_cast(
    name: str, intrinsic: Callable[[Any], Any] = intrinsic, saturate: Callable[..., Any] = _saturate
) -> Any:
    """The function that generated kernels call to cast to the dtype of this name.

    A target of Numba has its own decorator for intrinsics, and its own way from floats to integers.
    """
    target: Any = numba.from_dtype(np.dtype(name))

    def convert(typing_context: Any, value: Any) -> Any:
        source = types.unliteral(value)  # type: ignore[no-untyped-call]

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (number,) = arguments
            if isinstance(target, types.Boolean):
                return context.is_true(builder, source, number)
            if isinstance(source, types.Float) and isinstance(target, types.Integer):
                return saturate(context, builder, source, target, number)
            return context.cast(builder, number, source, target)

        return target(source), generate

    convert.__name__ = f"to_{name}"
    return intrinsic(convert)


to_bool = define_cast("bool")
to_int8 = define_cast("int8")
to_int16 = define_cast("int16")
to_int32 = define_cast("int32")
to_int64 = define_cast("int64")
to_uint8 = define_cast("uint8")
to_uint16 = define_cast("uint16")
to_uint32 = define_cast("uint32")
to_uint64 = define_cast("uint64")
to_float32 = define_cast("float32")
to_float64 = define_cast("float64")
