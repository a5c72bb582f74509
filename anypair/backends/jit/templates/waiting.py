"""Waiting without the GIL, for a bell and for an answer."""

from anypair.backends.jit.bits import load_now, pause, store_now


@kernel
def answer_and_listen(answer, bell, done, times, hesitates):
    """Say what is done, now that the GIL is free for the caller; whether the bell rings after that."""
    store_now(answer, done)
    for _ in range(times):
        if load_now(bell) != done:
            for _ in range(hesitates):
                pause()
            return True
        pause()
    return False


@kernel
def hear(answer, number, times):
    """Whether the answer is this number before it was looked at so many times."""
    for _ in range(times):
        if load_now(answer) == number:
            return True
        pause()
    return False
