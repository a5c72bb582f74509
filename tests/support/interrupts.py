"""Processes that can be interrupted, wherever the tests run."""

import signal


def heed_interrupts() -> None:
    """As at a terminal, for `preexec_fn`: what a script starts in the background ignores SIGINT, what
    nohup starts SIGHUP, and so does all that they start. Python then raises no KeyboardInterrupt, a test
    would wait for its time limit, and handlers stay away.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
