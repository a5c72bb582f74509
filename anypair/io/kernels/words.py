"""Machine instructions that Python has no words for."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORD = ir.IntType(64)
DOUBLE_WORD = ir.IntType(128)


@intrinsic
def load_word(typing_context: Any, data: Any, at: Any) -> Any:
    """Eight bytes of a uint8 array from any place on, the first one lowest; the machine's own order."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        loaded = builder.load(builder.bitcast(place, WORD.as_pointer()))
        loaded.align = 1
        return loaded

    return types.uint64(data, types.int64), generate


@intrinsic
def multiply_high(typing_context: Any, x: Any, y: Any) -> Any:
    """The upper 64 bits of a product of two uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = [builder.zext(argument, DOUBLE_WORD) for argument in arguments]
        shifted = builder.lshr(builder.mul(*wide), ir.Constant(DOUBLE_WORD, 64))
        return builder.trunc(shifted, WORD)

    return types.uint64(types.uint64, types.uint64), generate


@intrinsic
def leading_zeros(typing_context: Any, word: Any) -> Any:
    """How many zeros are above the highest one of a uint64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], cgutils.true_bit)

    return types.uint64(types.uint64), generate


@intrinsic
def as_float(typing_context: Any, word: Any) -> Any:
    """The float64 with these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@intrinsic
def as_bits(typing_context: Any, number: Any) -> Any:
    """The bits of a float64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], WORD)

    return types.uint64(types.float64), generate
