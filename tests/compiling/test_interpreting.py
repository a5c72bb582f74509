"""Kernels that Python runs while there is no machine code: the same bits, and nothing is compiled.

Of floats on what takes sums in some order, of all else by the conformance suite.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from anypair.backends.jit.kernels import plain_kernels
from anypair.compiling import caching, interpreting
from anypair.compiling.interpreting import Interpreter, interpreter
from anypair.compiling.kernel_folder import KernelFolder

ROOT = Path(__file__).parents[2]

#: Prints what algorithms and sums of floats come to, and then what was compiled for it.
PROGRAM = """
import sys
import numpy as np
from numba.core import event
from anypair import Matrix, Vector, ewise_mult, mxm, reduce, vxm
from anypair.algorithms import *
from anypair.compiling.interpreting import interpreter
from anypair.semiring import divide, plus_monoid, plus_times, times

class Compiled(event.Listener):
    def on_start(self, found): names.append(found.data["dispatcher"].py_func.__name__)
    def on_end(self, found): pass

names = []
event.register("numba:compile", Compiled())
interpreter.budget = interpreter.little = float(sys.argv[1])
random = np.random.default_rng(5)
places = random.integers(0, 40, (2, 150))
structure = Matrix.from_edges(*places, n=40, symmetric=True, self_loops=False)
weights = (random.integers(1, 120, 150) / 7).astype("float32")
graph = Matrix.from_edges(*places, weights, n=40, duplicates=times)
u = Vector.from_entries(range(0, 40, 3), weights[:14], 40)
for found in (vxm(u, graph, plus_times), mxm(graph, graph, plus_times, mask=graph.structure),
              ewise_mult(u, u, divide), bfs_parents(structure, 3), connected_components(structure),
              bellman_ford(graph, 3), pagerank(structure, iterations=5)):
    print(*[a.tobytes().hex() for a in found.to_entries()])
print(reduce(graph, plus_monoid), triangle_count(structure))
print(sorted({name for name in names if not name.startswith("wait_for")}), file=sys.stderr)
"""


def run(budget: str, **variables: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "ANYPAIR_BACKEND": "jit", "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-c", PROGRAM, budget]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_the_same_bits_without_machine_code(tmp_path: Path) -> None:
    by_python = run("inf", ANYPAIR_CACHE=str(tmp_path))
    assert by_python.stderr == "[]\n"
    assert by_python.stdout == run("0").stdout


def test_operations_without_machine_code(tmp_path: Path) -> None:
    """All of the conformance suite; operators of users are compiled even here."""
    variables = {
        "ANYPAIR_CACHE": str(tmp_path),
        "ANYPAIR_TEST_INTERPRETED": "1",
        "ANYPAIR_TEST_BACKENDS": "jit",
        "ANYPAIR_TEST_DTYPES": "int8,uint64,float32",
        "ANYPAIR_TEST_EXAMPLES": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "tests/conformance/test_operations.py"]
    done = subprocess.run(
        command, env={**os.environ, **variables}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("budget", "little", "numbers", "taken"),
    [(1, 10, 10, True), (1, 10, 11, False), (0, 10, 0, False)],
)
def test_work_that_is_little(budget: float, little: int, numbers: int, taken: bool) -> None:
    one_for_all = np.broadcast_to(np.ones(1), 10**6)
    assert Interpreter(budget, little).takes((7, np.zeros(numbers), one_for_all)) is taken


def test_a_look_for_machine_code_leaves_alone_what_threads_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refresh() -> None:  # Numba's goes along generators that all threads share, under its lock
        raise ValueError("generator already executing")

    kernel = plain_kernels("structure").rises
    monkeypatch.setattr(kernel.targetctx, "refresh", refresh)
    assert not kernel._cache.is_kept((), kernel.targetctx)


def test_time_that_is_spent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that has much to do compiles."""
    from anypair.compiling.modules import load_source

    folder = KernelFolder(tmp_path, 10**9)  # where no run before has left machine code
    monkeypatch.setattr(caching, "kernel_folder", lambda: folder)
    text = "from anypair.compiling.caching import kernel\n@kernel\ndef add(x, y):\n    return x + y\n"
    monkeypatch.setattr(interpreter, "budget", 1.0)
    monkeypatch.setattr(interpreter, "little", 1)
    add = load_source("test_time", text, interpreted=True).add
    assert add(1, 2) == 3
    assert not add.signatures
    assert 0 < interpreter.budget < 1
    interpreter.budget = 0.0
    assert add(1, 2) == 3
    assert len(add.signatures) == 1


def test_no_thread_gets_names_before_all_stand_for_something(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = Event(), Event()
    stand_in_for = interpreting._stand_in_for

    def slow(value: Any) -> Any:
        begun.set()
        go_on.wait(10)
        return stand_in_for(value)

    monkeypatch.setattr(interpreting, "_stand_in_for", slow)
    function = FunctionType((lambda: number).__code__, {"number": 7})  # type: ignore[name-defined]  # noqa: F821
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(interpreting._interpreted, function)
        begun.wait(10)
        second = pool.submit(interpreting._interpreted, function)
        assert wait([second], timeout=0.2).not_done
        go_on.set()
        assert (first.result(10)(), second.result(10)()) == (7, 7)


def test_the_command_searches_a_small_graph_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("from,to\na,b\nb,c\n")
    variables = {**os.environ, "ANYPAIR_BACKEND": "jit", "ANYPAIR_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "anypair", "bfs", str(tmp_path / "x.csv"), "--source", "a"]
    done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "vertex\tparent\na\ta\nb\ta\nc\tb\n"), done.stderr
    assert not (tmp_path / "cache").exists()
