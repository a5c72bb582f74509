"""Waiting without the GIL: of a helper for its door to open, of a caller until all are closed."""

from anypair.backends.jit.bits import exchange_now, load_now, pause, store_now
from anypair.backends.jit.sharing import CLOSED, DOORS, LINE, PATIENCE, STOP, close_doors


@kernel
def listen(desk, helper, was_inside, looks):
    """Close the door behind oneself, and come in when it opens again: 1.

    STOP if it is time to go home, 0 if it was looked at so many times.
    """
    door = DOORS + LINE * helper
    if was_inside:
        store_now(desk, door, CLOSED)
    for _ in range(looks):
        call = load_now(desk, door)
        if call == STOP:
            return STOP
        if call != CLOSED and exchange_now(desk, door, call, call + 1):
            for _ in range(desk[PATIENCE]):
                pause()
            return 1
        pause()
    return 0


@kernel
def close(desk, looks):
    """As close_doors, for Python."""
    close_doors(desk, looks)
