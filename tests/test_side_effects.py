"""What belongs to the whole process stays as it was, whichever backend works in it."""

import json
import subprocess
import sys
from typing import Any

import pytest

from anypair.backends.registry import BACKENDS, why_not
from tests.cuda.support import COMPILES
from tests.mpi.jobs import ROOT, Job
from tests.support.interrupts import heed_interrupts

# Prints for each backend what was so before, what is so after, and what another thread saw meanwhile.
PROGRAM = """
import gc, json, signal, sys, threading, time
import numpy as np

def state():
    return {
        "garbage collector": [gc.isenabled(), gc.get_threshold()],
        "hooks": [sys.excepthook is sys.__excepthook__, threading.excepthook is threading.__excepthook__,
                  sys.displayhook is sys.__displayhook__, sys.unraisablehook is sys.__unraisablehook__],
        "threads": [sys.getswitchinterval(), sys.gettrace() is None, sys.getprofile() is None],
        "signals": [str(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
        "floats": np.geterr(),
        "recursion": sys.getrecursionlimit(),
        "path": sys.path,
    }

def look():
    while looking:
        seen.add((gc.isenabled(), sys.getswitchinterval(), sys.excepthook is sys.__excepthook__))
        time.sleep(1e-3)

def search(name):
    import anypair
    from anypair.algorithms import bfs_parents

    if name == "cuda":
        from tests.cuda.emulator.plugin import emulate_without_gpu

        emulate_without_gpu()

    @anypair.binary_op
    def own(edge, value):  # without a text in a file: it is compiled in any case
        return edge * 3 + value * 0.5

    with anypair.using(name):
        graph = anypair.Matrix.from_edges([0, 1, 1], [1, 2, 3], [1.5, 2.5, 3.5], symmetric=True)
        assert bfs_parents(graph, 0).nvals == 4
        assert anypair.ewise_mult(graph, graph, own).nvals == 6

before = state()
for name in NAMES:
    seen, looking = set(), True
    thread = threading.Thread(target=look)
    thread.start()
    search(name)
    looking = False
    thread.join()
    print(json.dumps([name, before, state(), len(seen)]), flush=True)
"""


def changes(printed: str) -> dict[str, Any]:
    """By backend, what is not as it was before."""
    found = {}
    for name, before, after, meanwhile in map(json.loads, printed.splitlines()):
        found[name] = {key: after[key] for key in before if after[key] != before[key]}
        if meanwhile > 1:
            found[name]["meanwhile"] = meanwhile
    return found


def test_backends_change_nothing_for_the_process() -> None:
    names = [name for name in BACKENDS if not why_not(name) or (name == "cuda" and COMPILES)]
    names.remove("streamed")
    assert changes(printed_with(names)) == {name: {} for name in names}


def test_streamed_removes_its_folders_when_the_process_is_told_to_end() -> None:
    """Which takes a handler, where there is none: all else stays as it is."""
    changed = changes(printed_with(["streamed"]))["streamed"]
    interrupt, *ending = changed.pop("signals")
    assert "default_int_handler" in interrupt
    assert all("remove_and_end" in handler for handler in ending)
    assert not changed


def printed_with(names: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"NAMES = {names}\n{PROGRAM}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        preexec_fn=heed_interrupts,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_ranks_change_nothing_for_their_processes() -> None:
    if reason := why_not("mpi"):
        pytest.skip(reason)
    job = Job(2, "-c", f"NAMES = ['mpi']\n{PROGRAM}", plain=True, ANYPAIR_LOCAL="jit")
    assert job.status == 0, job.said
    assert changes(job.printed) == {"mpi": {}}
