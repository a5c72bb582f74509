"""Instructions of the machine that Python has no words for: counting bits, fetching memory ahead."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """How many zeros are below the lowest one of a uint64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


@intrinsic
def count_ones(typing_context: Any, word: Any) -> Any:
    """How many ones a uint64 has."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Begin to load array[index], which will be needed soon, without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", fnty=kind)
        place = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        for_reading, keep, data = number(0), number(3), number(1)
        builder.call(function, [place, for_reading, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
