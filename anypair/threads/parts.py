"""How threads share a kernel's work without the GIL: an atomic counter of parts, a slot for each worker.

The header of a call is an array that all of them see. The caller's kernel posts the call in the slot of
each worker, which claims it if it is awake; caller or worker, a thread takes the next part that nobody
has taken. When none is left the caller takes back what nobody has claimed, and waits for the rest.
Nobody waits for a worker that is asleep.

Every kernel that shares its work has this in it, so it is written in LLVM's terms: Numba would take
longer to understand it than to compile a kernel.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from anypair.compiling.bits import emit_pause, emit_variable
from anypair.compiling.interpreting import in_python
from anypair.compiling.intrinsics import intrinsic
from anypair.threads.atomics import emit_add, emit_compare_and_swap, emit_load, emit_store

LINE = 8  # numbers of a cache line: who waits for one is not disturbed by who writes another

# What stands where in a header.
NEXT = 0  # the next part that nobody has taken
PARTS = LINE  # how many there are; 0: the caller is alone, and does all at once
BOUNDS = LINE + 1  # where in the header it says where each of them begins, and where the last one ends
WORKERS = LINE + 2  # how many are called
CALL = LINE + 3  # the number of this call, an even one
SPIN_LIMIT = LINE + 4  # how often to look at a slot before going to sleep
IS_POSTED = LINE + 5  # whether slots may still hold this call
SPINS_AFTER_WAKE = LINE + 6  # pauses of a worker that has claimed a call, while the caller has the GIL
SLOTS = 2 * LINE  # one in each line

EMPTY, STOP = 0, -1  # what is in a slot, or the number of a call, or one more once it is claimed

NUMBER = ir.IntType(64)
PART = types.UniTuple(types.int64, 3)  # type: ignore[no-untyped-call]


@intrinsic
def next_part(typing_context: Any, header: Any, begin: Any, end: Any, part: Any) -> Any:
    """Another part for a thread: its number, where it begins and where it ends; empty if none is left.

    `part` is the one that it has done, or -1; `begin` is that of all work for the caller, and negative
    for workers.
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
                _post_call(builder, numbers)
            part = emit_add(builder, numbers, NUMBER(1))
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
                        spins = builder.load(_place(builder, numbers, NUMBER(SPIN_LIMIT)))
                        _finish_call(builder, numbers, spins)
        return context.make_tuple(builder, PART, [builder.load(x) for x in (taken, low, high)])

    return PART(header, types.int64, types.int64, types.int64), generate


@intrinsic
def finish_call(typing_context: Any, header: Any, spins: Any) -> Any:
    """Take back what nobody has claimed, and wait for the rest, looking so many times at each slot.

    Afterwards header[IS_POSTED] says whether somebody is still at work.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        _finish_call(builder, view.data, arguments[1])
        return context.get_dummy_value()

    return types.void(header, types.int64), generate


def _times(builder: Any, count: Any) -> Any:
    return cgutils.for_range(builder, count)


def _place(builder: Any, numbers: Any, index: Any) -> Any:
    return builder.gep(numbers, [index])


def _slot(builder: Any, numbers: Any, worker: Any) -> Any:
    return _place(builder, numbers, builder.add(NUMBER(SLOTS), builder.mul(NUMBER(LINE), worker)))


def _post_call(builder: Any, numbers: Any) -> None:
    builder.store(NUMBER(1), _place(builder, numbers, NUMBER(IS_POSTED)))
    call = builder.load(_place(builder, numbers, NUMBER(CALL)))
    with _times(builder, builder.load(_place(builder, numbers, NUMBER(WORKERS)))) as loop:
        emit_store(builder, _slot(builder, numbers, loop.index), call)


def _finish_call(builder: Any, numbers: Any, spins: Any) -> None:
    call = builder.load(_place(builder, numbers, NUMBER(CALL)))
    left = emit_variable(builder, NUMBER(0))
    with _times(builder, builder.load(_place(builder, numbers, NUMBER(WORKERS)))) as workers:
        slot = _slot(builder, numbers, workers.index)
        emit_compare_and_swap(builder, slot, call, NUMBER(EMPTY))
        with _times(builder, spins) as waiting:
            seen = emit_load(builder, slot)
            with builder.if_then(builder.icmp_signed("==", seen, NUMBER(EMPTY))):
                waiting.do_break()
            emit_pause(builder)
        seen = emit_load(builder, slot)
        builder.store(builder.or_(builder.load(left), seen), left)
    builder.store(builder.load(left), _place(builder, numbers, NUMBER(IS_POSTED)))


def _next_part_in_python(header: Any, begin: Any, end: Any, done: Any) -> tuple[Any, Any, Any]:
    """As `next_part`, for a caller who takes all of them."""
    if not header[PARTS]:
        return (0, begin, end) if done < 0 else (0, end, end)
    part = int(header[NEXT])
    header[NEXT] += 1
    at = int(header[BOUNDS]) + part
    return (part, *header[at : at + 2].tolist()) if part < header[PARTS] else (part, end, end)


in_python("next_part", _next_part_in_python)
