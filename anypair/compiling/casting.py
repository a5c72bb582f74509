"""The cast rule of `anypair.dtypes` for compiled code: `to_int8(value)` and its ten brothers."""

from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anypair.dtypes import SUPPORTED, DType


def _define(dtype: DType) -> Any:
    """The function that generated kernels call to cast to `dtype`."""
    target: Any = numba.from_dtype(dtype)

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
        name = f"llvm.fpto{kind}i.sat.i{target.bitwidth}.f{source.bitwidth}"
        integer, real = context.get_value_type(target), context.get_value_type(source)
        function_type = ir.FunctionType(integer, [real])
        function = cgutils.get_or_insert_function(builder.module, function_type, name)  # type: ignore[no-untyped-call]
        return builder.call(function, [number])

    convert.__name__ = f"to_{dtype}"
    return intrinsic(convert)


globals().update({f"to_{dtype}": _define(dtype) for dtype in SUPPORTED})
