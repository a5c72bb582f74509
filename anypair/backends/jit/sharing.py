"""How threads share the work of a kernel without the GIL: parts to take, doors to come in by.

A desk is an array that all of them see. The caller's kernel opens a door for each helper, which comes in
if it is awake; caller or helper, a thread takes the next part that nobody has taken. When none is left
the caller closes the doors, and waits for those who have come in. Nobody waits for one that stays away.

Every kernel that shares its work has this in it, so it is written in LLVM's terms: Numba would take
longer to understand it than to compile a kernel.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from anypair.backends.jit.bits import emit_pause, emit_variable

LINE = 8  # numbers of a cache line: who waits for one is not disturbed by who writes another

# What stands where on a desk.
NEXT = 0  # the next part that nobody has taken
PARTS = LINE  # how many there are; 0: the caller is alone, and does all at once
BOUNDS = LINE + 1  # where on the desk it says where each of them begins, and where the last one ends
HELPERS = LINE + 2  # how many are called
CALL = LINE + 3  # the number of this call, an even one
LOOKS = LINE + 4  # how often to look at a door before going to sleep
IS_OPEN = LINE + 5  # whether doors may be open
PATIENCE = LINE + 6  # pauses of a helper that has come in, while the caller may still have the GIL
DOORS = 2 * LINE  # one in each line

CLOSED, STOP = 0, -1  # what a door says, or the number of a call, or one more if somebody has come in

NUMBER = ir.IntType(64)
PART = types.UniTuple(types.int64, 3)  # type: ignore[no-untyped-call]


@intrinsic
def next_part(typing_context: Any, desk: Any, begin: Any, end: Any, part: Any) -> Any:
    """Another part for a thread: its number, where it begins and where it ends; empty if none is left.

    `part` is the one that it has done, or -1; `begin` is that of all work for the caller, and negative
    for helpers.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        begin, end, done = arguments[1:]
        is_first = builder.icmp_signed("<", done, NUMBER(0))
        is_caller = builder.icmp_signed(">=", begin, NUMBER(0))
        taken = emit_variable(builder, NUMBER(0))
        low = emit_variable(builder, builder.select(is_first, begin, end))
        high = emit_variable(builder, end)
        count = builder.load(_place(builder, numbers, NUMBER(PARTS)))
        with builder.if_then(builder.icmp_signed("!=", count, NUMBER(0))):
            with builder.if_then(builder.and_(is_first, is_caller)):
                _open_doors(builder, numbers)
            part = builder.atomic_rmw("add", numbers, NUMBER(1), "acq_rel")
            builder.store(part, taken)
            with builder.if_else(builder.icmp_signed("<", part, count)) as (some, none):
                with some:
                    at = builder.add(builder.load(_place(builder, numbers, NUMBER(BOUNDS))), part)
                    builder.store(builder.load(_place(builder, numbers, at)), low)
                    after = _place(builder, numbers, builder.add(at, NUMBER(1)))
                    builder.store(builder.load(after), high)
                with none:
                    builder.store(end, low)
                    with builder.if_then(is_caller):
                        looks = builder.load(_place(builder, numbers, NUMBER(LOOKS)))
                        _close_doors(builder, numbers, looks)
        return context.make_tuple(builder, PART, [builder.load(x) for x in (taken, low, high)])

    return PART(desk, types.int64, types.int64, types.int64), generate


@intrinsic
def close_doors(typing_context: Any, desk: Any, looks: Any) -> Any:
    """Close all doors, or wait until those who have come in do so, looking so many times at each.

    Afterwards desk[IS_OPEN] says whether there is still somebody.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        _close_doors(builder, view.data, arguments[1])
        return context.get_dummy_value()

    return types.void(desk, types.int64), generate


def _times(builder: Any, count: Any) -> Any:
    return cgutils.for_range(builder, count)


def _place(builder: Any, numbers: Any, index: Any) -> Any:
    return builder.gep(numbers, [index])


def _door(builder: Any, numbers: Any, helper: Any) -> Any:
    return _place(builder, numbers, builder.add(NUMBER(DOORS), builder.mul(NUMBER(LINE), helper)))


def _open_doors(builder: Any, numbers: Any) -> None:
    builder.store(NUMBER(1), _place(builder, numbers, NUMBER(IS_OPEN)))
    call = builder.load(_place(builder, numbers, NUMBER(CALL)))
    with _times(builder, builder.load(_place(builder, numbers, NUMBER(HELPERS)))) as loop:
        builder.store_atomic(call, _door(builder, numbers, loop.index), "release", 8)


def _close_doors(builder: Any, numbers: Any, looks: Any) -> None:
    call = builder.load(_place(builder, numbers, NUMBER(CALL)))
    still_open = emit_variable(builder, NUMBER(0))
    with _times(builder, builder.load(_place(builder, numbers, NUMBER(HELPERS)))) as helpers:
        door = _door(builder, numbers, helpers.index)
        builder.cmpxchg(door, call, NUMBER(CLOSED), "acq_rel", "acquire")
        with _times(builder, looks) as waiting:
            seen = builder.load_atomic(door, "acquire", 8)
            with builder.if_then(builder.icmp_signed("==", seen, NUMBER(CLOSED))):
                waiting.do_break()
            emit_pause(builder)
        seen = builder.load_atomic(door, "acquire", 8)
        builder.store(builder.or_(builder.load(still_open), seen), still_open)
    builder.store(builder.load(still_open), _place(builder, numbers, NUMBER(IS_OPEN)))
