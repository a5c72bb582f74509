"""Binary search in sorted rows, in LLVM's terms: Numba would take longer to understand it."""

from typing import Any

from llvmlite import ir
from numba import types

from anypair.compiling.bits import emit_variable
from anypair.compiling.intrinsics import intrinsic

PLACE = ir.IntType(64)
BOUNDS = types.UniTuple(types.uint64, 2)  # type: ignore[no-untyped-call]


@intrinsic
def lower_bound(typing_context: Any, wanted: Any, indices: Any, low: Any, high: Any) -> Any:
    """The first place of the sorted indices[low:high] that is not below `wanted`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wanted, array, low, high = arguments
        view = context.make_array(signature.args[1])(context, builder, array)
        return _lower_bound(builder, view.data, wanted, low, high)

    return types.int64(types.int64, indices, types.int64, types.int64), generate


@intrinsic
def part_of_row(
    typing_context: Any, low: Any, high: Any, size: Any, indices: Any, begin: Any, end: Any
) -> Any:
    """Where the entries from low to high, of places below size, begin and end in a sorted row."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, size, array, begin, end = arguments
        data = context.make_array(signature.args[3])(context, builder, array).data
        first, last = (emit_variable(builder, place) for place in (begin, end))
        with builder.if_then(builder.icmp_signed(">", low, PLACE(0))):
            builder.store(_lower_bound(builder, data, low, begin, end), first)
        with builder.if_then(builder.icmp_signed("<", high, size)):
            builder.store(_lower_bound(builder, data, high, builder.load(first), end), last)
        return context.make_tuple(builder, BOUNDS, [builder.load(first), builder.load(last)])

    place = types.int64
    return BOUNDS(place, place, place, indices, place, place), generate


def _lower_bound(builder: Any, data: Any, wanted: Any, low: Any, high: Any) -> Any:
    first, last = (emit_variable(builder, place) for place in (low, high))
    search, look, found = (builder.append_basic_block(name) for name in ("search", "look", "found"))
    builder.branch(search)
    builder.position_at_end(search)
    low, high = builder.load(first), builder.load(last)
    builder.cbranch(builder.icmp_signed("<", low, high), look, found)
    builder.position_at_end(look)
    middle = builder.lshr(builder.add(low, high), PLACE(1))
    index = builder.load(builder.gep(data, [middle]))
    if index.type.width < PLACE.width:
        index = builder.zext(index, PLACE)
    is_below = builder.icmp_signed("<", index, wanted)
    builder.store(builder.select(is_below, builder.add(middle, PLACE(1)), low), first)
    builder.store(builder.select(is_below, high, middle), last)
    builder.branch(search)
    builder.position_at_end(found)
    return low
