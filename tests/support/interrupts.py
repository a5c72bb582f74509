"""Processes that can be interrupted, wherever the tests run."""

import signal


def heed_interrupts() -> None:
    """As at a terminal, for `preexec_fn`: what a script starts in the background ignores SIGINT, and all
    that it starts; Python then raises no KeyboardInterrupt, and a test would wait for its time limit.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
