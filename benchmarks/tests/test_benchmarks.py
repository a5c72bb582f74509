"""The checks reject what is wrong, and a small run of everything passes."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from anypair import Vector
from benchmarks import frontier
from benchmarks.bars import Figure, bars
from benchmarks.graphs import make
from benchmarks.report import report
from benchmarks.results import Results, Timing
from benchmarks.searches import SEARCH
from benchmarks.timing import stopwatch
from benchmarks.verify import expected_levels, problem_with_levels, problem_with_parents

ROOT = Path(__file__).parents[2]
GRID = make("grid4", seed=1)  # vertex 4 * y + x
LEVELS = expected_levels(GRID.csr.astype(np.float64), 0)
PARENTS = np.array([0, 0, 1, 2, 0, 4, 5, 6, 4, 8, 9, 10, 8, 12, 13, 14])


def test_levels_of_a_grid_are_sums_of_coordinates() -> None:
    assert LEVELS.tolist() == [x + y for y in range(4) for x in range(4)]


def test_levels_of_what_is_not_reached() -> None:
    levels = expected_levels(make("kron6", seed=1).csr.astype(np.float64), 0)
    assert set(np.unique(levels)) >= {-1, 0, 1}


def test_right_answers_pass() -> None:
    assert problem_with_levels(LEVELS, LEVELS) == ""
    assert problem_with_parents(PARENTS, 0, LEVELS, GRID.csr) == ""


@pytest.mark.parametrize(
    ("vertex", "parent", "complaint"),
    [
        (0, 1, "the root's parent"),
        (5, -1, "not reached"),
        (5, 16, "no vertex"),
        (5, 6, "one level above"),
        (12, 5, "no edge"),
        (15, 8, "one level above"),
        (7, 9, "no edge"),
    ],
)
def test_spoiled_parents_are_noticed(vertex: int, parent: int, complaint: str) -> None:
    spoiled = PARENTS.copy()
    spoiled[vertex] = parent
    assert complaint in problem_with_parents(spoiled, 0, LEVELS, GRID.csr)


def test_spoiled_levels_are_noticed() -> None:
    spoiled = LEVELS.copy()
    spoiled[3] = 2
    assert problem_with_levels(spoiled, LEVELS) == "1 of 16 levels are wrong"


def test_the_stopwatch_stops_after_what_was_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[Vector] = []
    monkeypatch.setattr(Vector, "finish", lambda self: time.sleep(0.05) or finished.append(self))
    found, seconds = stopwatch(lambda: Vector.full(2, 1, backend="reference"))
    assert finished == [found]
    assert seconds >= 0.05


def test_bars_compare_with_what_was_measured() -> None:
    machine = {
        "cpu": "",
        "cores": 1,
        "memory_bytes": 0,
        "system": "",
        "python": "",
        "date": "",
        "packages": {},
    }
    results = Results(machine, {}, "anypair-jit", graphs={"kron18": {"vertices": 1, "entries": 1}})
    results.timings = [
        Timing(SEARCH, "parents", "kron18", "anypair-jit", [0.001, 0.002, 0.009]),
        Timing(SEARCH, "parents", "kron18", "python-graphblas-push-pull", [0.006]),
        Timing(SEARCH, "parents", "kron18", "scipy-csgraph", [0.006]),
        Timing(SEARCH, "parents", "kron18", "igraph", [0.9], "wrong"),
    ]
    found = [bar for bar in bars(results) if "kron18: anypair-jit against" in bar.text]
    assert [bar.verdict for bar in found] == ["reached", "NOT REACHED", "not measured", "not measured"]
    assert found[0].figure == Figure(median=0.006 / 0.002, minimum=0.006 / 0.001)
    assert "igraph, parents on kron18: wrong" in report(results)


def test_a_quick_run_measures_everything(tmp_path: Path) -> None:
    """What is measured on the default backend alone is so on one that compiles nothing."""
    command = [sys.executable, "-m", "benchmarks", "--quick", "--output", str(tmp_path)]
    environment = os.environ | {"ANYPAIR_BACKEND": "scipy"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    measured = {timing["part"] for timing in results["timings"]}
    assert measured - {"operations"} == {
        "search", "operators", "algorithms", "build", "calls", "start", "read",
    }  # fmt: skip
    assert ("operations" in measured) is (find_spec("graphblas") is not None)
    assert results["figures"]
    assert all(timing["seconds"] for timing in results["timings"])


def test_the_gpu_benchmark_says_what_is_missing_or_runs() -> None:
    command = [sys.executable, "-m", "benchmarks.gpu", "--scale", "4", "--roots", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 or (
        done.returncode == 2 and "needs a GPU: backend 'cuda'" in done.stderr
    )


def test_hongs_comparison_rejects_a_wrong_tree(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["kron8", "grid16", "--turns", "1", "--roots", "2"]
    assert frontier.main(few) in (0, 1)  # the bar is not for graphs that are so small
    assert "auto to the better" in capsys.readouterr().out
    monkeypatch.setattr(frontier, "bfs_parents", lambda graph, root: Vector.full(graph.nrows, root))
    with pytest.raises(SystemExit, match="kron8, root"):
        frontier.main(few)
