"""What the threads of an emulated launch share: memory that watches who touches it, barriers, a schedule.

All blocks run at once. Which thread goes on, and for how many accesses, is drawn from a seed. Two accesses
to one place race if one of them writes, not both are atomic, and no barrier of their block lies between.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, njit, types
from numba.extending import intrinsic

from tests.cuda.emulator.lowering import (
    AT_BARRIER,
    BARRIER,
    ENDED,
    FAILED,
    IS_ATOMIC,
    IS_SHARED,
    PC,
    POINT_SHIFT,
    RUNNING,
    WRITES,
)

#: The context of a launch, a table of numbers and of the addresses of arrays (those in capitals below).
(
    NBLOCKS, BLOCK_EPOCHS, NREGIONS, REGIONS, NPLACES, PLACES, SHARED_BYTES, SHARED, SHARED_PLACES,
    FAILURE, NRACES, RACES, ENTRIES,
) = range(13)  # fmt: skip

#: A region of global memory: where it begins, its bytes, log2 of the bytes of an element, and the number
#: of its first place. Shared memory has a place for each byte.
ADDRESS, NBYTES, SHIFT, FIRST_PLACE, REGION = range(5)
#: A place: its last writer and two readers, and at which points of the kernel these were.
WRITER, READER, OTHER_READER, WRITER_POINT, READER_POINT, OTHER_POINT, PLACE = range(7)
#: A race: the points, who was there, in which region (-1: shared memory), and how often.
POINT, EARLIER_POINT, WHO, EARLIER_WHO, WHERE, COUNT, RACE = range(7)
MOST_RACES = 64
#: A failure: why, at which point, the address, and who.
WHY, FAILED_POINT, FAILED_ADDRESS, FAILED_BLOCK, FAILED_THREAD, FAILURE_FIELDS = range(6)
OUT_OF_BOUNDS, MISALIGNED, UNINITIALISED, DIVERGED, ENDLESS = range(1, 6)

# Who made an access: block, epoch of the block, thread, a bit that is always set, and whether atomic.
_ATOMIC, _SET, _THREAD, _EPOCH, _BLOCK = 1, 2, 2, 13, 37
_THREAD_MASK, _EPOCH_MASK = (1 << 11) - 1, (1 << 24) - 1


def block_of(who: int) -> int:
    """The block of an access."""
    return who >> _BLOCK


def thread_of(who: int) -> int:
    """The thread of an access, within its block."""
    return who >> _THREAD & _THREAD_MASK


@intrinsic
def _pointer(typing: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), build


@intrinsic
def _call_step(typing: Any, step: Any, thread: Any, launch: Any, accesses: Any) -> Any:
    """Call the function at an address, with the addresses of its two arrays and a number."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word, word])
        return builder.call(builder.inttoptr(arguments[0], ir.PointerType(kind)), arguments[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), build


@njit
def _words(address, count):  # type: ignore[no-untyped-def]
    return carray(_pointer(address), (count,), np.int64)


@njit
def _rows(address, count, width):  # type: ignore[no-untyped-def]
    return carray(_pointer(address), (count, width), np.int64)


@njit
def _fail(table, why, point, address, block, thread):  # type: ignore[no-untyped-def]
    failure = _words(table[FAILURE], FAILURE_FIELDS)
    failure[WHY], failure[FAILED_POINT], failure[FAILED_ADDRESS] = why, point, address
    failure[FAILED_BLOCK], failure[FAILED_THREAD] = block, thread
    return 0


@njit
def _ordered(earlier, me):  # type: ignore[no-untyped-def]
    """Whether the earlier access comes first under every schedule."""
    if earlier >> _BLOCK != me >> _BLOCK:
        return False
    same_thread = (earlier >> _THREAD) & _THREAD_MASK == (me >> _THREAD) & _THREAD_MASK
    same_epoch = (earlier >> _EPOCH) & _EPOCH_MASK == (me >> _EPOCH) & _EPOCH_MASK
    return same_thread or not same_epoch


@njit
def _write_down(table, me, point, earlier, earlier_point, region):  # type: ignore[no-untyped-def]
    """Two accesses race; one row for each pair of points."""
    races = _rows(table[RACES], MOST_RACES, RACE)
    count = _words(table[NRACES], 1)
    for k in range(count[0]):
        one = races[k]
        if one[POINT] == point and one[EARLIER_POINT] == earlier_point and one[WHERE] == region:
            one[COUNT] += 1
            return
    if count[0] < MOST_RACES:
        one = races[count[0]]
        one[POINT], one[EARLIER_POINT], one[WHERE] = point, earlier_point, region
        one[WHO], one[EARLIER_WHO], one[COUNT] = me, earlier, 1
        count[0] += 1


@njit
def _watch(table, place, me, point, writes, region):  # type: ignore[no-untyped-def]
    """Compare an access with those before it at its place, and remember it."""
    writer = place[WRITER]
    if writer and not (me & writer & _ATOMIC) and not _ordered(writer, me):
        _write_down(table, me, point, writer, place[WRITER_POINT], region)
    if not writes:
        # Two readers are kept: the one that a writer is itself ordered with may hide the other.
        at = READER if not place[READER] or _ordered(place[READER], me) else OTHER_READER
        place[at], place[at + READER_POINT - READER] = me, point
        return
    for at in (READER, OTHER_READER):
        reader = place[at]
        if reader and not _ordered(reader, me):
            _write_down(table, me, point, reader, place[at + READER_POINT - READER], region)
        place[at] = 0
    place[WRITER], place[WRITER_POINT] = me, point


@njit
def _region_of(regions, address):  # type: ignore[no-untyped-def]
    """The last region that begins at or before the address; they are sorted."""
    low, high = 0, len(regions)
    while low < high:
        middle = (low + high) >> 1
        if regions[middle, ADDRESS] <= address:
            low = middle + 1
        else:
            high = middle
    return low - 1


@njit
def access(context, block, thread, address, described):  # type: ignore[no-untyped-def]
    """Check and remember an access; where its memory is, or 0 if the thread has to stop."""
    table = _words(context, ENTRIES)
    size = described & 0xFF
    point = described >> POINT_SHIFT
    writes = described & WRITES != 0
    if address & (size - 1):
        return _fail(table, MISALIGNED, point, address, block, thread)
    epoch = _words(table[BLOCK_EPOCHS], table[NBLOCKS])[block] & _EPOCH_MASK
    me = block << _BLOCK | epoch << _EPOCH | thread << _THREAD | _SET
    if described & IS_ATOMIC:
        me |= _ATOMIC
    if described & IS_SHARED:
        nbytes = table[SHARED_BYTES]
        if address < 0 or address + size > nbytes:
            return _fail(table, OUT_OF_BOUNDS, point, address, block, thread)
        places = _rows(table[SHARED_PLACES], table[NBLOCKS] * nbytes, PLACE)
        first = block * nbytes + address
        for k in range(first, first + size):
            if not writes and not places[k, WRITER]:
                return _fail(table, UNINITIALISED, point, address, block, thread)
            _watch(table, places[k], me, point, writes, -1)
        return table[SHARED] + first
    regions = _rows(table[REGIONS], table[NREGIONS], REGION)
    number = _region_of(regions, address)
    if number < 0 or address + size > regions[number, ADDRESS] + regions[number, NBYTES]:
        return _fail(table, OUT_OF_BOUNDS, point, address, block, thread)
    region = regions[number]
    places = _rows(table[PLACES], table[NPLACES], PLACE)
    offset = address - region[ADDRESS]
    first = region[FIRST_PLACE] + (offset >> region[SHIFT])
    last = region[FIRST_PLACE] + ((offset + size - 1) >> region[SHIFT])
    for k in range(first, last + 1):
        _watch(table, places[k], me, point, writes, number)
    return address


access_callback = cfunc(types.int64(*[types.int64] * 5), cache=True)(access.py_func)


@njit
def _random(state):  # type: ignore[no-untyped-def]
    """The next number of an xorshift generator."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@njit(cache=True)
def run(step, threads, launch, table, block, longest, most_turns, seed):  # type: ignore[no-untyped-def]
    """Run every thread to its end; returns whether all got there.

    `threads` has a row of state for each, block by block. A thread that goes on makes between one access
    and `longest` before another one may, and all of them together have so many turns.
    """
    count = len(threads)
    nblocks = count // block
    epochs = _words(table[BLOCK_EPOCHS], nblocks)
    runnable = np.arange(count)
    nrunnable = count
    present = np.full(nblocks, block)
    waiting = np.zeros(nblocks, np.int64)
    flags = np.zeros(nblocks, np.int64)
    at = np.zeros(nblocks, np.int64)
    is_waiting = np.zeros(count, np.bool_)
    state = np.full(1, np.uint64(seed) * np.uint64(2654435769) + np.uint64(88172645463325252))
    for _ in range(most_turns + 1):
        if not nrunnable:
            return True
        drawn = _random(state)
        index = np.int64((drawn >> np.uint64(16)) % np.uint64(nrunnable))
        accesses = np.int64(1 + (drawn & np.uint64(0xFFFF)) % np.uint64(longest))
        thread = runnable[index]
        home = thread // block
        status = _call_step(step, threads[thread].ctypes.data, launch.ctypes.data, accesses)
        if status == RUNNING:
            continue
        if status == FAILED:
            return False
        nrunnable -= 1
        runnable[index] = runnable[nrunnable]
        if status == AT_BARRIER:
            if waiting[home] and at[home] != threads[thread, PC]:
                _fail(table, DIVERGED, threads[thread, PC], 0, home, thread % block)
                return False
            at[home] = threads[thread, PC]
            waiting[home] += 1
            flags[home] += threads[thread, BARRIER]
            is_waiting[thread] = True
        elif status == ENDED:
            present[home] -= 1
        if waiting[home] and waiting[home] == present[home]:  # those that have ended are not waited for
            for other in range(home * block, (home + 1) * block):
                if is_waiting[other]:
                    is_waiting[other] = False
                    threads[other, BARRIER] = flags[home] | present[home] << 16
                    runnable[nrunnable] = other
                    nrunnable += 1
            waiting[home] = flags[home] = 0
            epochs[home] += 1
    _fail(table, ENDLESS, threads[thread, PC], 0, home, thread % block)
    return False
