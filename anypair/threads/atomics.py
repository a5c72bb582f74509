"""Atomic instructions of the processor: what threads do to one number, one after another.

Kernels call these with a contiguous array of integers, or of floats to load and to swap, and an index
that is not checked. A load sees what was written before a store that it sees (acquire and release); the
others are both. The functions `emit_...` write the same instructions into what is being compiled, given
an address.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError

from anypair.compiling.intrinsics import intrinsic


def emit_load(builder: Any, address: Any) -> Any:
    """The number at an address."""
    return builder.load_atomic(address, "acquire", address.type.pointee.width // 8)


def emit_store(builder: Any, address: Any, value: Any) -> None:
    """Write a number."""
    builder.store_atomic(value, address, "release", address.type.pointee.width // 8)


def emit_add(builder: Any, address: Any, value: Any) -> Any:
    """Add to a number; what it was before."""
    return builder.atomic_rmw("add", address, value, "acq_rel")


def emit_compare_and_swap(builder: Any, address: Any, expected: Any, value: Any) -> Any:
    """Write a number if it is what was expected; whether it was."""
    return builder.extract_value(builder.cmpxchg(address, expected, value, "acq_rel", "acquire"), 1)


@intrinsic
def atomic_load(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index] as it is in memory at this moment, whoever has written it."""
    return _instruction("atomic_load", emit_load, array.dtype, array, index, floats=True)


@intrinsic
def atomic_store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] = value, to be seen after whatever was written before."""
    return _instruction("atomic_store", emit_store, types.void, array, index, value)


@intrinsic
def atomic_add(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] += value, which wraps around; returns what was there before."""
    return _instruction("atomic_add", emit_add, array.dtype, array, index, value)


@intrinsic
def atomic_or(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] |= value; returns what was there before."""

    def emit(builder: Any, address: Any, value: Any) -> Any:
        return builder.atomic_rmw("or", address, value, "acq_rel")

    return _instruction("atomic_or", emit, array.dtype, array, index, value)


@intrinsic
def atomic_min(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index] = min(array[index], value); returns what was there before."""

    def emit(builder: Any, address: Any, value: Any) -> Any:
        least = "min" if array.dtype.signed else "umin"
        return builder.atomic_rmw(least, address, value, "acq_rel")

    return _instruction("atomic_min", emit, array.dtype, array, index, value)


@intrinsic
def compare_and_swap(typing_context: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    """array[index] = value if it is what was expected, to the bit; returns whether it was."""
    name, emit = "compare_and_swap", emit_compare_and_swap
    return _instruction(name, emit, types.boolean, array, index, expected, value, floats=True)


def _instruction(
    name: str, emit: Any, result: Any, array: Any, index: Any, *values: Any, floats: bool = False
) -> Any:
    """The signature of an intrinsic, and what writes it; values are cast to the array's dtype."""
    if array.ndim != 1 or array.layout != "C" or not array.aligned:
        raise TypingError(f"{name} needs a contiguous array of one dimension, not {array}")
    kinds = (types.Integer, types.Float) if floats else (types.Integer,)
    if not isinstance(array.dtype, kinds):
        raise TypingError(f"{name} needs an array of integers, not of {array.dtype}")
    if values and not array.mutable:
        raise TypingError(f"{name} cannot write to {array}, which is read-only")
    for value, allowed in ((index, types.Integer), *((value, kinds) for value in values)):
        if not isinstance(value, allowed):
            raise TypingError(f"{name} takes integers, not {value}")
    is_float = isinstance(array.dtype, types.Float)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, arguments[0])
        address, given = builder.gep(view.data, [arguments[1]]), arguments[2:]
        if not is_float:
            done = emit(builder, address, *given)
            return context.get_dummy_value() if done is None else done
        bits = ir.IntType(array.dtype.bitwidth)  # the processor compares these
        given = [builder.bitcast(value, bits) for value in given]
        done = emit(builder, builder.bitcast(address, bits.as_pointer()), *given)
        return builder.bitcast(done, address.type.pointee) if result == array.dtype else done

    return result(array, types.int64, *(array.dtype for _ in values)), generate
