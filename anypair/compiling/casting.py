"""The cast rule of `anypair.dtypes` for compiled code: `to_int8(value)` and its ten brothers."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from anypair.compiling.intrinsics import intrinsic


def _define(name: str) -> Any:
    """The function that generated kernels call to cast to the dtype of this name."""
    target: Any = numba.from_dtype(np.dtype(name))

    def convert(typing_context: Any, value: Any) -> Any:
        source = types.unliteral(value)  # type: ignore[no-untyped-call]

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (number,) = arguments
            if isinstance(target, types.Boolean):
                return context.is_true(builder, source, number)
            if isinstance(source, types.Float) and isinstance(target, types.Integer):
                return _saturate(context, builder, source, number)
            return context.cast(builder, number, source, target)

        return target(source), generate

    def _saturate(context: Any, builder: Any, source: Any, number: Any) -> Any:
        """LLVM's saturating conversion is our rule: the range's ends beyond it, 0 for NaN."""
        kind = "s" if target.signed else "u"
        function_name = f"llvm.fpto{kind}i.sat.i{target.bitwidth}.f{source.bitwidth}"
        integer, real = context.get_value_type(target), context.get_value_type(source)
        function_type = ir.FunctionType(integer, [real])
        function = cgutils.get_or_insert_function(builder.module, function_type, function_name)  # type: ignore[no-untyped-call]
        return builder.call(function, [number])

    convert.__name__ = f"to_{name}"
    return intrinsic(convert)


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
