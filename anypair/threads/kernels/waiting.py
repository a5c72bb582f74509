"""Spinning without the GIL: a worker until there is a call in its slot, a caller until all have done."""

from anypair.compiling.bits import pause
from anypair.compiling.caching import kernel
from anypair.threads.atomics import atomic_load, atomic_store, compare_and_swap
from anypair.threads.parts import EMPTY, LINE, SLOTS, SPINS_AFTER_WAKE, STOP, finish_call


@kernel
def wait_for_call(header, worker, has_worked, spins):
    """Empty the slot after work, and claim the next call in it: 1.

    STOP if the thread is to end, 0 if the slot was looked at so many times.
    """
    slot = SLOTS + LINE * worker
    if has_worked:
        atomic_store(header, slot, EMPTY)
    for _ in range(spins):
        call = atomic_load(header, slot)
        if call == STOP:
            return STOP
        if call != EMPTY and compare_and_swap(header, slot, call, call + 1):
            for _ in range(header[SPINS_AFTER_WAKE]):
                pause()
            return 1
        pause()
    return 0


@kernel
def wait_for_workers(header, spins):
    """As finish_call, for Python."""
    finish_call(header, spins)
