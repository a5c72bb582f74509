"""A watchdog against deadlock: a thread of each rank looks at what the rank waits for.

MPI alone lets ranks wait for one that has ended, has been stopped or does something else. So a rank
that ends tells some others how many calls it has made; the thread of one that waits for another call of
it ends the job and says who, and where. So it does when the others do not come within the timeout. Calls
of MPI stay as they are, and as fast: the thread works while they block.
"""

import atexit
import os
import sys
import threading
import time
from typing import Any

from mpi4py import MPI

from anypair.backends.mpi.whereabouts import of_thread, without_launcher
from anypair.errors import DistributedError
from anypair.machine import PATIENCE

INTERVAL = 0.25  # seconds between two looks
ANSWERS = 2.0  # seconds that ranks have to say where they are
LISTED = 8  # ranks that a message names
ENDED, ASKED, ANSWERED = 1, 2, 3


class Calls:
    """The calls that this rank has made on one communicator; inside a `with` it is in one of them."""

    __slots__ = ("made", "number", "thread", "timeout", "watch")

    def __init__(self, watch: "Watch", timeout: float) -> None:
        self.watch = watch
        self.timeout = timeout
        self.made = 0
        self.thread = threading.get_ident()  # not asked for with each call, which has to be quick
        self.number = len(watch.calls)  # the same on all ranks, which make communicators alike
        watch.calls.append(self)

    def __enter__(self) -> None:
        self.made += 1
        self.watch.at = self

    def __exit__(self, *error: object) -> None:
        self.watch.at = None


