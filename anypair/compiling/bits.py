"""Instructions of the machine that Python has no words for: counting bits, fetching memory ahead."""

import platform
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from anypair.compiling.intrinsics import intrinsic


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


def _room(count: int) -> Any:
    """What an intrinsic returns that gives so many numbers on the stack."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = cgutils.alloca_once(builder, ir.IntType(64), size=count)  # type: ignore[no-untyped-call]
        return builder.bitcast(numbers, ir.IntType(64).as_pointer())

    return types.CPointer(types.uint64)(), generate  # type: ignore[no-untyped-call]


@intrinsic
def room_for_a_word(typing_context: Any) -> Any:
    """64 numbers on the stack, one for each bit of a word."""
    return _room(64)


PLACES = 1024


@intrinsic
def room_for_places(typing_context: Any) -> Any:
    """`PLACES` numbers on the stack: as many as stay in a core's first cache, with room for others."""
    return _room(PLACES)


@intrinsic
def pause(typing_context: Any) -> Any:
    """Tell the processor that this is a loop that waits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        emit_pause(builder)
        return context.get_dummy_value()

    return types.void(), generate


def emit_pause(builder: Any) -> None:
    """Write a pause into what is being compiled."""
    if platform.machine() in ("x86_64", "AMD64"):
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", fnty=nothing), [])


def emit_variable(builder: Any, value: Any) -> Any:
    """Write room for a number that changes, with its first value, into what is being compiled."""
    return cgutils.alloca_once_value(builder, value)  # type: ignore[no-untyped-call]
