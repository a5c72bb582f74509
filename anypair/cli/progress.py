"""A progress bar on stderr: only on a terminal, gone when the work is done."""

import os
import shutil
import sys
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import TextIO

SECONDS_BETWEEN = 0.1
SECONDS_OF_CLOCK = 0.5
WIDEST = 40


class Bar:
    """A line that is drawn over; call it with a stage, how much is done, and of how much.

    >>> with Bar(quiet=True) as bar:
    ...     bar("searching", 1, 64)
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        plain = os.environ.get("TERM") == "dumb"
        self._shown = not quiet and not plain and self._stream.isatty()
        self._stage = ""
        self._begin = self._drawn = 0.0
        self._clock: Thread | None = None
        self._over = Event()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` steps of this stage are over; for a total of 0 a clock runs."""
        if not self._shown:
            return
        self._stop_clock()
        now = monotonic()
        if stage != self._stage:
            self._stage, self._begin, self._drawn = stage, now, 0.0
        if now - self._drawn >= SECONDS_BETWEEN or done == total:
            self._drawn = now
            self._draw(done, total)
        if total <= 0:
            self._over.clear()
            self._clock = Thread(target=self._tick, daemon=True)
            self._clock.start()

    def __enter__(self) -> "Bar":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._stop_clock()
        if self._shown and self._stage:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self, done: int, total: int) -> None:
        width = shutil.get_terminal_size().columns - 1
        text = line(self._stage, done, total, monotonic() - self._begin, width)
        # Back to the first column, the new text, and away with what is left of the old one.
        self._stream.write(f"\r{text[:width]}\x1b[K")
        self._stream.flush()

    def _tick(self) -> None:
        while not self._over.wait(SECONDS_OF_CLOCK):
            self._draw(0, 0)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._over.set()
            self._clock.join()
            self._clock = None


def line(stage: str, done: int, total: int, seconds: float, width: int) -> str:
    """The text of the line, as wide as `width` allows.

    >>> line("searching", 16, 64, 65, 60)
    'searching  [########--------------------------]  16/64  1:05'
    """
    clock = f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
    if total <= 0:
        return f"{stage}  {clock}"
    counts = f"{done}/{total}  {clock}"
    room = min(WIDEST, width - len(stage) - len(counts) - 6)
    if room < 4:
        return f"{stage}  {counts}"
    full = room * min(done, total) // total
    return f"{stage}  [{'#' * full}{'-' * (room - full)}]  {counts}"