class Watch:
    """What this rank knows of the others, and the thread that finds it out."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm  # of its own, so that what is said here meets nothing else
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.calls: list[Calls] = []
        self.at: Calls | None = None
        self.ended: dict[int, list[int]] = {}  # by rank: the calls it has made on each communicator
        self.answers: dict[int, str] = {}
        self.sent: list[Any] = []  # messages on their way
        self.aborts = False  # whether this rank ends the job with an exit status, when Python ends
        self.process = os.getpid()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, name="anypair-watch", daemon=True)
        # Elsewhere the thread must not call MPI, and knows only how long this rank has waited.
        self.talks = MPI.Query_thread() == MPI.THREAD_MULTIPLE
        if self.size > 1:
            self.thread.start()
            atexit.register(self.leave)

    def leave(self) -> None:
        """Tell the ranks around how many calls this one has made, before MPI ends."""
        if os.getpid() != self.process:  # a child that was forked
            return
        self.over.set()
        self.thread.join()
        if self.aborts:
            return
        if (error := _uncaught()) is not None:
            let_the_first_speak()
            end_for(error)
        made = [calls.made for calls in self.calls]
        # A few neighbours are enough: each rank is one of somebody who waits, or will.
        steps = [1 << bit for bit in range(self.size.bit_length()) if 1 << bit < self.size]
        for rank in {(self.rank + step) % self.size for each in steps for step in (each, -each)}:
            self._send(rank, ENDED, made)

    def _send(self, rank: int, kind: int, content: Any) -> None:
        self.sent = [request for request in self.sent if not request.Test()]
        self.sent.append(self.comm.isend(content, rank, kind))

    def _listen(self) -> None:
        status = MPI.Status()
        while self.talks and self.comm.Iprobe(MPI.ANY_SOURCE, MPI.ANY_TAG, status):
            rank, kind = status.Get_source(), status.Get_tag()
            content = self.comm.recv(None, rank, kind)
            if kind == ENDED:
                self.ended[rank] = content
            elif kind == ANSWERED:
                self.answers[rank] = content
            else:
                self._send(rank, ANSWERED, self._doing())

    def _doing(self) -> str:
        at = self.at
        if at is None:
            return f"is in {of_thread(threading.main_thread().ident)}"
        return f"waits in {of_thread(at.thread)}"

    def _watch(self) -> None:
        last: tuple[int, int] | None = None
        waited = 0.0
        while not self.over.wait(INTERVAL):
            if not threading.main_thread().is_alive() and (error := _uncaught()) is not None:
                end_for(error)  # while other threads of the program go on: its end comes after them
            self._listen()
            at = self.at
            now = None if at is None else (at.number, at.made)
            # Not by the clock: while this rank itself is stopped it does not wait for others.
            waited = waited + INTERVAL if now is not None and now == last else 0.0
            last = now
            if at is None or not waited:
                continue
            if missing := self._missing(at):
                self._speak(f"{_ranks(missing)} ended while {self._here(at)}; {ADVICE}", at)
            elif at.timeout and waited >= at.timeout:
                self._speak(f"{self._here(at)} for {at.timeout:g} s; {self._others()}; {LIMIT}", at)

    def _missing(self, at: Calls) -> list[int]:
        """Ranks that have ended without this call."""
        n = at.number
        return sorted(
            rank for rank, made in self.ended.items() if (made[n] if n < len(made) else 0) < at.made
        )

    def _here(self, at: Calls) -> str:
        return f"rank {self.rank} waits in {of_thread(at.thread)}"

    def _others(self) -> str:
        """Where the other ranks are, by their own account."""
        self.answers.clear()
        others = [rank for rank in range(self.size) if rank != self.rank and rank not in self.ended]
        if self.talks:
            for rank in others:
                self._send(rank, ASKED, None)
        until = time.monotonic() + ANSWERS
        while self.talks and len(self.answers) < len(others) and time.monotonic() < until:
            self._listen()
            self.over.wait(INTERVAL / 10)
        silent = [rank for rank in others if rank not in self.answers]
        said = [f"rank {rank} {self.answers[rank]}" for rank in others if rank in self.answers]
        if silent:
            said.insert(0, f"{_ranks(silent, 'does', 'do')} not answer")
        more = len(said) - LISTED
        return "; ".join([*said[:LISTED], *([f"and {more} more"] if more > 0 else [])])

    def _speak(self, text: str, at: Calls) -> None:
        """End the job, unless this rank gets on meanwhile or one before it speaks first."""
        made = at.made
        before = sum(rank not in self.ended for rank in range(self.rank))
        if self.over.wait(PATIENCE * min(before, LISTED)) or self.at is not at or at.made != made:
            return
        end_job(text)


ADVICE = "every rank has to make the same calls: look at results on all ranks, and print on one"
LIMIT = "the option timeout of backend 'mpi' says how long ranks wait"


def _ranks(ranks: list[int], one: str = "has", many: str = "have") -> str:
    """
    >>> _ranks([1]), _ranks([1, 2])
    ('rank 1 has', 'ranks 1, 2 have')
    """
    listed = ", ".join(map(str, ranks[:LISTED])) + (", ..." if len(ranks) > LISTED else "")
    return f"rank {listed} {one}" if len(ranks) == 1 else f"ranks {listed} {many}"


_of_this_process: Watch | None = None


def join_job(timeout: float) -> Watch:
    """The watch of this rank, begun by the first call, which all ranks make."""
    global _of_this_process
    if _of_this_process is None:
        _of_this_process = Watch(_duplicate(timeout))
    return _of_this_process


def _duplicate(timeout: float) -> Any:
    """A communicator of all ranks, for which all have to come here."""
    comm, request = MPI.COMM_WORLD.Idup()
    begin = time.monotonic()
    while not request.Test():
        waited = time.monotonic() - begin
        time.sleep(min(waited, 0.01))
        if timeout and waited > timeout:
            raise DistributedError(
                f"using('mpi'): other ranks have not come here within {timeout:g} s; {LIMIT}"
            )
    return comm


def show_and_end_for(error: BaseException) -> None:
    """As end_for, once the exception was shown, as Python does: on one rank if all have the same."""
    let_the_first_speak()
    shown = without_launcher(error.__traceback__)
    sys.excepthook(type(error), error.with_traceback(shown), shown)
    end_for(error)


def let_the_first_speak() -> None:
    """Wait, on all ranks but the first: what all have to say it says for them."""
    if MPI.COMM_WORLD.Get_rank():
        time.sleep(PATIENCE)


def end_for(error: BaseException) -> None:
    """What nobody catches on one rank must end all: others would wait for this one."""
    end_job(f"rank {MPI.COMM_WORLD.Get_rank()} failed with {type(error).__name__}")


def _uncaught() -> BaseException | None:
    """The exception that has ended the program: Python keeps the last one that it has shown.

    So do shells and pytest, but theirs have not come down to where the thread began.
    """
    error: BaseException | None = getattr(sys, "last_value", None)
    trace = None if error is None else error.__traceback__
    return error if trace is not None and trace.tb_frame.f_back is None else None


def end_job(text: str) -> None:
    """End all ranks, and say why."""
    print(f"anypair: {text}; the job ends", file=sys.stderr, flush=True)
    MPI.COMM_WORLD.Abort(1)
