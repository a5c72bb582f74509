"""Where a thread is, for whoever wrote the program: what it calls of anypair, in which file and line."""

import contextlib
import runpy
import sys
from pathlib import Path
from types import FrameType, TracebackType

import mpi4py

PACKAGE = str(Path(__file__).parents[2])
INSIDE = (PACKAGE, contextlib.__file__)  # which is between us and a `with` of the program
LAUNCHERS = (runpy.__file__, str(Path(mpi4py.__file__).parent), "<frozen runpy>")


def of_thread(thread: int | None) -> str:
    """What the program calls in this thread, and from where."""
    frame: FrameType | None = sys._current_frames().get(thread or 0)
    called = ""
    while frame is not None and frame.f_code.co_filename.startswith(INSIDE):
        name = frame.f_code.co_qualname
        if frame.f_code.co_filename != contextlib.__file__ and "<locals>" not in name:  # of a decorator
            called = name
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith(LAUNCHERS):
        return "the command"
    place = f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}"
    return f"{called} ({place})" if called else place


def without_launcher(trace: TracebackType | None) -> TracebackType | None:
    """A traceback from where the program itself begins."""
    program = trace
    while program is not None and _is_launcher(program.tb_frame.f_code.co_filename):
        program = program.tb_next
    return program or trace


def _is_launcher(file: str) -> bool:
    return file.startswith(LAUNCHERS) or file == str(Path(PACKAGE) / "rank.py")
